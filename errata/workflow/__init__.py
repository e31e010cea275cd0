"""What becomes of issues: words, rules and explanations; pure functions."""

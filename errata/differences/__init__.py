"""What is different about an issue: shares of tags among its sources and among the rest, tested at once."""

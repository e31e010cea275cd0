"""Performance budgets of a project."""

"""The issue list of a project."""

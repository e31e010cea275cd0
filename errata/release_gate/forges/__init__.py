"""A file for each forge."""

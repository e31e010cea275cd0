"""The page of a one-time link."""

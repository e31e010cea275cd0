"""The page of one issue: its head, and its tabs."""

"""Pages, calls and what pages load."""

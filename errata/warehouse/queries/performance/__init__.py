"""Pages, calls, and the resources that pages load."""

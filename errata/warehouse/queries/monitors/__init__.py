"""Questions about monitors: scheduled jobs, their runs, and those that are missing."""

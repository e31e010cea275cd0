"""The page of a project's retention."""

"""The page of a share link."""

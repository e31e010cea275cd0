"""The sign-in page."""

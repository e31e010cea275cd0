"""Session replays: a list of them, and one that plays."""

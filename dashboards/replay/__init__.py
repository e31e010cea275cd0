"""A replay as it plays, as its own page and a shared link show it."""

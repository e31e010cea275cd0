"""Searches that every project has."""

DEFAULT_SEARCHES = (
    ("Unresolved", "is:unresolved"),
    ("New in 24 h", "is:unresolved age:-24h"),
    ("Regressed", "is:regressed"),
    ("Ignored", "is:ignored"),
    ("Resolved", "is:resolved"),
)

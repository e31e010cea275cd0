"""Searches that every project has."""

DEFAULT_SEARCHES = (
    ("Unresolved", "is:unresolved"),
    ("New in 24 hours", "is:unresolved age:-24h"),
    ("Regressed", "is:regressed"),
    ("Mine", "is:unresolved assigned:me"),
    ("For review", "is:for_review"),
    ("Ignored", "is:ignored"),
    ("Resolved", "is:resolved"),
)

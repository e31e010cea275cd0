"""Words about issues that every area uses: an issue's id as text, its statuses, and sort orders."""

from enum import StrEnum


class Sort(StrEnum):
    LAST_SEEN = "last_seen"
    FIRST_SEEN = "first_seen"
    EVENTS = "events"
    USERS = "users"


class Status(StrEnum):
    """`regressed`: an event occurred after the issue was resolved. A filter for `unresolved` includes it."""

    UNRESOLVED = "unresolved"
    RESOLVED = "resolved"
    REGRESSED = "regressed"
    IGNORED = "ignored"


def issue_text(issue_id: int) -> str:
    """An issue's id as people and programs see it: 16 hex digits."""
    return f"{issue_id:016x}"


def user_key(user_hash: int) -> str:
    """The hash in addresses: 16 hexadecimal digits."""
    return f"{user_hash:016x}"

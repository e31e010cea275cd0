"""What people decided about an issue in Sentry, as decisions that are taken here."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from errata.importing.values import mapping, moment_of, number, text

LONGEST_WINDOW_MINUTES = 10_080


@dataclass(frozen=True)
class Decision:
    """An action of `POST /api/projects/{slug}/issues/actions`."""

    action: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def status_of(issue: Mapping[str, Any], now: datetime) -> Decision | None:
    """None for an issue that is open."""
    details = mapping(issue.get("statusDetails"))
    match issue.get("status"):
        case "resolved" | "resolvedInNextRelease":
            release = text(details.get("inRelease"))
            if release:
                return Decision("resolve", {"in": "release", "release": release})
            return Decision("resolve", {"in": "next"} if details.get("inNextRelease") is True else {})
        case "ignored":
            return _ignored(issue, details, now)
    return None


def _ignored(issue: Mapping[str, Any], details: Mapping[str, Any], now: datetime) -> Decision | None:
    if issue.get("substatus") == "archived_until_escalating":
        return Decision("ignore", {"condition": {"kind": "escalating"}})
    until = moment_of(details.get("ignoreUntil"))
    if until is not None:
        return Decision("ignore", {"until": until.isoformat()}) if until > now else None
    for kind, count, window in (
        ("events", "ignoreCount", "ignoreWindow"),
        ("users", "ignoreUserCount", "ignoreUserWindow"),
    ):
        if (most := number(details.get(count))) > 0:
            minutes = min(max(number(details.get(window)), 0), LONGEST_WINDOW_MINUTES)
            condition = {"kind": kind, "count": most, **({"window_minutes": minutes} if minutes else {})}
            return Decision("ignore", {"condition": condition})
    return Decision("ignore")


def assignee_of(issue: Mapping[str, Any]) -> str:
    """The email address; empty for an issue of nobody, and of a team."""
    assigned = mapping(issue.get("assignedTo"))
    return text(assigned.get("email")).strip().casefold() if assigned.get("type") == "user" else ""


def assignment_of(issue: Mapping[str, Any], people: Collection[str]) -> Decision | None:
    email = assignee_of(issue)
    return Decision("assign", {"assignee": email}) if email in people else None

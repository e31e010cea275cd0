"""What happened to a user in one list: errors, page loads and starts of sessions, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from dashboards.users.sessions import session_words
from errata.reports import formats
from errata.warehouse.queries.users.user import LATEST, UserEvent, UserLoad, UserSession
from errata.warehouse.queries.vocabulary import issue_text

MOST_ENTRIES = 60


@dataclass(frozen=True)
class Entry:
    """`address` is below the project's; empty: nothing to show."""

    at: datetime
    kind: str
    title: str
    detail: str
    address: str


@dataclass(frozen=True)
class Timeline:
    """`is_whole`: nothing of the period is left out."""

    entries: Sequence[Entry]
    is_whole: bool


def timeline(
    events: Sequence[UserEvent], loads: Sequence[UserLoad], sessions: Sequence[UserSession]
) -> Timeline:
    """Lists that were cut off at their latest rows leave out what is older, so earlier entries of the others
    would look as if nothing else had happened."""
    # The slowest load may be older than the latest ones.
    latest = loads[:LATEST]
    lists: list[list[Entry]] = [
        [_error(one) for one in events],
        [_load(one) for one in latest],
        [_session(one) for one in sessions],
    ]
    cut = [min(entry.at for entry in found) for found in lists if len(found) >= LATEST]
    since = max(cut, default=None)
    entries = sorted((entry for found in lists for entry in found), key=lambda one: one.at, reverse=True)
    shown = [entry for entry in entries if since is None or entry.at >= since][:MOST_ENTRIES]
    return Timeline(shown, len(shown) == len(entries) and not cut)


def _error(event: UserEvent) -> Entry:
    # Without an issue yet, an event has no page.
    address = f"/issues/{issue_text(event.issue_id)}?event={event.id}" if event.issue_id else ""
    title = event.type or event.message or "Error without a message"
    return Entry(event.occurred_at, "Error", title, event.message if event.type else "", address)


def _load(load: UserLoad) -> Entry:
    found = {"on": formats.iso_day(load.received_at), **({"trace": load.trace_id} if load.trace_id else {})}
    address = f"/performance/waterfall/{load.view_id}?{urlencode(found)}"
    length = f"loaded in {formats.duration(load.load_ms)}" if load.load_ms is not None else ""
    return Entry(load.occurred_at, "Page load", load.page or "(no page)", length, address)


def _session(session: UserSession) -> Entry:
    address = f"/performance/release?version={quote(session.release, safe='')}" if session.release else ""
    return Entry(session.started_at, "Session", "Session started", session_words(session), address)

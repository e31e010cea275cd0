"""The timeline of a user: one list of errors, page loads and sessions, complete down to its end."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from dashboards.users.sessions import session_words
from dashboards.users.timeline import timeline
from errata.warehouse.queries.users.user import LATEST, UserEvent, UserLoad, UserSession

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def an_event(minutes_ago: int, issue_id: int = 7) -> UserEvent:
    at = NOW - timedelta(minutes=minutes_ago)
    return UserEvent(UUID(int=minutes_ago), issue_id, at, "PayError", "declined", "error", "", "", "")


def a_load(minutes_ago: int, trace_id: str = "", is_slowest: bool = False) -> UserLoad:
    at = NOW - timedelta(minutes=minutes_ago)
    return UserLoad("0a", trace_id, "/cart", at, at, "", "", "", "", 1200.0, None, is_slowest)


def a_session(minutes_ago: int, status: str = "ok", errors: int = 0) -> UserSession:
    at = NOW - timedelta(minutes=minutes_ago)
    return UserSession(UUID(int=1), at, status, errors, None, "shop@1.0+a&b", "")


def test_all_that_happened_is_one_list_and_each_entry_leads_to_its_page() -> None:
    found = timeline([an_event(1), an_event(5, issue_id=0)], [a_load(2, "ab")], [a_session(3)])
    assert found.is_whole
    assert [(entry.kind, entry.title, entry.detail, entry.address) for entry in found.entries] == [
        ("Error", "PayError", "declined", f"/issues/{7:016x}?event={1:032x}"),
        ("Page load", "/cart", "loaded in 1.20 s", "/performance/waterfall/0a?on=2026-11-21&trace=ab"),
        ("Session", "Session started", "no errors", "/performance/release?version=shop%401.0%2Ba%26b"),
        ("Error", "PayError", "declined", ""),
    ]


def test_nothing_is_listed_from_before_one_of_the_lists_was_cut_off() -> None:
    loads = [a_load(number) for number in range(LATEST)]
    slowest = a_load(9_000, is_slowest=True)
    found = timeline([an_event(LATEST - 2), an_event(LATEST + 60)], [*loads, slowest], [])
    assert not found.is_whole
    assert len(found.entries) == LATEST + 1
    assert found.entries[-1].at == loads[-1].occurred_at


def test_the_status_of_a_session_is_plain_and_agrees_with_its_errors() -> None:
    told = [("ok", 0), ("ok", 1), ("exited", 0), ("errored", 0), ("unhandled", 1), ("crashed", 1)]
    assert [session_words(a_session(0, *each)) for each in told] == [
        "no errors",
        "errors, no crash",
        "no errors",
        "errors, no crash",
        "an unhandled error",
        "crashed",
    ]

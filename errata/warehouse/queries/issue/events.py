"""The events of an issue, and one event in full."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import EPOCH, utc
from errata.source_maps.lookup import Mapped, map_events
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import Condition, Moment, Text, Uuid, all_of, any_of, spaced
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.issue.counts import IssueCounts, Marks
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.issue.receipts import received_since
from errata.warehouse.queries.membership import issues_of_variants
from errata.warehouse.queries.source_maps.uploads import ProjectUploads
from errata.warehouse.typed_rows import typed

END = datetime(2299, 12, 31, tzinfo=UTC)
TELLING_AMONG = 100
# Mean distances between events.
NEAR = 20
STRETCHES = (timedelta(hours=3), timedelta(days=2), timedelta(days=14))
MILLISECOND = timedelta(milliseconds=1)
ITEM_ID, OCCURRED_AT = Uuid.column("item_id"), Moment.column("occurred_at")
HAS_PAYLOAD = Condition.column("has_payload")
USER_COLUMNS = ("user_id", "user_email", "user_name", "user_ip")


@dataclass(frozen=True)
class User:
    """The user of an event, as far as the SDK knew; all fields empty: not identified."""

    id: str
    email: str
    name: str
    ip: str


@dataclass(frozen=True)
class EventRow:
    event_id: UUID
    occurred_at: datetime
    received_at: datetime
    environment: str
    release: str
    level: str
    message: str
    user_hash: int
    user: User
    transaction: str
    server_name: str
    service: str
    browser: str
    os: str
    request_method: str
    request_url: str
    tags: Mapping[str, str]
    is_clock_corrected: bool

    @property
    def id(self) -> str:
        return self.event_id.hex


@dataclass(frozen=True)
class EventFilters:
    """Filters of a list of events; `words` are searched in message, transaction and address. `user` is an id,
    e-mail address, name or IP address. Events are from `since` to before `until`."""

    environment: str = ""
    release: str = ""
    user: str = ""
    words: str = ""
    since: datetime = EPOCH
    until: datetime = END


@dataclass(frozen=True)
class EventPage:
    events: Sequence[EventRow]
    next_cursor: str | None


@dataclass(frozen=True)
class Event:
    """One event; `issue_id` 0: in no issue yet. `payload` is the scrubbed payload as the SDK sent it, with
    original frames where a source map was uploaded; `mapped` says which stayed minified. Without
    `has_payload` it is empty: that minute had more events of the variant than the project stores payloads of.
    """

    project_id: int
    event_id: UUID
    issue_id: int
    variant_hash: int
    occurred_at: datetime
    received_at: datetime
    is_clock_corrected: bool
    environment: str
    release: str
    level: str
    platform: str
    server_name: str
    service: str
    message: str
    type: str
    trace_id: UUID | None
    replay_id: UUID | None
    user_hash: int
    payload: dict[str, Any]
    has_payload: bool
    mapped: Mapped

    @property
    def id(self) -> str:
        return self.event_id.hex


@dataclass(frozen=True)
class Neighbours:
    """The adjacent events of the same issue; None at either end."""

    older: UUID | None
    newer: UUID | None
    oldest: UUID | None
    newest: UUID | None


def events_of_issue(
    warehouse: Warehouse,
    merged: MergedIssue,
    limit: int = 50,
    cursor: str = "",
    filters: EventFilters | None = None,
) -> EventPage:
    """Events of an issue, newest first."""
    found = _page(warehouse, merged, limit + 1, cursor, filters or EventFilters())
    events = _in_detail(warehouse, merged, found[:limit])
    return EventPage(events, _cursor(events[-1]) if len(found) > limit else None)


def _in_detail(warehouse: Warehouse, merged: MergedIssue, shown: Sequence[Row]) -> list[EventRow]:
    """The events in full, in the same order."""
    rows = warehouse.rows(sql.query("events_in_detail"), _named(merged, shown)) if shown else []
    found = {row["item_id"]: _event_row(row) for row in rows}
    return [found[row["item_id"]] for row in shown if row["item_id"] in found]


def _page(
    warehouse: Warehouse, merged: MergedIssue, limit: int, cursor: str, wanted: EventFilters
) -> list[Row]:
    statement = sql.query("events_of_issue").at(is_own=merged.is_own, is_wanted=_is_wanted(wanted, cursor))
    rows: list[Row] = []
    last = _before(cursor)[0] + MILLISECOND if cursor else END
    for since, until in _looks_back(min(last, wanted.until), wanted.since):
        missing = limit - len(rows)
        if missing > 0:
            between = {
                "since": _moment(since),
                "until": _moment(until),
                "received_from": _moment(received_since(warehouse.of([merged.project_id]), since)),
                "limit": missing,
            }
            rows += warehouse.rows(statement, {"project_id": merged.project_id, **between})
    return rows


def _is_wanted(wanted: EventFilters, cursor: str) -> Condition:
    """The condition for given filters only: a condition that always holds costs the reading of its
    columns."""
    conditions = []
    for column in ("environment", "release"):
        if value := getattr(wanted, column):
            conditions.append(Text.column(column).one_of([value]))
    if wanted.user:
        conditions.append(any_of(Text.column(column).one_of([wanted.user]) for column in USER_COLUMNS))
    if wanted.words.split():
        searched = spaced(*map(Text.column, ("message", "transaction", "request_url")))
        conditions.append(searched.contains_all(wanted.words.split()))
    if cursor:
        occurred_at, item_id = _before(cursor)
        is_at_once = OCCURRED_AT.one_of([occurred_at]) & (item_id > ITEM_ID)
        conditions.append((occurred_at > OCCURRED_AT) | is_at_once)
    return all_of(conditions)


def _named(merged: MergedIssue, rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "project_id": merged.project_id,
        "variants": sorted({row["variant_hash"] for row in rows}),
        "item_ids": [str(row["item_id"]) for row in rows],
        "moments": sorted({_moment(utc(row["occurred_at"])) for row in rows}),
        "receipts": sorted({_moment(utc(row["received_at"])) for row in rows}),
    }


def _looks_back(until: datetime, earliest: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Ever longer spans before a moment: most pages are full long before all events are read."""
    from_ = min(until, datetime.now(UTC))
    for length in STRETCHES:
        since = max(from_ - length, earliest)
        if since < until:
            yield since, until
        until = min(until, since)
    if earliest < until:
        yield earliest, until


def event_by_id(warehouse: Warehouse, projects: Sequence[int], event_id: UUID) -> Event | None:
    """The event, if one of these projects has it; else None."""
    row = _row(warehouse, projects, ITEM_ID.one_of([event_id]))
    if row is None:
        return None
    issues = issues_of_variants(warehouse, row["project_id"], [row["variant_hash"]])
    return _event(warehouse, row, issues.get(row["variant_hash"], 0))


def event_of_issue(warehouse: Warehouse, merged: MergedIssue, event_id: UUID) -> Event | None:
    """The event, if the issue has it; else None. An event of another issue with the same id is another
    event."""
    row = _own_row(warehouse, merged, ITEM_ID.one_of([event_id]))
    return _event(warehouse, row, merged.issue_id) if row else None


def _own_row(warehouse: Warehouse, merged: MergedIssue, is_meant: Condition) -> Row | None:
    return _row(warehouse, [merged.project_id], merged.is_own & is_meant)


def _row(warehouse: Warehouse, projects: Sequence[int], is_meant: Condition) -> Row | None:
    statement = sql.query("whole_event").at(is_meant=is_meant)
    rows = warehouse.rows(statement, {"projects": list(projects)})
    return rows[0] if rows else None


def newest_event(warehouse: Warehouse, merged: MergedIssue, counts: IssueCounts) -> Event | None:
    """The latest event that is still kept, of those with a payload if there is any."""
    marks = counts.marks
    # As stored: source maps may come while it is the latest.
    row = warehouse.cached((_newest, merged, marks), lambda: _newest(warehouse, merged, marks))
    return _event(warehouse, row, merged.issue_id) if row else None


def _newest(warehouse: Warehouse, merged: MergedIssue, marks: Marks) -> Row | None:
    """The latest event, found at once from the known last occurrence."""
    is_latest = (marks.last_seen or EPOCH) <= OCCURRED_AT
    for is_meant in (is_latest & HAS_PAYLOAD, (OCCURRED_AT >= EPOCH) & HAS_PAYLOAD, OCCURRED_AT >= EPOCH):
        if row := _own_row(warehouse, merged, is_meant):
            return row
    return None


def most_telling_event(warehouse: Warehouse, merged: MergedIssue, counts: IssueCounts) -> UUID | None:
    """The most detailed of the latest 100 events, by variables, source, request, breadcrumbs, user and
    replay."""
    key = _most_telling, merged, counts.marks
    return warehouse.cached(key, lambda: _most_telling(warehouse, merged))


def _most_telling(warehouse: Warehouse, merged: MergedIssue) -> UUID | None:
    latest = _page(warehouse, merged, TELLING_AMONG, "", EventFilters())
    rows = warehouse.rows(sql.query("most_telling_event"), _named(merged, latest)) if latest else []
    return rows[0]["item_id"] if rows else None


def neighbours_of_event(
    warehouse: Warehouse, merged: MergedIssue, counts: IssueCounts, event: Event
) -> Neighbours:
    """The events before and after one in its issue, as grouped now."""
    key = merged, counts.marks, event.occurred_at, event.event_id
    return warehouse.cached((_nearest, *key), lambda: _nearest(warehouse, *key))


def _nearest(
    warehouse: Warehouse, merged: MergedIssue, marks: Marks, occurred_at: datetime, event_id: UUID
) -> Neighbours:
    first, last = marks.first_seen or EPOCH, marks.last_seen or END
    around = NEAR * (last - first) / max(1, marks.event_count)

    def between(since: datetime, until: datetime) -> Neighbours:
        (row,) = merged.rows(
            warehouse,
            "neighbours_of_event",
            occurred_at=_moment(occurred_at),
            item_id=str(event_id),
            since=_moment(since),
            until=_moment(until),
            outermost=[_moment(first), _moment(last)],
        )
        return typed(Neighbours, row)

    near = between(max(EPOCH, occurred_at - around), min(END, occurred_at + around))
    is_oldest, is_newest = near.oldest == event_id, near.newest == event_id
    if near.oldest and near.newest and (near.older or is_oldest) and (near.newer or is_newest):
        return near
    return between(EPOCH, END)


def _event(warehouse: Warehouse, row: Row, issue_id: int) -> Event:
    payload = msgspec.json.decode(row["payload"])
    (mapped,) = map_events([payload], ProjectUploads(warehouse, row["project_id"]))
    return typed(Event, row, event_id=row["item_id"], issue_id=issue_id, payload=payload, mapped=mapped)


def _moment(moment: datetime) -> str:
    return moment.isoformat(" ", "milliseconds").removesuffix("+00:00")


def _event_row(row: Row) -> EventRow:
    user = User(*(row[name] for name in USER_COLUMNS))
    return typed(EventRow, row, event_id=row["item_id"], user=user)


def _cursor(event: EventRow) -> str:
    return cursor_text((event.occurred_at - EPOCH) // MILLISECOND, event.event_id.hex)


def _before(cursor: str) -> tuple[datetime, UUID]:
    milliseconds, item_id = cursor_values(cursor, 2)
    try:
        return EPOCH + int(milliseconds) * MILLISECOND, UUID(item_id)
    except (ValueError, OverflowError) as error:
        raise unknown_cursor() from error

"""Priorities of issues at the moments an alert may be about."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row
from errata.warehouse.queries.alerts.events import Events, Sighting
from errata.workflow.priority import Facts, Level, priority

MILLISECOND = timedelta(milliseconds=1)
REMEMBERED = timedelta(days=14)
# Two lists of numbers of up to 20 digits, each below 128 KiB.
SIGHTINGS_A_QUESTION = 5_000
COUNTS = ("day_count", "week_count", "user_count", "unhandled_count", "sampled_count")

Place = tuple[int, int]


def levels(events: Events, sightings: Sequence[Sighting]) -> list[Level]:
    """The priority of each sighting: set by a person before it, else computed from events received before
    it."""
    if not sightings:
        return []
    facts = {(row["issue_id"], row["at_ms"]): row for row in _facts(events, sightings)}
    chosen = _chosen(events)
    return [
        priority(
            _read(facts[_place(each)]),
            _held(chosen.get(each.issue_id, ()), each.at),
            each.at,
        ).level
        for each in sightings
    ]


def _facts(events: Events, sightings: Sequence[Sighting]) -> Iterator[Row]:
    # In order of time, so that each question reads only a part of it.
    places = sorted({_place(each) for each in sightings}, key=lambda place: (place[1], place[0]))
    for start in range(0, len(places), SIGHTINGS_A_QUESTION):
        issue_ids, moments = zip(*places[start : start + SIGHTINGS_A_QUESTION], strict=True)
        yield from events.rows(
            "alert_priority_facts",
            issue_ids=list(issue_ids),
            at_ms=list(moments),
            since=EPOCH + min(moments) * MILLISECOND - REMEMBERED,
            until=EPOCH + (max(moments) + 1) * MILLISECOND,
        )


def _place(sighting: Sighting) -> Place:
    return sighting.issue_id, (sighting.at - EPOCH) // MILLISECOND


def _read(row: Row) -> Facts:
    return Facts(row["level"], utc(row["first_seen_at"]), **{name: row[name] for name in COUNTS})


def _chosen(events: Events) -> dict[int, list[tuple[datetime, str]]]:
    rows = events.warehouse.rows(sql.query("alert_priorities"), {"project_id": events.project_id})
    found: dict[int, list[tuple[datetime, str]]] = {}
    for row in rows:
        found.setdefault(row["issue_id"], []).append((utc(row["acted_at"]), row["priority"]))
    return found


def _held(decisions: Sequence[tuple[datetime, str]], at: datetime) -> str:
    """The priority a person had set by then, or empty."""
    return next((chosen for acted_at, chosen in reversed(decisions) if acted_at <= at), "")

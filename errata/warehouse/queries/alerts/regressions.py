"""Regressions recorded in a span."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row
from errata.warehouse.queries.alerts.events import LONGEST_LIST, Events, Sighting

RECORDED_REGRESSIONS = "recorded_regressions"

MILLISECOND = timedelta(milliseconds=1)


def regressions(events: Events, since: datetime, until: datetime) -> list[Sighting]:
    """Regressions of issues with a matching event between the resolution and its end."""
    scope = {"project_id": events.project_id, "since": since, "until": until}
    recorded = events.warehouse.rows(sql.query(RECORDED_REGRESSIONS), scope)
    return [
        Sighting(row["issue_id"], utc(row["regressed_at"]), values[row["issue_id"]], row["resolution_id"].hex)
        for portion in _portions(recorded)
        for values in [_values(events, portion, until)]
        for row in portion
        if row["issue_id"] in values
    ]


def _portions(recorded: Sequence[Row]) -> Iterator[list[Row]]:
    """Groups for one question, with one regression an issue."""
    rounds: list[list[Row]] = []
    times: dict[int, int] = {}
    for row in sorted(recorded, key=lambda row: (row["regressed_at"], row["issue_id"])):
        number = times[row["issue_id"]] = times.get(row["issue_id"], -1) + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(row)
    for each in rounds:
        for start in range(0, len(each), LONGEST_LIST):
            yield each[start : start + LONGEST_LIST]


def _values(events: Events, portion: Sequence[Row], until: datetime) -> dict[int, int]:
    rows = events.rows(
        "alert_regressions",
        until=until,
        issue_ids=[row["issue_id"] for row in portion],
        resolved_ms=[_milliseconds(row["resolved_at"]) for row in portion],
        regressed_ms=[_milliseconds(row["regressed_at"]) for row in portion],
    )
    return {row["issue_id"]: row["value"] for row in rows}


def _milliseconds(moment: datetime) -> int:
    return (utc(moment) - EPOCH) // MILLISECOND

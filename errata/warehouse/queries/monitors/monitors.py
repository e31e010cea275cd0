"""The monitors of a project with the states of their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.monitors.config import MonitorConfig, stored_config
from errata.monitors.history import INACTIVE_AFTER, RECENT_RUNS, History, history_of
from errata.monitors.reception import Reception
from errata.monitors.run import Run
from errata.monitors.runs import StoredStatus, sent_runs
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.monitors.delivered import Delivered, delivered_by
from errata.warehouse.typed_rows import typed

CHECK_INS = "check_ins_of_monitors"
LONGEST_BACK = timedelta(days=400)
MOST_MONITORS = 500
# Each in a few environments.
MOST_LISTED = 2_000
Key = tuple[str, str]


@dataclass(frozen=True)
class Depth:
    """How much of a history is read: the latest statuses of a monitor and environment, no longer ago than
    runs of the schedule. If more came before, of the first `lead` runs only the hosts count."""

    statuses: int
    runs_back: int
    lead: int = 0


# A run has two statuses. Twice the runs of a history, for those that were begun outside of the schedule.
WHOLE = Depth(statuses=200, runs_back=200)
LATEST = Depth(statuses=40, runs_back=40, lead=RECENT_RUNS)


@dataclass(frozen=True)
class Monitor:
    """A scheduled job in one environment. `config`: None if none was ever sent."""

    slug: str
    environment: str
    config: MonitorConfig | None
    last_at: datetime
    history: History

    @property
    def key(self) -> Key:
        return self.slug, self.environment

    @property
    def last_run(self) -> Run:
        return self.history.runs[-1]


def monitors_of_project(
    warehouse: Warehouse, project_id: int, now: datetime, reception: Reception, slugs: Sequence[str] = ()
) -> Sequence[Monitor]:
    """By their names, with about their latest 100 runs; all, or the environments of some."""
    return _monitors(warehouse, project_id, now, reception, slugs, WHOLE)


def slugs_of_project(warehouse: Warehouse, project_id: int) -> list[str]:
    """The names of its monitors, of too many the latest."""
    asked = {"project_id": project_id, "limit": MOST_MONITORS}
    return [row["monitor_slug"] for row in warehouse.rows(sql.query("slugs_of_monitors"), asked)]


def current_monitors(
    warehouse: Warehouse, project_id: int, now: datetime, reception: Reception, slugs: Sequence[str] = ()
) -> Sequence[Monitor]:
    """The same with only as many runs as their states need."""
    found = _monitors(warehouse, project_id, now, reception, slugs, LATEST)
    others = sorted({one.slug for one in found if not one.history.is_settled})
    if not others:
        return found
    whole = {one.key: one for one in monitors_of_project(warehouse, project_id, now, reception, others)}
    return [whole.get(one.key, one) for one in found]


def _monitors(
    warehouse: Warehouse,
    project_id: int,
    now: datetime,
    reception: Reception,
    slugs: Sequence[str],
    depth: Depth,
) -> Sequence[Monitor]:
    heads = warehouse.rows(
        sql.query("monitors_of_project"),
        {"project_id": project_id, "slugs": list(slugs), "limit": MOST_LISTED},
    )
    if not heads:
        return []
    statuses = _statuses(warehouse, project_id, heads, depth)
    hosts = {one.host for found in statuses.values() for one in found}
    delivered = delivered_by(warehouse, [project_id, *reception.project_ids], hosts, now)
    return [
        _monitor(head, statuses[_key(head)], delivered, now, reception, depth)
        for head in heads
        if _key(head) in statuses
    ]


def _monitor(
    head: Row,
    statuses: Sequence[StoredStatus],
    delivered: Delivered,
    now: datetime,
    reception: Reception,
    depth: Depth,
) -> Monitor:
    config = stored_config(head["config"])
    is_whole = min(one.occurred_at for one in statuses) <= utc(head["first_at"])
    history = history_of(
        sent_runs(statuses, config),
        delivered.known_through,
        now,
        reception.absences,
        is_whole=is_whole,
        lead=0 if is_whole else depth.lead,
    )
    return typed(Monitor, head, slug=head["monitor_slug"], config=config, history=history)


def _statuses(
    warehouse: Warehouse, project_id: int, heads: Sequence[Row], depth: Depth
) -> Mapping[Key, Sequence[StoredStatus]]:
    since: dict[str, int] = {}
    for head in heads:
        at = int(_since(head, depth.runs_back).timestamp())
        since[head["monitor_slug"]] = min(at, since.get(head["monitor_slug"], at))
    asked = {
        "project_id": project_id,
        "slugs": list(since),
        "sinces": list(since.values()),
        "limit": depth.statuses,
    }
    found: dict[Key, list[StoredStatus]] = {}
    for row in warehouse.rows(sql.query(CHECK_INS), asked):
        status = typed(StoredStatus, row, check_in_id=row["check_in_id"])
        found.setdefault(_key(row), []).append(status)
    return found


def _since(head: Row, runs_back: int) -> datetime:
    """The first moment of a monitor's history, by the length of its schedule."""
    last_at = utc(head["last_at"])
    config = stored_config(head["config"])
    first = config.schedule.after(last_at) if config else None
    second = config.schedule.after(first) if config and first else None
    back = (second - first) * runs_back if first and second else INACTIVE_AFTER
    return last_at - min(LONGEST_BACK, max(back, timedelta(hours=1)))


def _key(row: Row) -> Key:
    return row["monitor_slug"], row["environment"]

"""The monitors of a project with the states of their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.monitors.config import MonitorConfig, stored_config
from errata.monitors.history import INACTIVE_AFTER, History, Run, Span, history_of
from errata.monitors.runs import StoredStatus, sent_runs
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.monitors.delivered import Delivered, delivered_by
from errata.warehouse.typed_rows import typed

# Statuses of a monitor and environment that its history is made of: a run has two.
MOST_STATUSES = 200
# Twice the runs of a history, for those that were begun outside of the schedule.
RUNS_BACK = 200
LONGEST_BACK = timedelta(days=400)
MOST_MONITORS = 2_000


@dataclass(frozen=True)
class Monitor:
    """A scheduled job in one environment. `config`: None if none was ever sent."""

    slug: str
    environment: str
    config: MonitorConfig | None
    last_at: datetime
    history: History

    @property
    def last_run(self) -> Run:
        return self.history.runs[-1]


def monitors_of_project(
    warehouse: Warehouse, project_id: int, now: datetime, absences: Sequence[Span], slug: str = ""
) -> Sequence[Monitor]:
    """By their names; all, or the environments of one. `absences`: when the service was away."""
    heads = warehouse.rows(
        sql.query("monitors_of_project"),
        {"project_id": project_id, "monitor_slug": slug, "limit": MOST_MONITORS},
    )
    if not heads:
        return []
    statuses = _statuses(warehouse, project_id, heads)
    hosts = {one.host for found in statuses.values() for one in found}
    delivered = delivered_by(warehouse, project_id, hosts, now)
    return [
        _monitor(head, statuses[_key(head)], delivered, now, absences)
        for head in heads
        if _key(head) in statuses
    ]


def _monitor(
    head: Row,
    statuses: Sequence[StoredStatus],
    delivered: Delivered,
    now: datetime,
    absences: Sequence[Span],
) -> Monitor:
    config = stored_config(head["config"])
    runs = sent_runs(statuses, config)
    history = history_of(runs, delivered.known_through, now, absences)
    return typed(Monitor, head, slug=head["monitor_slug"], config=config, history=history)


def _statuses(
    warehouse: Warehouse, project_id: int, heads: Sequence[Row]
) -> Mapping[tuple[str, str], Sequence[StoredStatus]]:
    since: dict[str, int] = {}
    for head in heads:
        at = int(_since(head).timestamp())
        since[head["monitor_slug"]] = min(at, since.get(head["monitor_slug"], at))
    asked = {
        "project_id": project_id,
        "slugs": list(since),
        "sinces": list(since.values()),
        "limit": MOST_STATUSES,
    }
    found: dict[tuple[str, str], list[StoredStatus]] = {}
    for row in warehouse.rows(sql.query("check_ins_of_monitors"), asked):
        status = typed(StoredStatus, row, check_in_id=row["check_in_id"])
        found.setdefault(_key(row), []).append(status)
    return found


def _since(head: Row) -> datetime:
    """The first moment of a monitor's history, by the length of its schedule."""
    last_at = utc(head["last_at"])
    config = stored_config(head["config"])
    first = config.schedule.after(last_at) if config else None
    second = config.schedule.after(first) if config and first else None
    step = second - first if first and second else INACTIVE_AFTER / RUNS_BACK
    return last_at - min(LONGEST_BACK, max(step * RUNS_BACK, timedelta(hours=1)))


def _key(row: Row) -> tuple[str, str]:
    return row["monitor_slug"], row["environment"]

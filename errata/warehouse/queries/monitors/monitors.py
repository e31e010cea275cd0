"""The monitors of a project with the states of their runs, by what check-ins sent and what is declared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.monitors.config import MonitorConfig, stored_config
from errata.monitors.declaration import Declaration, Key, current_declaration
from errata.monitors.history import INACTIVE_AFTER, RECENT_RUNS, History, history_of
from errata.monitors.reception import Reception
from errata.monitors.run import Run
from errata.monitors.runs import StoredStatus, sent_runs, with_declarations
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.monitors.delivered import Delivered, delivered_by
from errata.warehouse.typed_rows import typed

CHECK_INS = "check_ins_of_monitors"
LONGEST_BACK = timedelta(days=400)
MOST_MONITORS = 500
# Each in a few environments.
MOST_LISTED = 2_000


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
    """A scheduled job in one environment. `config`: None if none is declared, nor was ever sent.
    `declared_at`: since when it is declared; None: it isn't."""

    slug: str
    environment: str
    config: MonitorConfig | None
    history: History
    declared_at: datetime | None = None

    @property
    def key(self) -> Key:
        return self.slug, self.environment

    @property
    def last_run(self) -> Run | None:
        """None: it is declared, and no run was expected yet."""
        return self.history.runs[-1] if self.history.runs else None


def monitors_of_project(
    warehouse: Warehouse, project_id: int, now: datetime, reception: Reception, slugs: Sequence[str] = ()
) -> Sequence[Monitor]:
    """By their names, with about their latest 100 runs; all, or the environments of some."""
    return _monitors(warehouse, project_id, now, reception, slugs, WHOLE)


def slugs_of_project(warehouse: Warehouse, project_id: int, declared: Iterable[str]) -> list[str]:
    """The names of its monitors: all that are `declared`, and those of check-ins, of too many the latest."""
    asked = {"project_id": project_id, "limit": MOST_MONITORS}
    sent = [row["monitor_slug"] for row in warehouse.rows(sql.query("slugs_of_monitors"), asked)]
    return list(dict.fromkeys([*declared, *sent]))


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
    known = {_key(head): Known.of(head, reception) for head in heads}
    for key, declarations in reception.declarations.items():
        if key not in known and current_declaration(declarations) and (not slugs or key[0] in slugs):
            known[key] = Known(key, declarations)
    statuses = _statuses(warehouse, project_id, known.values(), depth)
    hosts = {one.host for found in statuses.values() for one in found}
    delivered = delivered_by(warehouse, [project_id, *reception.project_ids], hosts, now)
    return [
        one.monitor(statuses.get(key, []), delivered, now, reception, depth)
        for key, one in sorted(known.items())
        if key in statuses or one.first_at is None
    ]


@dataclass(frozen=True)
class Known:
    """What is known of a monitor before its runs are read. `sent`: the newest configuration that was sent.
    `first_at`, `last_at`: of its check-ins; None: it has none, and is declared."""

    key: Key
    declarations: Sequence[Declaration] = ()
    sent: MonitorConfig | None = None
    first_at: datetime | None = None
    last_at: datetime | None = None

    @classmethod
    def of(cls, head: Row, reception: Reception) -> "Known":
        key = _key(head)
        declarations = reception.declarations.get(key, ())
        return cls(
            *(key, declarations, stored_config(head["config"])),
            utc(head["first_at"]),
            utc(head["last_at"]),
        )

    def monitor(
        self,
        statuses: Sequence[StoredStatus],
        delivered: Delivered,
        now: datetime,
        reception: Reception,
        depth: Depth,
    ) -> Monitor:
        is_whole = self.first_at is None or min(one.occurred_at for one in statuses) <= self.first_at
        history = history_of(
            with_declarations(sent_runs(statuses, self.sent), self.declarations, now, is_whole=is_whole),
            delivered.known_through,
            now,
            reception.absences,
            is_whole=is_whole,
            lead=0 if is_whole else depth.lead,
        )
        declared = current_declaration(self.declarations)
        config, since = (declared.config, declared.since) if declared else (self.sent, None)
        return Monitor(*self.key, config, history, since)

    def since(self, runs_back: int) -> datetime | None:
        """The first moment of its history, by the length of its schedule: the longer one, if what is declared
        isn't what was sent. None: it has no check-ins."""
        if self.last_at is None:
            return None
        declared = current_declaration(self.declarations)
        configs = [self.sent, declared.config] if declared else [self.sent]
        back = max(_length(config, self.last_at, runs_back) for config in configs)
        return self.last_at - min(LONGEST_BACK, max(back, timedelta(hours=1)))


def _length(config: MonitorConfig | None, last_at: datetime, runs: int) -> timedelta:
    first = config.schedule.after(last_at) if config else None
    second = config.schedule.after(first) if config and first else None
    return (second - first) * runs if first and second else INACTIVE_AFTER


def _statuses(
    warehouse: Warehouse, project_id: int, known: Iterable[Known], depth: Depth
) -> Mapping[Key, Sequence[StoredStatus]]:
    sinces: dict[str, int] = {}
    for one in known:
        since, slug = one.since(depth.runs_back), one.key[0]
        if since is not None:
            at = int(since.timestamp())
            sinces[slug] = min(at, sinces.get(slug, at))
    if not sinces:
        return {}
    asked = {
        "project_id": project_id,
        "slugs": list(sinces),
        "sinces": list(sinces.values()),
        "limit": depth.statuses,
    }
    found: dict[Key, list[StoredStatus]] = {}
    for row in warehouse.rows(sql.query(CHECK_INS), asked):
        status = typed(StoredStatus, row, check_in_id=row["check_in_id"])
        found.setdefault(_key(row), []).append(status)
    return found


def _key(row: Row) -> Key:
    return row["monitor_slug"], row["environment"]

"""What rules of alerts fire for, by when events were received."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from string import Template
from typing import Any

from errata.errors import InvalidParameter
from errata.search import parse
from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.conditions import all_of
from errata.warehouse.queries.known_releases import known_releases
from errata.warehouse.queries.search_meaning import Asking, Meaning

TICK = timedelta(seconds=30)
TICK_MS = 30_000
# The warehouse refuses a parameter of more than 128 KiB.
LONGEST_LIST = 2_000
# Two days less than raw rows are kept.
KEPT_DAYS = 88


@dataclass(frozen=True)
class EventFilter:
    """The events of a project that a rule looks at."""

    project_id: int
    condition: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, warehouse: Warehouse, project_id: int, query: str, now: datetime) -> "EventFilter":
        """Raises SearchError, and InvalidParameter for a term that is about issues rather than events."""
        asking = Asking(now, "", lambda: known_releases(warehouse, project_id))
        return cls._meant(project_id, Meaning.of(parse(query), asking))

    @classmethod
    def check(cls, query: str) -> None:
        """The same errors, before there is anything to ask."""
        cls._meant(0, Meaning.of(parse(query), Asking(datetime.now(UTC))))

    @classmethod
    def _meant(cls, project_id: int, meaning: Meaning) -> "EventFilter":
        pieces = meaning.pieces
        if pieces["issue_condition"] != all_of([]):
            raise InvalidParameter(
                "query",
                "an alert looks at events: terms such as is:, title: and plain words are about issues",
            )
        condition = all_of([pieces["event_condition"], pieces["count_condition"]])
        parameters = {name: value for name, value in meaning.parameters.items() if name != "reads_events"}
        return cls(project_id, condition, parameters)

    def rows(self, warehouse: Warehouse, question: str, **parameters: Any) -> list[Row]:
        statement = Template(sql.query(question)).substitute(event_condition=self.condition)
        return warehouse.rows(statement, {"project_id": self.project_id, **self.parameters, **parameters})


@dataclass(frozen=True)
class Sighting:
    """Something an alert may be about; `issue_id` 0: all issues together."""

    issue_id: int
    at: datetime
    value: int
    episode: str


def warehouse_now(warehouse: Warehouse) -> datetime:
    return aware(warehouse.rows(sql.query("warehouse_now"))[0]["now"])


def tick_of(moment: datetime) -> int:
    return int(moment.timestamp() * 1000) // TICK_MS


def moment_of(tick: int) -> datetime:
    return datetime.fromtimestamp(tick * TICK_MS / 1000, UTC)


def new_issues(warehouse: Warehouse, events: EventFilter, since: datetime, until: datetime) -> list[Sighting]:
    rows = events.rows(warehouse, "alert_new_issues", since=since, until=until, kept_days=KEPT_DAYS)
    return [Sighting(row["issue_id"], aware(row["at"]), row["value"], "new") for row in rows]


def regressions(
    warehouse: Warehouse, events: EventFilter, since: datetime, until: datetime
) -> list[Sighting]:
    rows = events.rows(warehouse, "alert_regressions", since=since, until=until)
    return [Sighting(row["issue_id"], aware(row["at"]), row["value"], row["action_id"].hex) for row in rows]


def crossings(
    warehouse: Warehouse,
    events: EventFilter,
    since: datetime,
    until: datetime,
    *,
    of_users: bool,
    over: int,
    window: timedelta,
    by_issue: bool,
) -> list[Sighting]:
    """When a window of ticks came to hold more than `over`; a window that already did is none."""
    first_tick, window_ticks = tick_of(since), window // TICK
    rows = events.rows(
        warehouse,
        "alert_users_crossings" if of_users else "alert_events_crossings",
        read_since=moment_of(first_tick - window_ticks - 1),
        until=until,
        over=over,
        window_ticks=window_ticks,
        tick_ms=TICK_MS,
        first_tick=first_tick,
        by_issue=by_issue,
    )
    return [Sighting(row["issue_id"], moment_of(row["tick"]), row["value"], str(row["tick"])) for row in rows]


def escalations(
    warehouse: Warehouse,
    events: EventFilter,
    since: datetime,
    until: datetime,
    limit_of: Callable[[Sequence[int]], int | None],
    history_hours: int,
    least: int,
) -> list[Sighting]:
    """Hours of an issue with more events than `limit_of` its history, the hours from its first one on."""
    first_hour = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    rows = events.rows(
        warehouse,
        "alert_busy_hours",
        read_since=first_hour - timedelta(hours=history_hours),
        since=first_hour,
        until=until,
        least=least,
    )
    passed = [
        (row["issue_id"], hour, limit)
        for row in rows
        for hour, limit in _hours_over(
            row, int(first_hour.timestamp()) // 3600, limit_of, history_hours, least
        )
    ]
    if not passed:
        return []
    times: list[Row] = []
    for start in range(0, len(passed), LONGEST_LIST):
        issues, hours, limits = zip(*passed[start : start + LONGEST_LIST], strict=True)
        times += events.rows(
            warehouse,
            "alert_passings",
            since=first_hour,
            until=until,
            issues=list(issues),
            hours=list(hours),
            limits=list(limits),
        )
    return [
        Sighting(row["issue_id"], aware(row["at"]), row["value"], str(row["hour"]))
        for row in times
        if aware(row["at"]) >= since
    ]


def _hours_over(
    row: Row,
    first_hour: int,
    limit_of: Callable[[Sequence[int]], int | None],
    history_hours: int,
    least: int,
) -> list[tuple[int, int]]:
    counts: dict[int, int] = dict(zip(row["hours"], row["event_counts"], strict=True))
    oldest = min(counts)
    found = []
    for hour, count in counts.items():
        if hour < first_hour or count <= least:
            continue
        history = [counts.get(before, 0) for before in range(max(oldest, hour - history_hours), hour)]
        limit = limit_of(history)
        if limit is not None and count > limit:
            found.append((hour, limit))
    return found


def mutes(warehouse: Warehouse, project_id: int) -> dict[int, list[tuple[datetime, datetime]]]:
    rows = warehouse.rows(sql.query("alert_mutes"), {"project_id": project_id})
    found: dict[int, list[tuple[datetime, datetime]]] = {}
    for row in rows:
        found.setdefault(row["issue_id"], []).append((aware(row["muted_at"]), aware(row["muted_until"])))
    return found


def issue_titles(warehouse: Warehouse, project_id: int, issues: Sequence[int]) -> dict[int, tuple[str, str]]:
    statement, titles = sql.query("alert_issues"), dict[int, tuple[str, str]]()
    for start in range(0, len(issues), LONGEST_LIST):
        asked = {"project_id": project_id, "issues": list(issues[start : start + LONGEST_LIST])}
        titles |= {
            row["issue_id"]: (row["title"], row["culprit"]) for row in warehouse.rows(statement, asked)
        }
    return titles

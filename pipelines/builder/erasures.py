"""Erasures in the marts: windows of erased rows are rebuilt, then the files on the disk are checked."""

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from uuid import UUID

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.row_policies import tables_of_projects
from pipelines.builder.build import NotBuilt, build, leased
from pipelines.builder.lease import Pace
from pipelines.builder.mart import Mart, Partition
from pipelines.marts.registry import MARTS

log = logging.getLogger("errata.builds")

PAGE_TABLES = ("errata_raw.page_views", "errata_raw.page_resources")
# The later parts of a page view belong to the window of its load, at most two days before them.
BEFORE_PARTS = timedelta(days=2)
# As long as a statement may read a replaced version.
NEEDED_FOR = timedelta(minutes=10)
# By table the column of erased variants, or of erased issues: what no build makes again.
OF_VARIANTS = {
    **dict.fromkeys(
        ("variant_hourly", "repeated_events", "variant_daily", "variant_totals", "variant_releases"),
        "has({chosen:Array(UInt64)}, variant_hash)",
    ),
    "regrouping_proposals": "has({chosen:Array(UInt64)}, variant_hash)",
}
OF_ISSUES = {
    "similar_issues": "has({chosen:Array(UInt64)}, issue_id) or has({chosen:Array(UInt64)}, other_issue_id)",
}


@dataclass(frozen=True)
class ErasureToRebuild:
    """`rebuilt_at`: 1970 until the marts are rebuilt; `waiting`: those to rebuild again, since windows of the
    project were set aside and keep erased rows."""

    project_id: int
    erasure_id: UUID
    kind: str
    variants: Sequence[int]
    issues: Sequence[int]
    rebuilt_at: datetime
    waiting: Sequence[str]


def carry_out_erasures(
    warehouse: Warehouse,
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
    needed_for: timedelta = NEEDED_FOR,
) -> Iterator[str]:
    """Rebuilds the marts of erasures whose raw rows are gone, and checks files; yields a line for each.

    Can be killed at any moment: what is not recorded is done again. Raises LeaseHeld if another build of a
    mart outlasts the wait.
    """
    for erasure in to_rebuild(warehouse):
        work = _Work(warehouse, erasure, pace or Pace(), bound, needed_for)
        if waits := work.waits():
            yield waits
        elif erasure.rebuilt_at == EPOCH or erasure.waiting:
            yield work.rebuild()
        else:
            yield work.verify()


def is_due(warehouse: Warehouse) -> bool:
    """Whether an erasure has marts to rebuild that wait for nothing, or files that can be gone by now."""
    waiting = to_rebuild(warehouse)
    if not waiting:
        return False
    now = warehouse_now(warehouse)
    return any(
        not _Work(warehouse, one).waits() if one.waiting else one.rebuilt_at + NEEDED_FOR <= now
        for one in waiting
    )


def to_rebuild(warehouse: Warehouse) -> list[ErasureToRebuild]:
    return [
        ErasureToRebuild(
            row["project_id"],
            row["erasure_id"],
            row["kind"],
            row["variants"],
            row["issues"],
            utc(row["rebuilt_at"]),
            row["waiting"],
        )
        for row in warehouse.rows(sql.build_statement("erasures_to_rebuild"))
    ]


@dataclass
class Rebuilt:
    """A mart rebuilt by the build of this number, and the windows set aside that it still counts."""

    window_count: int = 0
    number: int = 0
    set_aside_count: int = 0


@dataclass(frozen=True)
class _Work:
    warehouse: Warehouse
    erasure: ErasureToRebuild
    pace: Pace = field(default_factory=Pace)
    bound: Bound = BUILDS_BOUND
    needed_for: timedelta = NEEDED_FOR

    def waits(self) -> str:
        """The windows that it waits for; empty: none. Builds retry what is set aside."""
        named = {mart: days for mart, days in self._days().items() if mart.name in self.erasure.waiting}
        left = [f"{count} of {name}" for name, count in self._set_aside(named).items()]
        return f"{self._said}waiting for windows that failed to build: {', '.join(left)}" if left else ""

    def rebuild(self) -> str:
        self._erase_chosen()
        self._erase_old_items()
        counts: dict[str, Rebuilt] = {}
        if self.erasure.kind == "project":
            for mart in MARTS:
                with leased(self.warehouse, mart, self.pace, self.bound):
                    self._erase(mart.table, "true")
            made_by_sql = {mart.table for mart in MARTS}
            for table in tables_of_projects():
                if table.startswith("errata_mart.") and table not in made_by_sql:
                    self._erase(table, "true")
            counts = {mart.name: Rebuilt() for mart in MARTS}
        else:
            for mart, days in self._days().items():
                if self.erasure.waiting and mart.name not in self.erasure.waiting:
                    continue
                counts[mart.name] = self._rebuilt(mart, days)
                # What keeps erased rows keeps them in the marts made of it.
                sources = [name for name in (mart.source, *mart.beside) if name in counts]
                counts[mart.name].set_aside_count += sum(counts[name].set_aside_count for name in sources)
            # Something is always recorded, so that files are checked next.
            counts = counts or {"none": Rebuilt()}
        self._record(counts)
        windows = sum(one.window_count for one in counts.values())
        return f"{self._said}{windows} windows of {len(counts)} marts rebuilt"

    def _rebuilt(self, mart: Mart, days: Collection[date]) -> Rebuilt:
        try:
            report = build(self.warehouse, mart, self.pace, self.bound, days=days)
        except NotBuilt:
            return Rebuilt()
        left = self._set_aside({mart: days}).get(mart.name, 0)
        return Rebuilt(len(report.windows), self._number(mart), left)

    def _set_aside(self, days: Mapping[Mart, Collection[date]]) -> Mapping[str, int]:
        """By mart the windows set aside of these days, which keep rows as they were before the erasure."""
        of_marts = {mart.name: (mart, of_mart) for mart, of_mart in days.items()}
        found = Counter[str]()
        for one in standing(self.warehouse, *of_marts) if of_marts else ():
            mart, of_mart = of_marts[one.mart]
            if one.project_id == self.erasure.project_id and mart.partition_day(one.window) in of_mart:
                found[one.mart] += 1
        return found

    @property
    def _said(self) -> str:
        return f"erasure {self.erasure.erasure_id}: "

    def verify(self) -> str:
        """Records that the files are gone, once they are."""
        said = self._said
        numbers = {
            row["mart"]: row["number"]
            for row in self.warehouse.rows(
                sql.build_statement("rebuilds_of_erasure"), {"erasure_id": self.erasure.erasure_id}
            )
        }
        if warehouse_now(self.warehouse) < self.erasure.rebuilt_at + self.needed_for:
            return said + "replaced versions are still needed"
        for mart, days in self._days().items():
            if self._replaced(mart, days, numbers):
                # Whoever takes the lease drops what is not needed any more.
                with leased(self.warehouse, mart, self.pace, self.bound):
                    pass
        (row,) = self.warehouse.rows(
            sql.build_statement("files_of_before"), {"until": self.erasure.rebuilt_at + timedelta(seconds=1)}
        )
        if row["detached_count"]:
            log.warning("%d detached parts may hold erased rows: drop them", row["detached_count"])
        left = row["inactive_count"] + row["detached_count"] + row["dropped_count"]
        left += sum(self._replaced(mart, days, numbers) for mart, days in self._days().items())
        if left:
            return said + f"{left} replaced files are still on the disk"
        self._record({"": Rebuilt()})
        return said + "no file contains its rows anymore"

    def _replaced(self, mart: Mart, days: Collection[date], numbers: Mapping[str, int]) -> int:
        if mart.name not in numbers:
            return 0
        named = [] if mart.partition is Partition.SNAPSHOT else [f"{day:%Y%m%d}" for day in days]
        (row,) = self.warehouse.rows(
            sql.build_statement("replaced_parts"),
            {"mart": mart.name, "number": numbers[mart.name], "days": named},
        )
        return int(row["part_count"])

    def _erase_chosen(self) -> None:
        for chosen, tables in ((self.erasure.variants, OF_VARIANTS), (self.erasure.issues, OF_ISSUES)):
            if not chosen:
                continue
            for name, condition in tables.items():
                with ExitStack() as stack:
                    for mart in MARTS:
                        if mart.name == name:
                            stack.enter_context(leased(self.warehouse, mart, self.pace, self.bound))
                    self._erase(f"errata_mart.{name}", condition, chosen)

    def _erase_old_items(self) -> None:
        """Rows of single events and page loads of days that no build can compute again."""
        by_table = self._days_by_table()
        for mart in (one for one in MARTS if one.table in by_table):
            statement = sql.build_statement("erase_items_from_mart").at(table=mart.table)
            with leased(self.warehouse, mart, self.pace, self.bound):
                self.warehouse.execute(statement, self._of)

    def _erase(self, table: str, condition: str, chosen: Sequence[int] = ()) -> None:
        self.warehouse.execute(
            sql.build_statement("erase_from_mart").at(table=table, condition=condition),
            {"project_id": self.erasure.project_id, "chosen": list(chosen)},
        )

    def _days(self) -> dict[Mart, Collection[date]]:
        """The days of each mart to rebuild, in the order of builds."""
        by_table = self._days_by_table()
        of_pages = {
            day - timedelta(days=count)
            for table in PAGE_TABLES
            for day in by_table.get(table, ())
            for count in range(BEFORE_PARTS.days + 1)
        }
        found: dict[Mart, Collection[date]] = {}
        for mart in MARTS:
            raw = _raw_of(mart)
            days = of_pages if raw in PAGE_TABLES else by_table.get(raw, set())
            # Events went with variants: what nobody counts any more is left out of totals too.
            if not days and not (self.erasure.variants and raw == "errata_raw.error_events"):
                continue
            if mart.partition is Partition.SNAPSHOT:
                found[mart] = {EPOCH.date()}
            elif mart.window == timedelta(days=7):
                found[mart] = {day - timedelta(days=day.weekday()) for day in days}
            else:
                found[mart] = days
        return found

    @property
    def _of(self) -> dict[str, object]:
        return {"project_id": self.erasure.project_id, "erasure_id": self.erasure.erasure_id}

    def _days_by_table(self) -> dict[str, set[date]]:
        rows = self.warehouse.rows(sql.build_statement("days_of_erasure"), self._of)
        return {row["source"]: set(row["days"]) for row in rows}

    def _number(self, mart: Mart) -> int:
        (row,) = self.warehouse.rows(sql.build_statement("last_build_number"), {"mart": mart.name})
        return int(row["number"])

    def _record(self, counts: Mapping[str, Rebuilt]) -> None:
        self.warehouse.execute(
            sql.build_statement("record_erased_marts"),
            {
                "erasure_id": self.erasure.erasure_id,
                "marts": list(counts),
                "window_counts": [one.window_count for one in counts.values()],
                "numbers": [one.number for one in counts.values()],
                "set_aside_counts": [one.set_aside_count for one in counts.values()],
            },
        )


def _raw_of(mart: Mart) -> str:
    """The raw table that a mart counts, through its sources."""
    while mart.source:
        mart = next(one for one in MARTS if one.name == mart.source)
    return mart.raw

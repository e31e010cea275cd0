"""Data checks of a built mart: sums, gaps, order of percentiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.python_marts import check_of
from errata.warehouse.queries.delivery.set_aside import SetAside, standing
from errata.warehouse.statement import Statement
from pipelines.builder.attempt import Attempt
from pipelines.builder.build_log import BuildLog
from pipelines.builder.expired import expired_rows
from pipelines.builder.mart import Mart, Partition
from pipelines.builder.raw_rows import raw_rows
from pipelines.builder.scope import Scope, recounted_inputs

SPAN = timedelta(days=1)
MOST_PARTITIONS = 7


@dataclass(frozen=True)
class Sum:
    partition: datetime
    built_count: int
    expected_count: int

    def __str__(self) -> str:
        return f"{self.partition:%Y-%m-%d}: {self.built_count} built, {self.expected_count} expected"


@dataclass(frozen=True)
class DataChecks:
    warehouse: Warehouse
    mart: Mart

    def sums(self) -> list[Sum]:
        """The recount of the partitions built in the day before the watermark, newest first."""
        until = self._build_log.watermark(self.mart.name)
        partitions = self.warehouse.rows(
            self._statement("partitions_of_mart"), {"since": until - SPAN, "limit": MOST_PARTITIONS}
        )
        return [self._sum(utc(row["start"]), utc(row["built_through"])) for row in partitions]

    def _sum(self, start: datetime, built_through: datetime) -> Sum:
        return self._sum_of(self.mart.windows_of(start.date()), built_through)

    def _sum_of(self, windows: Sequence[datetime], built_through: datetime) -> Sum:
        arrivals = self._build_log.arrivals(windows) if self.mart.raw else []
        first = min((window.first_received_at for window in arrivals), default=built_through)
        parameters = {
            **raw_rows(windows, self.mart.window, arrivals, first, built_through),
            "watermark": built_through,
        }
        # Rows set aside have a check of their own and are left out here.
        known = {one.project_id for one in self._set_aside if one.window in windows}
        # So are projects whose raw rows may be gone: the mart keeps what was counted while they were there.
        expired = expired_rows(Attempt(self.warehouse, self.mart), self.mart.raw)
        known |= {project_id for start in windows for project_id in expired.projects(start)}
        tables = [self.mart.table, *recounted_inputs(self.mart)]
        scope = Scope(excluded=frozenset(known)).conditions(tables)
        attempt = Attempt(self.warehouse, self.mart)
        rows = attempt.rows(sql.check(self.mart.name), parameters, scope=scope)
        return Sum(
            windows[0], sum(row["built_count"] for row in rows), sum(row["expected_count"] for row in rows)
        )

    def missing_windows(self) -> Sequence[datetime]:
        """Windows with rows received in the day before the watermark that the mart lacks. Windows that wait
        for a later build, and windows whose recount finds nothing that counts, are left out."""
        until = self._build_log.watermark(self.mart.name)
        # For a mart built from another one: rows of the source built after this mart.
        since = until if self.mart.source else until - SPAN
        span = {"since": since, "until": until, "oldest": self.mart.oldest_window(until), "is_patient": True}
        due = [utc(row["window_start"]) for row in self.warehouse.rows(sql.query(self.mart.dirty), span)]
        if self.mart.source or not due:
            return due
        held = self.warehouse.rows(self._statement("windows_of_mart"), {"windows": due})
        waiting = {one.start for one in self._build_log.waiting(self.mart.name)}
        waiting |= {one.window for one in self._set_aside}
        missing = sorted(set(due) - {utc(row["start"]) for row in held} - waiting)
        # A window with nothing but copies of another window's items has no rows.
        return missing if missing and self._sum_of(missing, until).expected_count else []

    def disordered_percentiles(self) -> int:
        statement = sql.check(f"{self.mart.name}_percentiles_ordered")
        return int(self.warehouse.rows(statement)[0]["wrong_count"])

    @property
    def _set_aside(self) -> Sequence[SetAside]:
        return standing(self.warehouse, self.mart.name)

    @property
    def _build_log(self) -> BuildLog:
        return BuildLog(Attempt(self.warehouse, self.mart))

    def _statement(self, name: str) -> Statement:
        is_snapshot = self.mart.partition is Partition.SNAPSHOT
        return sql.build_statement(name).at(
            mart=self.mart.name, column="toDateTime(0, 'UTC')" if is_snapshot else self.mart.column
        )


def wrong_rows(warehouse: Warehouse, table: str) -> int:
    """The count of impossible and missing rows in a table that Python makes, by its check."""
    (statement,) = sql.parse(check_of(table)).statements
    return int(warehouse.rows(statement)[0]["wrong_count"])

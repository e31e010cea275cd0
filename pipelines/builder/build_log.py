"""The build log of a mart in errata_ops: its watermark, its published versions, the arrivals of its
windows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar
from uuid import UUID

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from pipelines.builder.attempt import Attempt
from pipelines.builder.lease import LeaseLost
from pipelines.builder.mart import BuildReport, Late, Mart, Waiting, Window

Chunked = TypeVar("Chunked")

# The windows of one statement are one parameter: ClickHouse takes 128 KiB by default, ours 1 MiB.
MOST_NAMED = 500


def watermark_of(warehouse: Warehouse, mart: str) -> datetime:
    """The watermark of a mart: every row received before it is in the mart or waits. 1970 before the first
    build."""
    return last_build_of(warehouse, mart)[0]


def last_build_of(warehouse: Warehouse, mart: str) -> tuple[datetime, int]:
    """The watermark of a mart, and how many windows its last build had."""
    (row,) = warehouse.rows(sql.build_statement("watermark_of_mart"), {"mart": mart})
    return utc(row["watermark"]), row["window_count"]


@dataclass(frozen=True)
class BuildLog:
    attempt: Attempt

    def complete_through(self) -> datetime:
        """The warehouse's clock, which stamps received rows; earlier while a server of a pair lacks rows that
        the other one has received."""
        return utc(self.attempt.fetch("complete_through")[0]["moment"])

    def memory(self) -> int:
        """Bytes of memory that the warehouse may use."""
        return int(self.attempt.fetch("memory_of_warehouse")[0]["memory"])

    def table_uuid(self) -> UUID:
        uuid: UUID = self.attempt.fetch("uuid_of_mart", self._mart)[0]["uuid"]
        return uuid

    def rows_by_day(self, raw: str) -> dict[date, int]:
        """The raw rows of each day of receipt."""
        rows = self.attempt.fetch("rows_by_day", {"raw": raw})
        return {row["day"]: row["row_count"] for row in rows}

    def first_received_on(self, until: datetime) -> datetime:
        """Midnight of the first day with raw rows; `until` without any."""
        (row,) = self.attempt.fetch("first_day_of_raw")
        return datetime.combine(row["first_day"], time(), UTC) if row["first_day"] else until

    def watermark(self, mart: str) -> datetime:
        return watermark_of(self.attempt.warehouse, mart)

    def waiting(self, mart: str) -> list[Waiting]:
        """Windows with rows received before the watermark that the mart lacks, the longest waiting first."""
        return [
            Waiting(utc(row["window_start"]), utc(row["since"]), row["row_count"])
            for row in self.attempt.fetch("waiting_windows", {"mart": mart})
        ]

    def late(self, mart: Mart, waiting: Sequence[Waiting], until: datetime) -> list[Late]:
        """Whose rows received before `until` the mart lacks: of its own waiting windows, or those that its
        source lacks."""
        if mart.source:
            rows = self.attempt.fetch("late_of_mart", {"mart": mart.source})
        elif waiting:
            by_day = groupby(sorted(waiting, key=_day), _day)
            since = {day: min(one.since for one in same) for day, same in by_day}
            asked = {"raw": mart.raw, "days": list(since), "sinces": list(since.values()), "until": until}
            rows = self.attempt.fetch("late_rows", asked)
        else:
            rows = []
        return [Late(row["project_id"], row["last_day"], utc(row["since"])) for row in rows]

    def publish(self, report: BuildReport, table_uuid: UUID, days: Sequence[date]) -> None:
        """Publishes a build of a mart of SQL: from now on its rows of these days count, and the versions of
        other days stay. Raises LeaseLost if the builder was taken for dead."""
        self.record(
            report.watermark,
            len(report.windows),
            report.row_count,
            report.seconds,
            table_uuid,
            self._partitions() | {day: self.attempt.version_of(day) for day in days},
            _waiting(report.waiting, report.late),
            self._model_hash,
        )

    def record(
        self,
        watermark: datetime,
        window_count: int,
        row_count: int,
        seconds: float,
        table_uuid: UUID,
        versions: Mapping[date, int] = MappingProxyType({}),
        waiting: Parameters = MappingProxyType({}),
        model_hash: str = "",
    ) -> None:
        """Inserts the row that publishes a build. Raises LeaseLost if the builder was taken for dead."""
        parameters = {**self._mart, "number": self.attempt.number, "attempt": self.attempt.id}
        self.attempt.run(
            "publish_build",
            {
                **parameters,
                "table_uuid": table_uuid,
                "watermark": watermark,
                "window_count": window_count,
                "row_count": row_count,
                "seconds": seconds,
                "days": list(versions),
                "versions": list(versions.values()),
                "model_hash": model_hash,
                "server": self.attempt.warehouse.address,
                **(waiting or _waiting((), ())),
            },
        )
        if not self.attempt.fetch("is_published", parameters)[0]["build_count"]:
            raise LeaseLost(self.attempt.mart.name, self.attempt.id)

    def published_days(self) -> frozenset[date]:
        """The days with a published version."""
        return frozenset(self._partitions())

    def _partitions(self) -> dict[date, int]:
        rows = self.attempt.fetch("published_partitions", self._mart)
        return {row["day"]: row["version"] for row in rows}

    @property
    def _model_hash(self) -> str:
        return sql.model_hash(self.attempt.mart.name)

    @property
    def _mart(self) -> dict[str, str]:
        return {"mart": self.attempt.mart.name}

    def built_through(self) -> datetime:
        """The mart's watermark; 1970 if its model, or one it is built from, has changed since the last build,
        whose rows still count until this one is published."""
        (row,) = self.attempt.fetch("model_changed", {**self._mart, "model_hash": self._model_hash})
        return EPOCH if row["is_changed"] else self.watermark(self.attempt.mart.name)

    def take_over_arrivals(self, search: str) -> datetime | None:
        """Arrivals recorded for the mart's table by an earlier model, or taken over from its previous table.
        Returns the moment up to which they are complete; None if another `search` found them."""
        parameters = {"mart": self.attempt.mart.name, "search": search}
        if self.attempt.fetch("arrivals_known", parameters)[0]["are_known"]:
            return self.watermark(self.attempt.mart.name)
        for before in self.attempt.fetch("table_before", parameters):
            self.attempt.run("take_over_arrivals", {**parameters, "table_uuid": before["table_uuid"]})
            return utc(before["watermark"])
        return None

    def recorded_windows(self) -> list[datetime]:
        """All windows with rows, as far as the mart's table has recorded them."""
        rows = self.attempt.fetch("recorded_windows", self._mart)
        return [utc(row["window_start"]) for row in rows]

    def add_arrivals(self, windows: Sequence[Window], search: str) -> None:
        """Records arrivals; `search` identifies the search that found them."""
        for some in _chunks(windows):
            self.attempt.run(
                "add_arrivals",
                {
                    "mart": self.attempt.mart.name,
                    "starts": [window.start for window in some],
                    "firsts": [window.first_received_at for window in some],
                    "lasts": [window.last_received_at for window in some],
                    "row_counts": [window.row_count for window in some],
                    "search": search,
                },
            )

    def arrivals(self, starts: Sequence[datetime]) -> list[Window]:
        """Arrivals recorded by all builds, in order of time."""
        return arrivals_of_windows(self.attempt.rows, self.attempt.mart.name, starts)


def arrivals_of_windows(
    fetch: Callable[[str, Parameters], list[Row]], mart: str, starts: Sequence[datetime]
) -> list[Window]:
    """Arrivals of windows recorded by all builds of a mart, in order of time."""
    parameters = ({"mart": mart, "starts": list(some)} for some in _chunks(sorted(starts)))
    rows = (row for one in parameters for row in fetch(sql.query("arrivals_of_windows"), one))
    return [
        Window(
            start=utc(row["window_start"]),
            first_received_at=utc(row["first_received_at"]),
            last_received_at=utc(row["last_received_at"]),
            row_count=row["row_count"],
            receipt_days=frozenset(row["receipt_days"]),
        )
        for row in rows
    ]


def _chunks(many: Sequence[Chunked]) -> Iterator[Sequence[Chunked]]:
    """Slices that a statement's parameters can hold."""
    for first in range(0, len(many), MOST_NAMED):
        yield many[first : first + MOST_NAMED]


def _day(waiting: Waiting) -> date:
    return waiting.start.date()


def _waiting(waiting: Sequence[Waiting], late: Sequence[Late]) -> dict[str, object]:
    return {
        "late_projects": [one.project_id for one in late],
        "late_days": [one.last_day for one in late],
        "late_since": [one.since for one in late],
        "waiting": [one.start for one in waiting],
        "waiting_since": [one.since for one in waiting],
        "waiting_rows": [one.row_count for one in waiting],
    }

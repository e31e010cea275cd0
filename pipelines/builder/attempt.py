"""An attempt: the identity of one build in the warehouse."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from itertools import count
from typing import Any

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.published import (
    Conditions,
    condition,
    conditions,
    marts_of,
    table_filters,
    versioned_marts,
)
from errata.warehouse.statement import Statement
from pipelines.builder.mart import Mart

Settings = Mapping[str, Any]

# A version is the number of its build, with the day of its rows in the last bits.
DAY_BITS = 16


@dataclass
class Attempt:
    """The versions that a build writes rows under, those it reads, and the ids of its queries.

    One attempt belongs to one build of one mart, under the mart's lease.
    """

    warehouse: Warehouse
    mart: Mart
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    threads: int = 1
    """Cores for each of its statements."""
    _numbers: "count[int]" = field(default_factory=count)

    @property
    def query_prefix(self) -> str:
        return f"errata-build-{self.mart.name}-{self.id}-"

    @cached_property
    def number(self) -> int:
        """A number greater than that of every earlier build, by the warehouse's clock."""
        statement = sql.build_statement("next_build_number")
        return int(self.warehouse.rows(statement, {"mart": self.mart.name})[0]["number"])

    @property
    def version(self) -> int:
        """The number that models add the day to."""
        return self.number << DAY_BITS

    @cached_property
    def published(self) -> Conditions:
        """Versions published when the attempt began: all its statements read the same."""
        return conditions(self.warehouse, sorted(versioned_marts()))

    def version_of(self, day: date) -> int:
        """The version of this attempt's rows of a day."""
        return self.version + (day - EPOCH.date()).days

    def own(self, starts: Iterable[datetime]) -> str:
        """The condition on rows that this attempt has written for windows."""
        return condition(sorted({self.version_of(self.mart.partition_day(start)) for start in starts}))

    def execute(
        self,
        statement: str,
        parameters: Parameters | None = None,
        settings: Settings | None = None,
        scope: Conditions | None = None,
        own: str = "",
    ) -> None:
        """Runs a statement. `scope`: further conditions on rows of a table; `own`: the versions of this
        attempt's own rows, read in place of the published ones."""
        self.warehouse.execute(statement, parameters, self._settings(statement, settings, scope, own))

    def rows(
        self,
        statement: str,
        parameters: Parameters | None = None,
        settings: Settings | None = None,
        scope: Conditions | None = None,
        own: str = "",
    ) -> list[Row]:
        return self.warehouse.rows(statement, parameters, self._settings(statement, settings, scope, own))

    def _settings(
        self, statement: str, settings: Settings | None, scope: Conditions | None, own: str
    ) -> Settings:
        by_table = dict(scope or {})
        for mart in marts_of(statement):
            version = own if own and mart == self.mart.table else self.published[mart]
            by_table[mart] = " and ".join([version, *([by_table[mart]] if mart in by_table else [])])
        return {
            "query_id": f"{self.query_prefix}{next(self._numbers)}",
            "max_threads": self.threads,
            **table_filters(by_table),
            **(settings or {}),
        }

    def run(
        self,
        name: str,
        parameters: Parameters | None = None,
        settings: Settings | None = None,
        scope: Conditions | None = None,
        **names: str,
    ) -> None:
        """Runs a statement of warehouse_sql/builds for this attempt's mart."""
        bound = {"version": self.version, **(parameters or {})}
        self.execute(self._named(name, names), bound, settings, scope)

    def fetch(self, name: str, parameters: Parameters | None = None, **names: str) -> list[Row]:
        """Rows of a statement of warehouse_sql/builds for this attempt's mart."""
        return self.rows(self._named(name, names), parameters)

    def _named(self, name: str, names: Mapping[str, str]) -> Statement:
        return sql.build_statement(name).at(**{"mart": self.mart.name, **names})

    def clear_remains(self) -> None:
        """Kills statements of earlier attempts (an insert outlives its client), and drops versions that are
        unpublished, or replaced and no longer needed. Only the holder of the lease may call it."""
        prefix = f"errata-build-{self.mart.name}-"
        others = {"prefix": prefix, "own": self.query_prefix}
        self.warehouse.execute(sql.build_statement("kill_earlier_attempts"), others)
        (row,) = self.fetch("needed_versions", {"mart": self.mart.name})
        needed = set(row["versions"])
        self._drop(one for one in self._partitions() if _version_of(one) not in needed)

    def drop(self) -> None:
        """Drops the rows of this attempt, which are not published."""
        self._drop(one for one in self._partitions() if _version_of(one) >> DAY_BITS == self.number)

    def _partitions(self) -> Sequence[str]:
        rows = self.fetch("stored_partitions", {"mart": self.mart.name})
        return [row["partition_id"] for row in rows]

    def _drop(self, partitions: Iterable[str]) -> None:
        for partition_id in partitions:
            self.warehouse.execute(self._named("drop_partition", {"partition_id": partition_id}))


def _version_of(partition_id: str) -> int:
    return int(partition_id.rpartition("-")[2])


def recounted(rows: Iterable[Row]) -> dict[int, tuple[int, int]]:
    """By project what was built and what was expected, from the rows of a recount."""
    counts: dict[int, tuple[int, int]] = {}
    for row in rows:
        built, expected = counts.get(row["project_id"], (0, 0))
        counts[row["project_id"]] = built + row["built_count"], expected + row["expected_count"]
    return counts


def differing_statement(mart: str) -> Statement | None:
    """The items that a recount disagrees about, for a mart whose rows are items; else None."""
    name = f"{mart}_differing"
    return sql.check(name) if (sql.DIRECTORY / "checks" / f"{name}.sql").exists() else None

"""An attempt: its own build table, its own query ids, and the markers around its swaps."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from string import Template
from typing import Any

from errata.warehouse import sql
from errata.warehouse.builds.lease import Lease
from errata.warehouse.client import Parameters, Row, Warehouse

Settings = Mapping[str, Any]

# Readers wait for the end of an open marker.
SWAPS_A_MARKER = 10
RECORD_SWAPS = (
    "insert into errata_ops.build_swaps (mart, attempt, partition_id, state) "
    "select {mart:String}, {attempt:String}, arrayJoin({partitions:Array(String)}), {state:String}"
)
SPLIT_PARTITIONS = """
    select partition_id
    from system.parts
    where database = 'errata_mart' and table = {build:String} and active
    group by partition_id
    having count() > 1
"""
OPEN_SWAPS = """
    select mart, attempt, groupArray(partition_id) as partitions
    from (
        select mart, attempt, partition_id, argMax(state, recorded_at) as latest_state, max(recorded_at) as at
        from errata_ops.build_swaps
        group by mart, attempt, partition_id
    )
    where latest_state = 'open'
    group by mart, attempt
    order by max(at)
"""
HELD_PARTITIONS = """
    select distinct partition_id
    from system.parts
    where database = 'errata_mart' and table = {build:String} and active and rows > 0
"""
BUILD_TABLES = """
    select name, substring(name, position(name, '__build_') + 8) as attempt
    from system.tables
    where database = 'errata_mart' and startsWith(name, {prefix:String})
"""
# An INSERT … SELECT outlives the client that asked for it.
KILL = "kill query where query_id like {prefix:String} sync"


@dataclass
class Attempt:
    warehouse: Warehouse
    mart: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    threads: int = 1
    """Cores that each of its statements may use."""
    _numbers: "count[int]" = field(default_factory=count)

    @property
    def build(self) -> str:
        return f"{self.mart}__build_{self.id}"

    @property
    def query_prefix(self) -> str:
        return f"errata-build-{self.id}-"

    def execute(
        self, statement: str, parameters: Parameters | None = None, settings: Settings | None = None
    ) -> None:
        self.warehouse.execute(statement, parameters, self._settings(settings))

    def rows(
        self, statement: str, parameters: Parameters | None = None, settings: Settings | None = None
    ) -> list[Row]:
        return self.warehouse.rows(statement, parameters, self._settings(settings))

    def _settings(self, own: Settings | None) -> Settings:
        query_id = f"{self.query_prefix}{next(self._numbers)}"
        return {"query_id": query_id, "max_threads": self.threads, **(own or {})}

    def run(
        self,
        name: str,
        parameters: Parameters | None = None,
        settings: Settings | None = None,
        **names: str,
    ) -> None:
        """A statement of warehouse_sql/builds with this attempt's tables put in."""
        self.execute(self._named(name, names), parameters, settings)

    def answer(self, name: str, parameters: Parameters | None = None, **names: str) -> list[Row]:
        """The same of one that asks."""
        return self.rows(self._named(name, names), parameters)

    def _named(self, name: str, names: Mapping[str, str]) -> str:
        return _statement("builds", name, **{"mart": self.mart, "build": self.build, **names})

    def kill(self) -> None:
        self.warehouse.execute(KILL, {"prefix": f"{self.query_prefix}%"})

    def merge(self) -> None:
        for row in self.rows(SPLIT_PARTITIONS, {"build": self.build}):
            self.run("merge_partition", row)

    def swap(self, partitions: Sequence[str], lease: Lease) -> None:
        """Behind markers: REPLACE PARTITION is not atomic when the warehouse is killed inside it."""
        held = self.held()
        for number in range(0, len(partitions), SWAPS_A_MARKER):
            group = partitions[number : number + SWAPS_A_MARKER]
            self.mark(group, "open")
            for partition_id in group:
                lease.check()
                self.put_in(partition_id, held)
            self.mark(group, "closed")

    def held(self) -> set[str]:
        """The partitions in which something was built."""
        return {row["partition_id"] for row in self.rows(HELD_PARTITIONS, {"build": self.build})}

    def put_in(self, partition_id: str, held: Collection[str]) -> None:
        """One in which nothing is left is emptied: the warehouse refuses to replace it by nothing."""
        statement = "swap_partition" if partition_id in held else "drop_partition"
        self.run(statement, {"partition_id": partition_id})

    def heal(self, partitions: Sequence[str]) -> None:
        """Swaps again, from the table that is kept until every marker is closed."""
        self.kill()
        # In this order: of a table that is dropped meanwhile nothing is held, which must not empty a day.
        held = self.held()
        if self.has_build_table():
            for partition_id in partitions:
                self.put_in(partition_id, held)
        self.mark(partitions, "closed")

    def has_build_table(self) -> bool:
        return bool(self.warehouse.rows(BUILD_TABLES, {"prefix": self.build}))

    def drop(self) -> None:
        self.run("drop_build_table")

    def mark(self, partitions: Sequence[str], state: str) -> None:
        marks = {"mart": self.mart, "attempt": self.id, "partitions": list(partitions), "state": state}
        self.execute(RECORD_SWAPS, marks)


def heal(warehouse: Warehouse, mart: str = "") -> list[str]:
    """Finishes the swaps that a kill left open, of one mart or of all, and says which marts.

    Safe beside a running build: it repeats what that build does anyway.
    """
    opened = [row for row in warehouse.rows(OPEN_SWAPS) if mart in ("", row["mart"])]
    for row in opened:
        Attempt(warehouse, row["mart"], row["attempt"]).heal(row["partitions"])
    return [row["mart"] for row in opened]


def clear_dead_attempts(warehouse: Warehouse, mart: str) -> None:
    """For the holder of the lease: ends what earlier attempts left running, and drops their tables."""
    dead = [
        Attempt(warehouse, mart, row["attempt"])
        for row in warehouse.rows(BUILD_TABLES, {"prefix": f"{mart}__build_"})
    ]
    for attempt in dead:
        attempt.kill()
    heal(warehouse, mart)
    for attempt in dead:
        attempt.drop()


def check_statement(mart: str, table: str) -> str:
    """The recount of a mart, asked of its own table or of a build."""
    return _statement("checks", mart, table=table)


def differing_statement(mart: str, table: str) -> str | None:
    """What a recount disagrees about, of a mart whose rows are items; None of the others."""
    name = f"{mart}_differing"
    return (
        _statement("checks", name, table=table)
        if (sql.DIRECTORY / "checks" / f"{name}.sql").exists()
        else None
    )


def _statement(folder: str, name: str, **names: Any) -> str:
    (statement,) = sql.parse(sql.DIRECTORY / folder / f"{name}.sql").statements
    return Template(statement).substitute(names)

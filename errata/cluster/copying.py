"""Copies the rows of a project from one shard to another, table by table, partition by partition."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.published import versioned_marts
from errata.warehouse.row_policies import tables_of_projects


@dataclass(frozen=True)
class Rows:
    """Rows of a project in a partition of a table: their count, and a sum of their hashes."""

    count: int
    checksum: int


Partition = tuple[str, str]
"""A table, and the id of one of its partitions."""


def copied_tables() -> tuple[str, ...]:
    """Those that the other shard's builds do not make: raw rows, and marts made by Python."""
    return tuple(table for table in tables_of_projects() if table not in versioned_marts())


def partitions(warehouse: Warehouse, project_id: int) -> Mapping[Partition, Rows]:
    """What the shard has of a project, where that is any rows."""
    return {
        (table, row["partition_id"]): Rows(row["row_count"], row["checksum"])
        for table in copied_tables()
        for row in warehouse.rows(
            sql.build_statement("partitions_of_project").at(table=table), {"project_id": project_id}
        )
    }


def copy(source: Warehouse, target: Warehouse, project_id: int) -> Iterator[Partition]:
    """Makes the target's partitions those of the source, and yields each that it had to copy. Can be ended at
    any moment, and called again."""
    wanted, there = partitions(source, project_id), partitions(target, project_id)
    for partition in sorted(wanted.keys() | there.keys()):
        if wanted.get(partition) != there.get(partition):
            _copy(source, target, project_id, *partition)
            yield partition


def _copy(source: Warehouse, target: Warehouse, project_id: int, table: str, partition_id: str) -> None:
    asked = {"project_id": project_id, "partition_id": partition_id}
    target.execute(sql.build_statement("remove_partition_of_project").at(table=table), asked)
    question = sql.build_statement("rows_of_partition").at(table=table)
    target.insert_from(source, table, question, asked)


def copy_late(source: Warehouse, target: Warehouse, project_id: int, since: datetime) -> int:
    """Copies rows that the source received since the project was moved: of a write that was on its way for
    long. Returns the number of tables that had some."""
    asked = {"project_id": project_id, "since": since}
    counted, late = sql.build_statement("count_received_since"), sql.build_statement("rows_received_since")
    count = 0
    for table in stamped_tables():
        if source.rows(counted.at(table=table), asked)[0]["row_count"]:
            target.insert_from(source, table, late.at(table=table), asked)
            count += 1
    return count


@cache
def stamped_tables() -> tuple[str, ...]:
    """Those of raw rows with the moment of their receipt."""
    return tuple(
        table
        for file in sql.migrations()
        for statement in file.statements
        if statement.startswith("create table errata_raw.") and "\n    received_at DateTime64" in statement
        for table in (statement.split()[2],)
        if table in copied_tables()
    )


def remove(warehouse: Warehouse, project_id: int) -> int:
    """Deletes all rows of a project; returns the number of tables that had some."""
    count = 0
    for table in tables_of_projects():
        question = sql.build_statement("partitions_of_project").at(table=table)
        if warehouse.rows(question, {"project_id": project_id}):
            warehouse.execute(
                sql.build_statement("remove_project_from_table").at(table=table), {"project_id": project_id}
            )
            count += 1
    return count

"""Whether two servers are a replicated pair: one whose five databases have the engine `Replicated`, so that
what is created, altered or inserted on one server reaches the other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Row, Warehouse

REPLICATED = "Replicated"
# With the server's own macros, which its operator sets.
CREATE = (
    "create database if not exists {} "
    "engine = Replicated('/clickhouse/databases/{}', '{{shard}}', '{{replica}}')"
)
DATABASES = tuple(
    found[1]
    for statement in sql.parse(sql.DIRECTORY / "bootstrap.sql").statements
    if (found := re.fullmatch(r"create database if not exists (\w+)", statement))
)


class NotReplicated(ErrataError):
    """Two servers were given as a pair, but neither would have the other's rows."""

    code = "not_replicated"

    def __init__(self, places: Sequence[str], reason: str) -> None:
        first, second = places
        super().__init__(
            f"{first} and {second} don't replicate each other: {reason}. Each would store only part of "
            f"the events. Set up replication as described in docs/server.md, or use one address"
        )
        self.places = tuple(places)
        self.reason = reason


@dataclass(frozen=True)
class Member:
    """A server of a pair: its databases by name, and the uuids of their tables."""

    place: str
    databases: Mapping[str, Row]
    tables: Mapping[str, str]

    @classmethod
    def of(cls, warehouse: Warehouse) -> "Member":
        asked = {"databases": list(DATABASES)}
        databases = warehouse.rows(sql.build_statement("replicas_of_databases"), asked)
        tables = warehouse.rows(sql.build_statement("tables_of_databases"), asked)
        return cls(
            warehouse.address,
            {row["name"]: row for row in databases},
            {row["name"]: row["uuid"] for row in tables},
        )


def difference(first: Member, second: Member) -> str | None:
    """Why the databases that these servers have are not the same; None if they are."""
    for name in DATABASES:
        ours, theirs = first.databases.get(name), second.databases.get(name)
        for member, database in ((first, ours), (second, theirs)):
            if database is not None and database["engine"] != REPLICATED:
                return f"{name} on {member.place} has the engine {database['engine']}, not {REPLICATED}"
        if ours is None or theirs is None:
            continue
        if ours["path"] != theirs["path"]:
            places = f"{ours['path']} on {first.place} and at {theirs['path']} on {second.place}"
            return f"{name} is replicated at {places}"
        if ours["replica"] == theirs["replica"]:
            return f"{name} has the replica {ours['replica']} on both"
        if min(ours["replica_count"], theirs["replica_count"]) < 2:
            return f"{name} knows of one replica only, so each has a Keeper of its own"
    return None


def differing_table(first: Member, second: Member) -> str | None:
    """Why their tables are not the same; None if they are."""
    differing = {*first.tables.items()} ^ {*second.tables.items()}
    return f"{min(differing)[0]} is not the same table on both" if differing else None


def require_pair(warehouses: Sequence[Warehouse]) -> None:
    """Raises NotReplicated if databases or tables of the two servers are not the same."""
    first, second = _members(warehouses)
    if reason := differing_table(first, second):
        raise NotReplicated([first.place, second.place], reason)


def lacking(warehouses: Sequence[Warehouse]) -> list[tuple[Warehouse, str]]:
    """The databases that are yet to be created, each with the server that lacks it. Raises NotReplicated if
    both have one that is not the same."""
    members = _members(warehouses)
    return [
        (warehouse, name)
        for warehouse, member in zip(warehouses, members, strict=True)
        for name in DATABASES
        if name not in member.databases
    ]


def ensure_databases(warehouses: Sequence[Warehouse]) -> None:
    """Creates the databases that one of the two servers lacks, or both. Raises NotReplicated, and leaves
    nothing created, if they do not replicate each other."""
    created = []
    try:
        for warehouse, name in lacking(warehouses):
            warehouse.execute(CREATE.format(name, name))
            created.append((warehouse, name))
        _members(warehouses)
    except (NotReplicated, QueryFailed) as error:
        for warehouse, name in created:
            warehouse.execute(f"drop database if exists {name}")
        if isinstance(error, NotReplicated):
            raise
        raise NotReplicated([one.address for one in warehouses], error.reason) from error


def _members(warehouses: Sequence[Warehouse]) -> tuple[Member, Member]:
    """Raises NotReplicated if a database that both have is not one and the same."""
    first, second = map(Member.of, warehouses)
    if reason := difference(first, second):
        raise NotReplicated([first.place, second.place], reason)
    return first, second

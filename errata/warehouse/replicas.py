"""The replicas of a shard: servers with the same tables, which fetch each other's rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

DATABASES = tuple(
    found[1]
    for statement in sql.parse(sql.DIRECTORY / "bootstrap.sql").statements
    if (found := re.fullmatch(r"create database if not exists (\w+)", statement))
)
# Its own uuid in the path of a table: one that is made anew is another one, and each replica has the same.
# The name of the replica is a macro of each server.
ENGINE = "engine = Replicated{kind}('/clickhouse/errata/{uuid}', '{{replica}}'"
# A replica refuses a second row with the same key, and an update of what has changed since it was read.
BUILD_SERVER, KEEPER_MAP = "errata_ops.build_server", "engine = KeeperMap('/errata/{uuid}') primary key name"
CREATE = re.compile(r"create table ((?:if not exists )?)(\S+)")
KIND = re.compile(r"(?m)^engine = (\w*MergeTree)(?:\((\w+)\))?")


class NotReplicated(ErrataError):
    """Servers of a shard that do not have each other's rows."""

    code = "not_replicated"

    def __init__(self, places: Sequence[str], reason: str) -> None:
        super().__init__(
            f"{' and '.join(places)} don't replicate each other: {reason}. Each would store only part of "
            f"the events. Set up replication as described in docs/cluster.md, or use one address"
        )
        self.places = tuple(places)
        self.reason = reason


@dataclass(frozen=True)
class MadeTable:
    """A table that a server has. `identity`: what the same table of other replicas has, too; `statement`:
    makes it on another one."""

    identity: str
    statement: str


def rendered(statement: str) -> str:
    """The statement that makes the table on the first replica of a shard."""
    created = CREATE.match(statement)
    if created is None:
        return statement
    uuid = str(uuid4())
    if created[2] == BUILD_SERVER:
        return f"{KIND.split(statement)[0]}{KEEPER_MAP.format(uuid=uuid)}"
    named = f"create table {created[1]}{created[2]} uuid '{uuid}'{statement[created.end() :]}"
    return KIND.sub(
        lambda found: ENGINE.format(kind=found[1], uuid=uuid) + (f", {found[2]})" if found[2] else ")"), named
    )


def alone(statement: str) -> str:
    """The statement that makes the table of a replica on a single server."""
    plain = re.sub(r"\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?", r"\1(", statement)
    return re.sub(r"ENGINE = KeeperMap\('[^']*'\) PRIMARY KEY", "ENGINE = MergeTree ORDER BY", plain)


def are_replicated(server: Warehouse) -> bool:
    """Whether its tables are those of a replica."""
    rows = server.rows(sql.build_statement("engine_of_migrations"))
    return any(row["engine"].startswith("Replicated") for row in rows)


def lacking(first: Warehouse, other: Warehouse) -> list[str]:
    """The tables of the first replica that another one has not, or not the same."""
    return _missing(tables_of(first), tables_of(other))


def _missing(wanted: Mapping[str, MadeTable], found: Mapping[str, MadeTable]) -> list[str]:
    return sorted(
        name for name, table in wanted.items() if name not in found or found[name].identity != table.identity
    )


def copy_tables(first: Warehouse, other: Warehouse) -> list[str]:
    """Makes what another replica lacks of the first one's tables, and drops what it alone has. Returns the
    names of those made; their rows are fetched meanwhile and afterwards."""
    for database in DATABASES:
        other.execute(f"create database if not exists {database}")
    wanted, found = tables_of(first), tables_of(other)
    for name in _missing(found, wanted):
        other.execute(f"drop table {name} sync")
    made = _missing(wanted, found)
    for name in made:
        other.execute(wanted[name].statement)
    return made


def tables_of(server: Warehouse) -> dict[str, MadeTable]:
    """Views, which each server makes by itself, are left out."""
    rows = server.rows(
        sql.build_statement("tables_of_databases"),
        {"databases": list(DATABASES)},
        {"show_table_uuid_in_table_create_query_if_not_nil": 1},
    )
    return {row["name"]: _made(row) for row in rows if row["engine"] != "View"}


def _made(row: Row) -> MadeTable:
    if row["engine"] == "KeeperMap":
        # Known to the others by its path: they refuse a second one with its uuid.
        same = str(row["statement"]).replace(f" UUID '{row['uuid']}'", "")
        return MadeTable(same, same)
    return MadeTable(row["uuid"], row["statement"])


def require_replicas(servers: Sequence[Warehouse]) -> None:
    """Raises NotReplicated unless every table of each server knows of as many replicas as there are
    servers."""
    places = [server.address for server in servers]
    for server in servers:
        if not are_replicated(server):
            raise NotReplicated(
                places, f"the tables of {server.address} aren't replicated; move its projects to a new shard"
            )
        rows = server.rows(sql.build_statement("replicas_known"), {"count": len(servers)})
        if rows:
            known = rows[0]["replica_count"]
            said = f"{rows[0]['name']} on {server.address} has {known} of {len(servers)} replicas"
            raise NotReplicated(places, f"{said}, so each has a Keeper of its own, or one is gone for good")

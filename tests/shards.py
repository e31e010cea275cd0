"""Shards of a cluster by the wheel alone: listeners that know each other. Projects with odd ids are on the
first."""

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errata.warehouse.asked import Table
from errata.warehouse.cache import Cache
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.configuration import CLUSTER
from errata.warehouse.published import projects_of
from errata.warehouse.roles import Role, load_or_create_passwords
from errata.warehouse.shards import Shards
from errata.warehouse.topology import Topology
from tests.ports import free_port
from tests.processes import WarehouseProcess, start_warehouse


class OddAndEven:
    def of(self, project_id: int) -> int:
        return 1 if project_id % 2 else 2

    def is_held(self, project_id: int) -> bool:
        return False


@dataclass
class ShardedProcess(WarehouseProcess):
    """All shards as one warehouse; its own process is the first's."""

    members: list[WarehouseProcess] = field(default_factory=list)
    options: Sequence[Sequence[str]] = ()

    def url(self, role: Role) -> str:
        places = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return super().url(role).replace(f"127.0.0.1:{self.port}", places)

    def topology(self) -> Topology:
        return Topology(self.url(Role.READ), CLUSTER)

    def client(self, role: Role) -> Warehouse:
        def member(url: str) -> Warehouse:
            return Warehouse(url, cache=Cache() if role is Role.READ else None)

        kind = OfEverything if role in (Role.ADMIN, Role.BUILD) else Shards
        own = Cache() if role is Role.READ else None
        return kind(self.url(role), self.topology(), OddAndEven(), member, own)

    def start_again(self, number: int) -> None:
        """After its process has ended."""
        ended = self.members[number]
        self.members[number] = start_warehouse(ended.directory, ended.port, options=self.options[number])

    def stop(self) -> None:
        for member in self.members:
            member.stop()


class OfEverything(Shards):
    """For tests that look at tables as a whole: a statement without projects is of every shard."""

    def rows(
        self,
        sql: str,
        parameters: Parameters | None = None,
        settings: Mapping[str, Any] | None = None,
        tables: Sequence[Table] = (),
    ) -> list[Row]:
        if projects_of(parameters or {}):
            return super().rows(sql, parameters, settings, tables)
        return [row for shard in self.shards() for row in shard.rows(sql, parameters, settings, tables)]

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        if projects_of(parameters or {}):
            super().execute(sql, parameters, settings)
        else:
            for shard in self.shards():
                shard.execute(sql, parameters, settings)

    def insert_json_lines(
        self,
        table: str,
        lines: bytes | Callable[[], Generator[bytes, None, None]],
        columns: Sequence[str] = (),
        token: str = "",
    ) -> None:
        whole = lines if isinstance(lines, bytes) else b"".join(lines())
        by_project: dict[int, list[bytes]] = {}
        for line in whole.splitlines(True):
            by_project.setdefault(json.loads(line)["project_id"], []).append(line)
        for shard, projects in self.by_shard(by_project):
            own = b"".join(line for each in projects for line in by_project[each])
            shard.insert_json_lines(table, own, columns, token)


def start_shards(directories: Iterable[Path]) -> ShardedProcess:
    """A listener in each of the directories, all with the passwords of the first."""
    ports = [(each, free_port()) for each in directories]
    shards = ",".join(f"127.0.0.1:{port}" for _, port in ports)
    first = ports[0][0] / "run" / "warehouse-passwords.json"
    load_or_create_passwords(first)
    members = list[WarehouseProcess]()
    options = [("--tcp-port", str(port), "--shards", shards) for _, port in ports]
    for (directory, _), own_options in zip(ports, options, strict=True):
        own = directory / "run" / first.name
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(first.read_text())
        members.append(start_warehouse(directory, options=own_options))
    return ShardedProcess(members[0].directory, members[0].port, members[0].process, members, options)


def two_shards(directory: Path) -> ShardedProcess:
    return start_shards([directory / "1", directory / "2"])

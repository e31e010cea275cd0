"""Replicas of one shard by the wheel and ZooKeeper: listeners that fetch each other's rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from errata.warehouse.cache import Cache
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role, load_or_create_passwords
from tests.keeper import Keeper, Line, running_keeper
from tests.ports import free_port
from tests.processes import WarehouseProcess, start_warehouse

SILENCE_SECONDS = 2


@dataclass
class ReplicatedProcess(WarehouseProcess):
    """All replicas as one warehouse; its own process is the first's."""

    members: list[WarehouseProcess] = field(default_factory=list)
    keeper: Keeper | None = None
    inter_ports: list[int] = field(default_factory=list)
    lines_to_keeper: list[Line] = field(default_factory=list)

    def url(self, role: Role) -> str:
        places = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return super().url(role).replace(f"127.0.0.1:{self.port}", places)

    def client(self, role: Role) -> Warehouse:
        cache = Cache() if role is Role.READ else None
        return Warehouse(self.url(role), silence_seconds=SILENCE_SECONDS, cache=cache)

    def add(self, directory: Path) -> WarehouseProcess:
        """Starts one more, with a line to Keeper of its own."""
        assert self.keeper
        passwords = self.directory / "run" / "warehouse-passwords.json"
        load_or_create_passwords(passwords)
        own = directory / "run" / passwords.name
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(passwords.read_text())
        self.inter_ports.append(free_port())
        self.lines_to_keeper.append(Line(self.keeper.port))
        self.members.append(self._start(len(self.members), directory, None))
        return self.members[-1]

    def start_again(self, number: int) -> None:
        """After its process has ended."""
        ended = self.members[number]
        self.members[number] = self._start(number, ended.directory, ended.port)

    def _start(self, number: int, directory: Path, port: int | None) -> WarehouseProcess:
        ports = (str(self.inter_ports[number]), str(self.lines_to_keeper[number].port))
        module = ("tests.replica_listener", f"replica-{number + 1}", *ports)
        return start_warehouse(directory, port, module=module)

    def kill(self, number: int) -> None:
        self.members[number].process.kill()
        self.members[number].process.wait()

    def stop(self) -> None:
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.process.wait()
        for line in self.lines_to_keeper:
            line.cut()

    def migrate(self) -> list[str]:
        """The names of the migrations applied."""
        servers = [Warehouse(member.url(Role.ADMIN)) for member in self.members]
        names = migrate(servers[0], servers[1:])
        for server in servers:
            server.close()
        return names


@contextmanager
def replicas_with_keeper(directory: Path, count: int) -> Iterator[ReplicatedProcess]:
    """That many listeners and their ZooKeeper, which are gone afterwards."""
    with running_keeper(directory / "keeper") as keeper:
        folders = [directory / f"replica-{number}" for number in range(1, count + 1)]
        found = ReplicatedProcess(folders[0], 0, None, keeper=keeper)  # type: ignore[arg-type]
        try:
            for folder in folders:
                found.add(folder)
            found.port, found.process = found.members[0].port, found.members[0].process
            yield found
        finally:
            found.stop()

"""Replicas of one shard by the wheel and ZooKeeper: listeners that fetch each other's rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from errata.warehouse.cache import Cache
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role, load_or_create_passwords
from tests.keeper import Keeper, running_keeper
from tests.ports import free_port
from tests.processes import WarehouseProcess, start_warehouse
from tests.relay_of_server import RelayOfServer
from tests.shards import ShardedProcess

SILENCE_SECONDS = 2


@dataclass
class ReplicatedProcess(WarehouseProcess):
    """All replicas as one warehouse; its own process is the first's."""

    members: list[WarehouseProcess] = field(default_factory=list)
    keeper: Keeper | None = None
    inter_ports: list[int] = field(default_factory=list)
    relays_to_keeper: list[RelayOfServer] = field(default_factory=list)
    options: Sequence[Sequence[str]] = ()
    """Of each listener of a cluster, which tell it the others."""

    def url(self, role: Role) -> str:
        places = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return super().url(role).replace(f"127.0.0.1:{self.port}", places)

    def client(self, role: Role) -> Warehouse:
        cache = Cache() if role is Role.READ else None
        return Warehouse(self.url(role), silence_seconds=SILENCE_SECONDS, cache=cache)

    def add(self, directory: Path) -> WarehouseProcess:
        """Starts one more, with a way to Keeper of its own."""
        assert self.keeper
        passwords = self.directory / "run" / "warehouse-passwords.json"
        load_or_create_passwords(passwords)
        own = directory / "run" / passwords.name
        if own != passwords:
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_text(passwords.read_text())
        self.inter_ports.append(free_port())
        self.relays_to_keeper.append(RelayOfServer(self.keeper.port))
        self.relays_to_keeper[-1].start()
        self.members.append(self._start(len(self.members), directory, None))
        return self.members[-1]

    def start_again(self, number: int) -> None:
        """After its process has ended."""
        ended = self.members[number]
        self.members[number] = self._start(number, ended.directory, ended.port)

    def _start(self, number: int, directory: Path, port: int | None) -> WarehouseProcess:
        ports = (str(self.inter_ports[number]), str(self.relays_to_keeper[number].port))
        module = ("tests.replica_listener", f"replica-{number + 1}", *ports)
        options = self.options[number] if self.options else ()
        return start_warehouse(directory, port, options=options, module=module)

    def kill(self, number: int) -> None:
        self.members[number].process.kill()
        self.members[number].process.wait()

    def stop(self) -> None:
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.process.wait()
        for relay in self.relays_to_keeper:
            relay.stop()

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
        found = started(directory, keeper, count)
        try:
            yield found
        finally:
            found.stop()


def started(
    directory: Path, keeper: Keeper, count: int, options: Sequence[Sequence[str]] = ()
) -> ReplicatedProcess:
    folders = [directory / f"replica-{number}" for number in range(1, count + 1)]
    found = ReplicatedProcess(folders[0], 0, None, keeper=keeper, options=options)  # type: ignore[arg-type]
    for folder in folders:
        found.add(folder)
    found.port, found.process = found.members[0].port, found.members[0].process
    return found


@dataclass
class ReplicatedCluster(ShardedProcess):
    """Shards, each with replicas."""

    of_shards: list[ReplicatedProcess] = field(default_factory=list)

    def at(self, place: str) -> tuple[ReplicatedProcess, int]:
        """The shard and the number of the replica at `host:port`."""
        return next(
            (shard, number)
            for shard in self.of_shards
            for number, member in enumerate(shard.members)
            if place == f"127.0.0.1:{member.port}"
        )

    def stop(self) -> None:
        for shard in self.of_shards:
            shard.stop()


@contextmanager
def replicated_cluster(directory: Path, shard_count: int, replica_count: int) -> Iterator[ReplicatedCluster]:
    ports = [[str(free_port()) for _ in range(replica_count)] for _ in range(shard_count)]
    shards = ",".join("|".join(f"127.0.0.1:{port}" for port in of_shard) for of_shard in ports)
    passwords = directory / "shard-1" / "replica-1" / "run" / "warehouse-passwords.json"
    load_or_create_passwords(passwords)
    with running_keeper(directory / "keeper") as keeper:
        found = list[ReplicatedProcess]()
        try:
            for number, of_shard in enumerate(ports, 1):
                folder = directory / f"shard-{number}"
                own = folder / "replica-1" / "run" / passwords.name
                own.parent.mkdir(parents=True, exist_ok=True)
                own.write_text(passwords.read_text())
                options = [("--tcp-port", port, "--shards", shards) for port in of_shard]
                found.append(started(folder, keeper, replica_count, options))
            first = found[0]
            members = [member for shard in found for member in shard.members]
            yield ReplicatedCluster(first.directory, first.port, first.process, members, of_shards=found)
        finally:
            for shard in found:
                shard.stop()

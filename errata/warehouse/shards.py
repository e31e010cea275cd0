"""The client of a cluster: each shard is a whole warehouse of its own projects."""

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol

from errata.deflated import Deflated
from errata.errors import ErrataError
from errata.warehouse.asked import Asked, Table
from errata.warehouse.asked_ahead import AskedAhead
from errata.warehouse.cache import SHARED_SECONDS, Cache
from errata.warehouse.client import Parameters, Row, Warehouse, WarehouseUnavailable
from errata.warehouse.published import Builds, Snapshot, projects_of
from errata.warehouse.statement import known
from errata.warehouse.topology import Topology, at, listed_shards


class Places(Protocol):
    """Where projects are, by their ids."""

    def of(self, project_id: int) -> int:
        """The number of its shard."""
        ...

    def is_held(self, project_id: int) -> bool:
        """Whether nothing may be written of it, since it is just being moved."""
        ...


Make = Callable[[str, Cache | None], Warehouse]
"""A client by the URL of its servers, with a cache for its answers."""


def connections_of(url: str, cluster: str, places: Places) -> Callable[[str, Make, Cache | None], Warehouse]:
    """How a program connects to the warehouse, or to the shards of the `cluster` if it has a name. `url`: of
    a user who may ask the servers for their shards."""
    if not cluster:
        return lambda url, make, cache: make(url, cache)
    topology = Topology(url, cluster)
    # The shards share the memory that one warehouse has.
    return lambda url, make, cache: Shards(
        url, topology, places, lambda one: make(one, cache and cache.of_a_part()), cache
    )


class NoProjectNamed(ErrataError):
    """A statement that belongs to no shard: its caller asks `shards()`, or the shard `of` a project."""

    code = "no_project_named"

    def __init__(self, statement: str) -> None:
        super().__init__(f"In a cluster, a statement needs its projects: {statement[:200]}")


class Shards(Warehouse):
    """A client with the methods of Warehouse, for a cluster. Thread-safe.

    A statement goes to the shard of the projects among its parameters (`projects` or `project_id`). Of
    projects on several shards each shard is asked about its own, and their rows follow each other. Rows are
    stored where their projects are. `url`: of any servers of the cluster, with the user of this client.
    `cache` keeps what is put together from answers, whose keys name the project; each shard has its own for
    answers.
    """

    def __init__(
        self,
        url: str,
        topology: Topology,
        places: Places,
        make: Callable[[str], Warehouse],
        cache: Cache | None = None,
    ) -> None:
        self._url = url
        self._topology = topology
        self._places = places
        self._make = make
        self._members: dict[tuple[str, ...], Warehouse] = {}
        self._seen: Callable[[Warehouse], Warehouse] = lambda shard: shard
        self.cache = cache
        self.asked_ahead = AheadOfShards(self)
        self.address = f"the cluster {topology.cluster}"

    def shards(self) -> Sequence[Warehouse]:
        """Raises WarehouseUnavailable while no server is known."""
        found = [self._member(places) for places in self._topology.places().values()]
        if not found:
            raise WarehouseUnavailable(self.address, "no server responds")
        return found

    def shard_number(self, project_id: int) -> int:
        return self._places.of(project_id)

    def by_shard(
        self, projects: Iterable[int], *, is_writing: bool = False
    ) -> Sequence[tuple[Warehouse, Sequence[int]]]:
        by_number: dict[int, list[int]] = {}
        for project_id in projects:
            if is_writing and self._places.is_held(project_id):
                raise WarehouseUnavailable(
                    self.address, f"project {project_id} is being moved to another shard", is_away=False
                )
            by_number.setdefault(self._places.of(project_id), []).append(project_id)
        return [(self._shard(number), by_number[number]) for number in sorted(by_number)]

    def of(self, projects: Sequence[int]) -> Warehouse:
        parts = self.by_shard(projects)
        return parts[0][0] if len(parts) == 1 else self

    def there(self) -> Sequence[Warehouse]:
        found = self.shards()
        return [shard for shard in found if shard.is_there()] or found

    def reachable(self, projects: Iterable[int]) -> list[int]:
        there = {
            number for number, places in self._topology.places().items() if self._member(places).is_there()
        }
        return [each for each in projects if self._places.of(each) in there]

    def any(self) -> Warehouse:
        return self.there()[0]

    def _shard(self, number: int) -> Warehouse:
        places = self._topology.places().get(number)
        if places is None:
            raise WarehouseUnavailable(f"shard {number} of {self.address}", "no server responds")
        return self._member(places)

    def _member(self, places: tuple[str, ...]) -> Warehouse:
        if places not in self._members:
            # Of two threads that make one, both use the first.
            self._members.setdefault(places, self._make(at(self._url, places)))
        return self._seen(self._members[places])

    def _view(self, see: Callable[[Warehouse], Warehouse]) -> "Shards":
        same, before = copy(self), self._seen
        same._seen = lambda shard: see(before(shard))
        return same

    def _parts(
        self, sql: str, parameters: Parameters | None, *, is_writing: bool = False
    ) -> Sequence[tuple[Warehouse, Parameters | None]]:
        """Each shard with its own part of the parameters. Raises NoProjectNamed."""
        given = {**known(sql).values, **(parameters or {})}
        parts = self.by_shard(projects_of(given), is_writing=is_writing)
        if not parts:
            raise NoProjectNamed(sql)
        if len(parts) == 1:
            return [(parts[0][0], parameters)]
        return [(shard, {**(parameters or {}), "projects": projects}) for shard, projects in parts]

    def _one(self, sql: str, parameters: Parameters | None) -> Warehouse:
        """For what cannot be put together from several. Raises NoProjectNamed."""
        parts = self._parts(sql, parameters)
        if len(parts) > 1:
            raise NoProjectNamed(sql)
        return parts[0][0]

    def require(self) -> None:
        """Raises WarehouseUnavailable while every shard is known to be away: other projects are served."""
        self.any().require()

    def is_there(self) -> bool:
        return any(shard.is_there() for shard in self.shards())

    def ping(self) -> bool:
        return any(shard.ping() for shard in self.shards())

    def servers(self) -> Mapping[str, bool]:
        """Of those that ever answered."""
        return {place: is_ready for shard in self.shards() for place, is_ready in shard.servers().items()}

    @property
    def has_others(self) -> bool:
        return True

    def are_all_there(self) -> bool:
        """Whether every shard that the cluster has responds."""
        listed = listed_shards(self.any(), self._topology.cluster)
        return listed <= self._topology.places().keys() and all(shard.ping() for shard in self.shards())

    @property
    def shared_seconds(self) -> float:
        return self.any().shared_seconds

    def limited(self, seconds: float) -> "Shards":
        return self._view(lambda shard: shard.limited(seconds))

    def shared(self, seconds: float | None = None) -> "Shards":
        return self._view(lambda shard: shard.shared(SHARED_SECONDS if seconds is None else seconds))

    def uncached(self) -> "Shards":
        same = self._view(lambda shard: shard.uncached())
        same.cache = None
        return same

    def note(self, key: Hashable, ask: Callable[[Warehouse], Any], marts: Iterable[str]) -> None:
        """What the shards are asked for it, they note themselves."""

    @contextmanager
    def noted(self, key: Hashable, ask: Callable[[Warehouse], Any], marts: Iterable[str]) -> Iterator[None]:
        """What the shards are asked within, they note themselves."""
        yield

    def ask_ahead(self) -> None:
        for shard in self.shards():
            shard.ask_ahead()

    def rows(
        self,
        sql: str,
        parameters: Parameters | None = None,
        settings: Mapping[str, Any] | None = None,
        tables: Sequence[Table] = (),
    ) -> list[Row]:
        return [
            row
            for shard, part in self._parts(sql, parameters)
            for row in shard.rows(sql, part, settings, tables)
        ]

    def columns(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Sequence[Any]]:
        found: dict[str, Sequence[Any]] = {}
        for shard, part in self._parts(sql, parameters):
            for name, values in shard.columns(sql, part, settings).items():
                found[name] = [*found.get(name, ()), *values]
        return found

    def table(
        self,
        name: str,
        columns: str,
        sql: str,
        parameters: Parameters | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Table:
        return self._one(sql, parameters).table(name, columns, sql, parameters, settings)

    def packed(
        self, columns: str, keys: Sequence[str], sql: str, parameters: Parameters | None = None
    ) -> tuple[list[Sequence[Any]], Asked]:
        return self._one(sql, parameters).packed(columns, keys, sql, parameters)

    def text(self, sql: str, parameters: Parameters | None = None) -> Deflated:
        return self._one(sql, parameters).text(sql, parameters)

    def stream(self, text: str, form: str, settings: Mapping[str, Any]) -> Iterator[bytes]:
        raise NoProjectNamed(text)

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        for shard, part in self._parts(sql, parameters, is_writing=True):
            shard.execute(sql, part, settings)

    def insert_rows(self, table: str, rows: Iterable[Parameters], token: str = "") -> None:
        """Stores the rows of each shard as a whole, one shard after the other."""
        by_project: dict[int, list[Parameters]] = {}
        for row in rows:
            by_project.setdefault(row["project_id"], []).append(row)
        for shard, projects in self.by_shard(by_project, is_writing=True):
            shard.insert_rows(table, [row for each in projects for row in by_project[each]], token)

    def insert_json_lines(
        self,
        table: str,
        lines: bytes | Callable[[], Generator[bytes, None, None]],
        columns: Sequence[str] = (),
        token: str = "",
    ) -> None:
        raise NoProjectNamed(table)

    def asked(
        self,
        statement: str,
        parameters: Parameters | None,
        settings: Mapping[str, Any] | None = None,
        tables: Sequence[Table] = (),
    ) -> Asked:
        return self._one(statement, parameters).asked(statement, parameters, settings, tables)

    def members(self) -> Sequence[Warehouse]:
        """The clients made until now."""
        return list(self._members.values())

    def close(self) -> None:
        for member in self.members():
            member.close()


class AheadOfShards(AskedAhead):
    """What the shards hold for their readers, as one."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def snapshot(self) -> Snapshot:
        found: dict[str, Builds] = {}
        for member in self._shards.members():
            found.update(member.asked_ahead.held())
        return Snapshot(found)

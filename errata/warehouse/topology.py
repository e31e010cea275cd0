"""The shards of a cluster: which address is a server of which, by the server's own word."""

import time
from collections.abc import Mapping, Sequence
from threading import Lock
from urllib.parse import urlsplit

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.addresses import addresses_of, place_of
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable

# Servers that did not answer are asked again by whoever needs them.
AGAIN_SECONDS = 1.0
CONNECT_SECONDS = 5


class NotOfCluster(ErrataError):
    """A server does not know the cluster, or not itself in it."""

    code = "not_of_cluster"
    is_final = True

    def __init__(self, place: str, cluster: str) -> None:
        super().__init__(
            f"{place} isn't a server of the cluster {cluster}: its system.clusters has no row of {cluster} "
            "with is_local = 1. Check ERRATA_WAREHOUSE_CLUSTER, and remote_servers in its configuration"
        )


class ShardsMissing(ErrataError):
    """Shards of the cluster have no server among the addresses."""

    code = "shards_missing"
    is_final = True

    def __init__(self, cluster: str, missing: Sequence[int]) -> None:
        named = ", ".join(map(str, missing))
        super().__init__(
            f"No address of ERRATA_WAREHOUSE_ADMIN_URL is a server of shard {named} of the cluster {cluster}"
        )
        self.missing = tuple(missing)


class Topology:
    """The servers of a cluster by shard. Thread-safe. `url` lists any of their addresses, with a user who may
    read `system.clusters`; a server is asked once which shard it is of, as soon as it answers."""

    def __init__(self, url: str, cluster: str) -> None:
        self.cluster = cluster
        self._addresses = addresses_of(url)
        self._shards: dict[str, int] = {}
        self._asked_at = float("-inf")
        self._lock = Lock()

    def places(self) -> Mapping[int, tuple[str, ...]]:
        """`host:port` of the known servers by shard, each shard's in the order of their addresses."""
        with self._lock:
            is_due = time.monotonic() - self._asked_at >= AGAIN_SECONDS
            if len(self._shards) < len(self._addresses) and is_due:
                self._ask()
            found: dict[int, list[str]] = {}
            for place in map(place_of, self._addresses):
                if place in self._shards:
                    found.setdefault(self._shards[place], []).append(place)
            return {number: tuple(found[number]) for number in sorted(found)}

    def _ask(self) -> None:
        """Raises NotOfCluster. Servers that are away stay unknown."""
        for address in self._addresses:
            place = place_of(address)
            if place not in self._shards:
                try:
                    self._shards[place] = shard_of_server(address, self.cluster)
                except WarehouseUnavailable:
                    continue
        self._asked_at = time.monotonic()


def whole(url: str, cluster: str) -> Mapping[int, tuple[str, ...]]:
    """`host:port` of all servers by shard, each shard's in the order of their addresses. Raises NotOfCluster,
    ShardsMissing, and WarehouseUnavailable unless all answer."""
    found: dict[int, list[str]] = {}
    for address in addresses_of(url):
        found.setdefault(shard_of_server(address, cluster), []).append(place_of(address))
    server = Warehouse(addresses_of(url)[0], timeout_seconds=CONNECT_SECONDS)
    listed = listed_shards(server, cluster)
    server.close()
    if missing := sorted(listed - found.keys()):
        raise ShardsMissing(cluster, missing)
    return {number: tuple(found[number]) for number in sorted(found)}


def listed_shards(server: Warehouse, cluster: str) -> set[int]:
    """The numbers of the shards that a server knows of a cluster."""
    return {row["shard"] for row in server.rows(sql.query("shards_of_cluster"), {"cluster": cluster})}


def shard_of_server(address: str, cluster: str) -> int:
    """The shard that the server of this address is of. Raises NotOfCluster and WarehouseUnavailable."""
    server = Warehouse(address, timeout_seconds=CONNECT_SECONDS)
    try:
        rows = server.rows(sql.query("shard_of_server"), {"cluster": cluster})
    except QueryFailed as error:
        raise NotOfCluster(place_of(address), cluster) from error
    finally:
        server.close()
    if not rows:
        raise NotOfCluster(place_of(address), cluster)
    return int(rows[0]["shard"])


def at(url: str, places: tuple[str, ...]) -> str:
    """The URL with its user, at these places."""
    parts = urlsplit(url)
    login, at_sign, _hosts = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{login}{at_sign}{','.join(places)}").geturl()

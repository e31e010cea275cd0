"""Free space on the warehouse's disk. Writers stop before the disk is full: merges and builds need space
too."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from threading import Lock

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable

CHECK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Space:
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The space that must stay free: the larger of the two."""

    min_bytes: int
    min_percent: float

    def bytes_of(self, space: Space) -> int:
        return max(self.min_bytes, int(space.total_bytes * self.min_percent / 100))

    def times(self, factor: int) -> "Bound":
        return Bound(self.min_bytes * factor, min(self.min_percent * factor, 100))

    def is_passed(self, space: Space) -> bool:
        return space.free_bytes < self.bytes_of(space)


# Builds stop before deliveries are refused: they can wait, and the versions they replace are dropped later.
BUILDS_BOUND = Bound(min_bytes=2 << 30, min_percent=3.0)


class DiskFull(ErrataError):
    """Less space is free than must stay free."""

    code = "disk_full"
    # The message names no path: a sender of deliveries can do nothing with it.
    says_why = True
    retry_after_seconds = 15

    def __init__(self, space: Space, bound: Bound) -> None:
        super().__init__(
            f"The warehouse disk is nearly full: {_size(space.free_bytes)} of "
            f"{_size(space.total_bytes)} are free, and {_size(bound.bytes_of(space))} must stay free "
            f"({_size(bound.min_bytes)} or {bound.min_percent:g}%, whichever is more)."
        )
        self.space = space
        self.bound = bound


class AdmissionLimit:
    """The admission limit by free space. Thread-safe. Each shard's disk is asked once a second at most,
    however many callers there are."""

    def __init__(
        self, warehouse: Warehouse, bound: Bound, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.bound = bound
        self._warehouse = warehouse
        self._clock = clock
        self._looking = Lock()
        self._seen: dict[str, tuple[float, Space | None]] = {}

    def is_lacking(self) -> bool:
        """Whether the disk of any shard is too full."""
        return any(self._lacking(shard) is not None for shard in self._warehouse.shards())

    def require_any(self) -> None:
        """Raises DiskFull if there is no shard that anything could be stored on."""
        lacking = list(map(self._lacking, self._warehouse.shards()))
        if lacking[0] is not None and None not in lacking:
            raise DiskFull(lacking[0], self.bound)

    def require(self, projects: Collection[int]) -> None:
        """Raises DiskFull if that of a shard with these projects is too full."""
        for shard, _ in self._warehouse.by_shard(projects):
            require(self._space(shard), self.bound)

    def _lacking(self, shard: Warehouse) -> Space | None:
        """The space of a disk that is too full."""
        try:
            space = self._space(shard)
        except WarehouseUnavailable:
            if len(self._warehouse.shards()) == 1:
                raise
            return None
        return space if space is not None and self.bound.is_passed(space) else None

    def _space(self, shard: Warehouse) -> Space | None:
        """The disk's space; None if the warehouse does not report it, as before the first `errata
        migrate`."""
        with self._looking:
            now = self._clock()
            looked_at, space = self._seen.get(shard.address, (float("-inf"), None))
            if now - looked_at >= CHECK_SECONDS:
                space = space_of(shard)
                self._seen[shard.address] = now, space
            return space


def require(space: Space | None, bound: Bound) -> None:
    """Raises DiskFull."""
    if space is not None and bound.is_passed(space):
        raise DiskFull(space, bound)


def space_of(warehouse: Warehouse) -> Space | None:
    try:
        rows = warehouse.rows(sql.query("disk_space"))
    except QueryFailed:
        return None
    return Space(**rows[0]) if rows else None


def _size(byte_count: int) -> str:
    return f"{byte_count / 1e9:.2f} GB"

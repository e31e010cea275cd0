"""The cache of a process. Its values cannot change, since each key names everything that the value depends
on; or they are as old as their caller allows."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from threading import Lock
from typing import Any

NEVER = float("-inf")
FOR_EVER = float("inf")
# Many look at the same page: what they ask together is answered once.
SHARED_SECONDS = 3
BYTES_A_VALUE = 64
"""About the memory of a short text, a number or an entry of a list."""


@dataclass(frozen=True)
class Usage:
    """The use of the cache; `byte_count` is an estimate."""

    entry_count: int
    byte_count: int
    hit_count: int
    miss_count: int


@dataclass
class _Entry:
    """A value with a lock, held by the caller that computes it; others with the same key wait for the
    lock."""

    lock: Lock = field(default_factory=Lock)
    value: Any = None
    size: int = 0
    asked_at: float = NEVER


class Cache:
    """Keeps the most recently used values, up to `max_bytes` in all. Thread-safe.

    A value larger than half of that is returned, but not kept. `on_lookup` is told of each lookup whether it
    was a hit, and the use of the cache after it.
    """

    def __init__(
        self, max_bytes: int = 96 << 20, on_lookup: Callable[[bool, Usage], None] | None = None
    ) -> None:
        self._max_bytes = max_bytes
        self._on_lookup = on_lookup
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = Lock()
        self._byte_count = 0
        self._hit_count = 0
        self._miss_count = 0

    def of_a_part(self) -> "Cache":
        """A cache of its own for one of several warehouses, a quarter as large."""
        return Cache(self._max_bytes // 4, self._on_lookup)

    def get(self, key: Hashable, compute: Callable[[], Any], seconds: float = FOR_EVER) -> Any:
        """The value of `key`, computed once for callers that ask at the same time, and again once it is older
        than `seconds`. An exception of `compute` reaches the caller, and nothing is kept."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
        with entry.lock:
            asked_at = time.monotonic()
            is_hit = asked_at - entry.asked_at < seconds
            try:
                value = entry.value if is_hit else compute()
            except BaseException:
                self._drop(key, entry)
                raise
            self._note(key, entry, value, is_hit, asked_at)
            if self._on_lookup is not None:
                self._on_lookup(is_hit, self.usage)
            return value

    @property
    def usage(self) -> Usage:
        with self._lock:
            return Usage(len(self._entries), self._byte_count, self._hit_count, self._miss_count)

    def _note(self, key: Hashable, entry: _Entry, value: Any, is_hit: bool, asked_at: float) -> None:
        size = 0 if is_hit else estimated_size(value)
        with self._lock:
            self._hit_count += is_hit
            self._miss_count += not is_hit
            if is_hit or self._entries.get(key) is not entry:
                return
            self._byte_count += size - entry.size
            entry.value, entry.size, entry.asked_at = value, size, asked_at
            if size > self._max_bytes // 2:
                self._forget(key)
            while self._byte_count > self._max_bytes:
                _, oldest = self._entries.popitem(last=False)
                self._byte_count -= oldest.size

    def _drop(self, key: Hashable, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                self._forget(key)

    def _forget(self, key: Hashable) -> None:
        self._byte_count -= self._entries.pop(key).size


def estimated_size(value: Any) -> int:
    """An estimate of a value's memory: every value counts the same, and long texts by their length."""
    if isinstance(value, str | bytes):
        return BYTES_A_VALUE + len(value)
    if isinstance(value, Mapping):
        return BYTES_A_VALUE + sum(map(estimated_size, value.values()))
    if isinstance(value, Iterable):
        return BYTES_A_VALUE + sum(map(estimated_size, value))
    if is_dataclass(value):
        return BYTES_A_VALUE + sum(estimated_size(getattr(value, each.name)) for each in fields(value))
    return BYTES_A_VALUE

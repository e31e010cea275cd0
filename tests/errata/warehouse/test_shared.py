"""Answers that all callers of a moment share, and nobody after it."""

from dataclasses import dataclass
from functools import partial

import pytest

from errata.warehouse import cache as cache_module
from errata.warehouse.cache import Cache
from errata.warehouse.roles import Role
from tests.builders import an_error_event
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

COUNT = "select count() as event_count from errata_raw.error_events"


@dataclass
class Clock:
    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now


def test_an_answer_is_shared_for_seconds_and_fresh_for_others(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(cache_module, "time", clock)
    read = warehouse.client(Role.READ)
    read.cache = Cache()
    shared, wanted = read.shared(3), {"projects": [7]}
    assert shared.rows(COUNT, wanted) == [{"event_count": 0}]
    store(warehouse, {"errata_raw.error_events": [an_error_event()]})
    clock.now += 2.9
    assert shared.rows(COUNT, wanted) == [{"event_count": 0}]
    # Neither another question nor a caller that shares nothing is answered with it.
    assert read.rows(COUNT, wanted) == [{"event_count": 1}]
    assert shared.rows(COUNT, {"projects": [8]}) == [{"event_count": 0}]
    assert shared.rows(COUNT, {"projects": [7, 8]}) == [{"event_count": 1}]
    clock.now += 0.2
    assert shared.rows(COUNT, wanted) == [{"event_count": 1}]
    assert read.cache.usage.entry_count == 3
    read.close()


def test_a_value_takes_the_place_of_its_older_self() -> None:
    cache = Cache(max_bytes=10_000)
    for number in range(100):
        value = "x" * 1000 * (number % 3)
        assert cache.get("page", partial(str, value), seconds=0) == value
    assert cache.usage.entry_count == 1
    assert cache.usage.byte_count == 64
    with pytest.raises(ZeroDivisionError):
        cache.get("page", lambda: 1 / 0, seconds=0)
    assert cache.usage.byte_count == 0

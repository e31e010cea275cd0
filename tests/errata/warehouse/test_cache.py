"""What a process keeps of answers, and how much of it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from errata.warehouse.cache import BYTES_A_VALUE, Cache
from errata.warehouse.client import QueryFailed
from errata.warehouse.published import reads_published_rows_alone
from errata.warehouse.roles import Role
from tests.builders import a_delivery, insert
from tests.cases import each
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

COUNT = "select count() as row_count from errata_mart.delivery_daily"


def test_a_value_is_computed_once() -> None:
    cache = Cache()
    assert [cache.get("key", iter([value]).__next__) for value in (7, 8)] == [7, 7]
    assert (cache.usage.hit_count, cache.usage.miss_count) == (1, 1)


def test_callers_at_the_same_time_share_one_computation() -> None:
    cache, may_end, calls = Cache(), Event(), list[int]()

    def compute() -> int:
        calls.append(1)
        assert may_end.wait(10)
        return 7

    with ThreadPoolExecutor(4) as callers:
        answers = [callers.submit(cache.get, "key", compute) for _ in range(4)]
        may_end.set()
        assert [answer.result(10) for answer in answers] == [7, 7, 7, 7]
    assert calls == [1]


def test_the_values_used_last_are_kept_within_the_bound() -> None:
    cache = Cache(max_bytes=5 * BYTES_A_VALUE)
    for key in ("a", "b", "c", "d", "e"):
        cache.get(key, lambda: 0)
    cache.get("a", lambda: 1)
    cache.get("f", lambda: 0)
    assert cache.usage.byte_count == 5 * BYTES_A_VALUE
    assert cache.get("a", lambda: 1) == 0
    assert cache.get("b", lambda: 1) == 1


def test_a_value_too_large_to_keep_is_returned_all_the_same() -> None:
    cache = Cache(max_bytes=6 * BYTES_A_VALUE)
    assert cache.get("key", lambda: [1, 2, 3]) == [1, 2, 3]
    assert cache.get("key", lambda: [4]) == [4]
    assert cache.usage.entry_count == 1


def test_nothing_is_kept_of_a_computation_that_failed() -> None:
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 // 0)
    assert cache.usage.entry_count == 0
    assert cache.get("key", lambda: 7) == 7


def test_an_answer_from_a_mart_is_kept_until_the_next_build(warehouse: WarehouseProcess) -> None:
    read, ingest = warehouse.client(Role.READ), warehouse.client(Role.INGEST)
    assert read.cache is not None
    for file_count in (1, 2):
        insert(ingest, "errata_raw.deliveries", [a_delivery(project_id=1, file=f"{file_count}.log")])
        build_marts(warehouse, "delivery_daily")
        before = read.cache.usage
        for _ in range(3):
            assert read.rows(COUNT, {"projects": [1]}) == [{"row_count": file_count}]
        after = read.cache.usage
        assert (after.hit_count - before.hit_count, after.miss_count - before.miss_count) == (2, 1)


def test_a_caller_may_change_the_rows_it_got(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    read.rows(COUNT, {"projects": [1]})[0]["row_count"] = 5
    assert read.rows(COUNT, {"projects": [1]}) == [{"row_count": 0}]


def test_a_statement_that_fails_is_asked_again(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    for _ in range(2):
        with pytest.raises(QueryFailed):
            read.rows("select no_such_column from errata_mart.delivery_daily", {"projects": [1]})


@each(
    ("statement", "is_kept"),
    [
        ("select 1", False),
        (COUNT, True),
        ("select count() from errata_raw.error_events", False),
        ("select count() from errata_mart.delivery_daily where day = today()", False),
        ("select 1 from errata_mart.variant_totals join errata_read.issue_states using (project_id)", False),
        ("select 1 from errata_mart.release_impact", False),
        ("select count() from system.parts, errata_mart.delivery_daily", False),
    ],
)
def test_only_statements_over_published_rows_are_kept(statement: str, is_kept: bool) -> None:
    assert reads_published_rows_alone(statement) is is_kept

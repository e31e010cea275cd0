from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from errata.errors import RateLimited
from errata.state import Store
from errata.state.token_buckets import Limit, TokenBucket
from tests.errata.state.conftest import Clock

LINES = Limit("lines", 600, 60)
# So slow that nothing is filled while a test runs.
SLOW = Limit("slow", 100, 1e6)


def test_a_full_bucket_is_emptied_and_tells_when_there_is_enough_again(store: Store) -> None:
    assert store.token_buckets.take(SLOW, "shop", 60) == 60
    with pytest.raises(RateLimited) as refused:
        store.token_buckets.take(SLOW, "shop", 41)
    assert 9_000 <= refused.value.retry_after_seconds <= 10_000
    assert store.token_buckets.take(SLOW, "shop", 40) == 40
    assert store.token_buckets.take(SLOW, "another", 100) == 100


def test_what_is_taken_ahead_is_what_there_is(store: Store) -> None:
    assert store.token_buckets.take(SLOW, "shop", 10, spare=50) == 60
    assert store.token_buckets.take(SLOW, "shop", 10, spare=50) == 40
    with pytest.raises(RateLimited):
        store.token_buckets.take(SLOW, "shop", 1, spare=50)


def test_a_batch_larger_than_a_bucket_is_taken_from_a_full_one_and_waited_for_later(store: Store) -> None:
    assert store.token_buckets.take(SLOW, "shop", 250, spare=10) == 250
    with pytest.raises(RateLimited) as refused:
        store.token_buckets.take(SLOW, "shop", 1)
    assert 1_500_000 <= refused.value.retry_after_seconds <= 1_510_000


@pytest.mark.parametrize("state_url", ["sqlite"], indirect=True)
def test_a_bucket_is_filled_evenly_and_then_forgotten(store: Store, clock: Clock) -> None:
    store.token_buckets.take(LINES, "shop", 600)
    clock.advance(timedelta(seconds=10))
    assert store.token_buckets.take(LINES, "shop", 100) == 100
    with pytest.raises(RateLimited):
        store.token_buckets.take(LINES, "shop", 1)
    clock.advance(timedelta(seconds=-5))
    with pytest.raises(RateLimited):
        store.token_buckets.take(LINES, "shop", 1)
    clock.advance(timedelta(minutes=2))
    store.token_buckets.take(LINES, "another", 1)
    with store.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(TokenBucket)).scalar_one() == 1


def test_many_at_once_get_no_more_than_there_is(store: Store) -> None:
    def take(_: int) -> int:
        try:
            return store.token_buckets.take(SLOW, "shop", 3, spare=2)
        except RateLimited:
            return 0

    with ThreadPoolExecutor(8) as nodes:
        taken = list(nodes.map(take, range(60)))
    assert 98 <= sum(taken) <= 100

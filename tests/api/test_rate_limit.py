"""Two nodes under one limit."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from api.rate_limit import RateLimit
from errata.errors import RateLimited
from errata.state import Store
from errata.state.token_buckets import Limit, TokenBuckets

# So slow that nothing is filled while a test runs.
LIMIT = Limit("lines", 1_000, 1e7)


def admitted(rate: RateLimit, count: int, times: int) -> int:
    total = 0
    for _ in range(times):
        try:
            rate.take("shop", count)
        except RateLimited:
            continue
        total += count
    return total


@pytest.mark.parametrize("share", [0, 50])
def test_two_nodes_admit_what_one_would(store: Store, share: int) -> None:
    nodes = [RateLimit(store.token_buckets, LIMIT, share) for _ in range(2)]
    with ThreadPoolExecutor(6) as threads:
        counts = list(threads.map(lambda number: admitted(nodes[number % 2], 7, 60), range(6)))
    # Each node keeps less than a share and a batch.
    assert LIMIT.most - 2 * (share + 7) <= sum(counts) <= LIMIT.most


def test_the_store_is_asked_once_a_share_and_not_for_refusals(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, take = list[int](), TokenBuckets.take

    def noted(self: TokenBuckets, limit: Limit, subject: str, count: int, spare: int = 0) -> int:
        asked.append(count)
        return take(self, limit, subject, count, spare)

    monkeypatch.setattr(TokenBuckets, "take", noted)
    rate = RateLimit(store.token_buckets, LIMIT, 99)
    assert admitted(rate, 1, 1_500) == 1_000
    assert len(asked) == 11


def test_a_refused_batch_does_not_keep_a_smaller_one_out(store: Store) -> None:
    moments = [0.0]
    rate = RateLimit(store.token_buckets, LIMIT, clock=lambda: moments[0])
    rate.take("shop", 900)
    for _ in range(2):
        with pytest.raises(RateLimited) as refused:
            rate.take("shop", 200)
        assert refused.value.retry_after_seconds > 0
    rate.take("shop", 100)
    rate.take("another", 200)
    with pytest.raises(RateLimited):
        rate.take("shop", 1)

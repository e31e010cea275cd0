"""What `bench.relay` recorded of 10,000 events and 6,000 pairs of versions still holds, and the
tables of bench/results/relay.md have a row with a reason for each kind of difference."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from errata.scrubbing import scrubbed
from tests.processes import WarehouseProcess
from tests.relay_differences import (
    FILTERED,
    KEPT,
    ORDERS,
    OTHERS,
    SEARCHED,
    Found,
    Pair,
    kind_of,
    order_kind,
    recorded,
    sample,
    search_kind,
)
from tests.relayed import is_left
from tests.relayed_orders import compared_pair, release_positions

DOCUMENT = (Path(__file__).parents[3] / "bench" / "results" / "relay.md").read_text()
ROW = re.compile(r"^\| (?!-)([^|]+?) \| ([^|]+?) \| ([\d,]+) \|$", re.MULTILINE)


def test_the_document_has_a_row_for_each_kind_with_its_count() -> None:
    rows = [(kind, int(number.replace(",", ""))) for kind, reason, number in ROW.findall(DOCUMENT) if reason]
    counts = recorded()["counts"]
    assert sorted(rows) == sorted((kind, number) for one in counts.values() for kind, number in one.items())
    kinds = {"kept": KEPT, "filtered": FILTERED, "others": OTHERS, "orders": ORDERS, "searches": SEARCHED}
    assert {name: set(one) for name, one in counts.items()} == {name: set(one) for name, one in kinds.items()}
    assert recorded()["events"] == 10_000 and len(recorded()["pairs"]) >= 5_000
    assert recorded()["relay"] in DOCUMENT


def test_no_secret_that_relay_strips_is_left() -> None:
    tried = Counter[str]()
    for event, planted, is_theirs in sample():
        is_ours = not is_left(scrubbed(msgspec.json.encode(event)).decode(), planted.secret)
        kinds = KEPT if is_theirs else FILTERED
        kind = "both" if is_theirs == is_ours else kind_of(Found(*planted), kinds)
        assert kind, (planted, is_theirs, event)
        tried[kind] += 1
    assert tried.keys() == {"both", *KEPT, *FILTERED}
    assert sum(tried.values()) > 400


@pytest.mark.slow
def test_versions_are_ordered_as_recorded(warehouse: WarehouseProcess) -> None:
    pairs = [Pair(*one) for one in recorded()["pairs"]]
    names = list(dict.fromkeys(one for pair in pairs for one in pair[:2]))
    positions = release_positions(warehouse, names)
    assert [compared_pair(pair.one, pair.other, pair.theirs, positions) for pair in pairs] == pairs
    counts = recorded()["counts"]
    for kind_of_pair, told in ((order_kind, counts["orders"]), (search_kind, counts["searches"])):
        assert Counter(kind for pair in pairs if (kind := kind_of_pair(pair)) is not None) == told

"""Odd but acceptable input: everything still builds, adds up and answers, and a neighbor's numbers stay."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flow.poison.block import poison
from tests.flow.poison.ingredients import INGREDIENTS
from tests.flow.poison.neighbor import Neighbor
from tests.flow.poison.seed import Seed
from tests.flow.poison.site import Site, site_over
from tests.processes import WarehouseProcess

SEEDS = [Seed(number) for number in (3, 17, 19, 43, 78)]


@pytest.fixture
def site(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Site]:
    with site_over(warehouse, tmp_path) as running:
        yield running


@pytest.mark.timeout(400)
@pytest.mark.slow
def test_after_odd_input_every_asset_builds_every_check_holds_and_every_page_answers(site: Site) -> None:
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)
    found = poison(site, Neighbor.settle(site), SEEDS, is_brief=True)
    assert found.problems == []
    assert found.request_count > 100


def test_the_seeds_have_every_ingredient() -> None:
    assert {name for seed in SEEDS for name in seed.ingredients} == set(INGREDIENTS)

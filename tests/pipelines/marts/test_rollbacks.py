"""A bad deploy, rolled back: the release that stays is judged as if the bad one had never been."""

import pytest

from errata.warehouse.roles import Role
from tests.mart_builds import build_page_metrics
from tests.processes import WarehouseProcess
from tests.rollbacks import BAD, BEFORE, GOOD, deliver_rollback, judged

ROLLBACKS = range(4)
LOADS = 250


@pytest.mark.slow
def test_a_rollback_is_not_held_up_by_the_release_that_it_rolls_back(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    for number in ROLLBACKS:
        deliver_rollback(ingest, number, LOADS)
    ingest.close()
    build_page_metrics(warehouse)
    found = list(judged(warehouse, ROLLBACKS))
    assert [one.number for one in found] == [*ROLLBACKS]
    for one in found:
        assert (one.bad.release, one.bad.previous_release, one.bad.overall_verdict) == (BAD, GOOD, "worse")
        assert (one.with_bad.release, one.with_bad.previous_release) == (GOOD, BEFORE)
        assert one.with_bad.effects == one.without.effects and one.with_bad.effects
        assert one.with_bad.error_rates == one.without.error_rates is not None
        assert not one.is_blocked

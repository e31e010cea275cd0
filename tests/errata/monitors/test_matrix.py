"""Some of the rows of `python -m bench.monitors`: no run that began is told as missed, and one that did not
is found within a minute."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.errata.monitors.matrix import FOUND_WITHIN, Job, Outage, Plan, Way, World, clock_changes, plans
from tests.processes import WarehouseProcess

PLANS = plans(datetime.now(UTC))


@pytest.fixture
def clients(warehouse: WarehouseProcess) -> Iterator[tuple[Warehouse, Warehouse]]:
    found = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    yield found
    for one in found:
        one.close()


def test_clocks_change_when_they_do() -> None:
    spring, autumn = clock_changes(datetime(2026, 11, 30, tzinfo=UTC))
    assert spring == datetime(2027, 3, 28, 1, tzinfo=UTC)
    assert autumn == datetime(2027, 10, 31, 1, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.parametrize("plan", [PLANS[0], PLANS[2], PLANS[5]], ids=lambda plan: plan.name)
def test_what_ran_is_never_missed_and_what_did_not_is_within_a_minute(
    plan: Plan, clients: tuple[Warehouse, Warehouse]
) -> None:
    rows = World(plan, 7, *clients).run()
    assert [f"{row.combination}: {row.fault}" for row in rows if row.fault] == []
    assert len(rows) == len(Job) * (len(Outage) * len(Way) - 1)
    found = [row.found_after for row in rows if row.found_after is not None]
    assert len(found) >= 20 and max(found) <= FOUND_WITHIN
    # Of what ran, what became known in the end is shown.
    shown = {row.combination: row.final for row in rows}
    for combination, final in shown.items():
        if combination.job is Job.PUNCTUAL and combination.outage is not Outage.HOST:
            is_lost = combination.outage is Outage.SERVER and combination.way is Way.DIRECT
            assert final == ("service_away" if is_lost else "ok"), combination


@pytest.mark.slow
def test_it_notices_what_is_falsely_missed(clients: tuple[Warehouse, Warehouse]) -> None:
    rows = World(PLANS[0], 7, *clients, knows_absences=False, knows_hosts=False).run()
    faulty = {(row.combination.outage, row.combination.way) for row in rows if row.false}
    assert {(Outage.SERVER, Way.DIRECT), (Outage.SHIPPER, Way.SHIPPED)} <= faulty

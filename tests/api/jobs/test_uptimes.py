"""The service is up while its process runs and its warehouse answers."""

from dataclasses import replace
from datetime import timedelta

import pytest

from api.jobs.uptimes import uptime_job
from errata.warehouse.client import WarehouseUnavailable
from errata.warehouse.roles import Role
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.processes import WarehouseProcess


def test_a_start_after_an_outage_begins_another_span(hooked: Hooked, warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    context = replace(hooked.context, read=read)
    before = uptime_job(context)
    for _ in range(3):
        before.work(EndlessRun())
        hooked.clock.advance(timedelta(seconds=10))
    assert hooked.store.uptimes.absences() == []
    hooked.clock.advance(timedelta(minutes=5))
    uptime_job(context).work(EndlessRun())
    read.close()
    ((since, until),) = hooked.store.uptimes.absences()
    assert until - since == timedelta(minutes=5, seconds=10)


def test_without_a_warehouse_the_service_is_not_up(hooked: Hooked) -> None:
    job = uptime_job(hooked.context)
    with pytest.raises(WarehouseUnavailable):
        job.work(EndlessRun())
    hooked.clock.advance(timedelta(minutes=5))
    with pytest.raises(WarehouseUnavailable):
        job.work(EndlessRun())
    assert hooked.store.uptimes.absences() == []

"""When the sensor of new rows requests a run."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from errata.warehouse.roles import Role
from pipelines.build_jobs import BUILD_EVERY, LOOK_EVERY_SECONDS, LOOKS_A_TICK, new_rows_sensor, rest
from pipelines.builder.new_rows import behind
from pipelines.definitions import defs
from pipelines.marts.registry import ENDPOINT_METRICS_DAILY, PAGE_LOADS
from pipelines.refresh import refresh_job
from pipelines.resources import StateResource, WarehouseResource
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.page_loads import loads
from tests.processes import WarehouseProcess

MARTS = (PAGE_LOADS, ENDPOINT_METRICS_DAILY)
NAMES = [mart.name for mart in MARTS]
JOB = refresh_job("refresh_some", MARTS, "")
SENSOR = new_rows_sensor("new_rows", JOB, MARTS, looks=1)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def deliver(warehouse: WarehouseProcess, received_at: datetime) -> None:
    rows = loads("shop@1.0", received_at - timedelta(days=8), 3)
    rows = [row | {"received_at": received_at} for row in rows]
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", rows)


def evaluated(
    instance: dg.DagsterInstance, url: str, sensor: dg.SensorDefinition = SENSOR
) -> dg.RunRequest | dg.SkipReason:
    resources: dict[str, object] = {"warehouse": WarehouseResource(url=url), "state": StateResource(url="")}
    context = dg.build_sensor_context(instance=instance, resources=resources)
    answer = sensor(context)
    if isinstance(answer, dg.SkipReason):
        return answer
    # There is one shard.
    assert isinstance(answer, list) and len(answer) == 1
    assert isinstance(answer[0], dg.RunRequest)
    return answer[0]


def test_a_run_is_requested_for_marts_that_were_never_built(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    assert isinstance(evaluated(instance, warehouse.url(Role.BUILD)), dg.RunRequest)


def test_none_is_requested_while_one_is_unfinished_or_nothing_can_be_asked(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    away = evaluated(instance, "http://errata_build@127.0.0.1:1")
    assert isinstance(away, dg.SkipReason)
    assert away.skip_message == (
        "The warehouse at 127.0.0.1:1 did not respond: "
        "start `errata up`, or correct ERRATA_WAREHOUSE_BUILD_URL"
    )
    instance.create_run_for_job(JOB, tags=dict(JOB.tags), status=dg.DagsterRunStatus.STARTED)
    held = evaluated(instance, warehouse.url(Role.BUILD))
    assert isinstance(held, dg.SkipReason)
    assert held.skip_message == "a run of refresh_some is not finished"


@pytest.mark.slow
def test_without_a_warehouse_every_tick_is_skipped_with_one_sentence(tmp_path: Path) -> None:
    resources: dict[str, object] = {"warehouse": WarehouseResource(url=""), "state": StateResource(url="")}
    repository = defs.get_repository_def()
    given: dict[str, Any] = {"resources": resources, "repository_def": repository}
    given["instance"] = dg.DagsterInstance.local_temp(str(tmp_path))
    skipped = {}
    for sensor in repository.sensor_defs:
        with dg.build_sensor_context(**given) as looking:
            skipped[sensor.name] = sensor.evaluate_tick(looking).skip_message
    for one in repository.schedule_defs:
        with dg.build_schedule_context(**given) as ticking:
            skipped[one.name] = one.evaluate_tick(ticking).skip_message
    assert (skipped.pop("pruning_every_hour"), skipped.pop("drill_every_week")) == (None, None)
    assert len(skipped) == 8 and set(skipped.values()) == {
        "Set ERRATA_WAREHOUSE_BUILD_URL to the URL of the warehouse, or start the pipelines with `errata up`"
    }


@pytest.mark.slow
def test_marts_that_are_built_are_built_again_when_rows_came(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    now = datetime.now(UTC)
    deliver(warehouse, now - timedelta(minutes=9))
    build_marts(warehouse, *NAMES, lag=timedelta(minutes=4))
    assert isinstance(evaluated(instance, warehouse.url(Role.BUILD)), dg.SkipReason)
    deliver(warehouse, now - timedelta(minutes=2))
    assert isinstance(evaluated(instance, warehouse.url(Role.BUILD)), dg.RunRequest)


def test_what_came_within_the_lag_is_left_to_a_later_run(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    build_marts(warehouse, *NAMES, lag=2 * BUILD_EVERY)
    deliver(warehouse, datetime.now(UTC))
    now = behind(builder, MARTS)
    assert (now.first_at is not None, now.has_rows) == (True, False)
    assert behind(builder, MARTS, lag=-timedelta(seconds=5)).has_rows
    builder.close()


@pytest.mark.slow
def test_what_is_built_is_not_new(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    deliver(warehouse, datetime.now(UTC) - timedelta(minutes=2))
    assert behind(builder, MARTS).has_rows
    build_marts(warehouse, *NAMES, lag=timedelta(seconds=30))
    assert behind(builder, MARTS).first_at is None
    assert behind(builder, [PAGE_LOADS]).span < timedelta(minutes=1)
    builder.close()


@pytest.mark.slow
def test_where_nothing_comes_a_build_starts_every_ten_minutes(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    url = warehouse.url(Role.BUILD)
    build_marts(warehouse, *NAMES, lag=timedelta(minutes=10, seconds=30))
    assert isinstance(evaluated(instance, url), dg.RunRequest)
    assert rest(WarehouseResource(url=url), MARTS) is None
    build_marts(warehouse, *NAMES, lag=timedelta(minutes=6))
    assert isinstance(evaluated(instance, url), dg.SkipReason)
    waits = rest(WarehouseResource(url=url), MARTS)
    assert waits is not None and str(waits.skip_message).startswith("nothing arrived since ")
    # These marts count no errors, but others do.
    event = an_error_event(received_at=datetime.now(UTC) - timedelta(minutes=1))
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [event])
    assert isinstance(evaluated(instance, url), dg.RunRequest)
    assert rest(WarehouseResource(url=url), MARTS) is None


def test_a_tick_goes_on_looking_until_there_is_something_to_build(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    monkeypatch.setattr("pipelines.build_jobs.sleep", looks.append)
    sensor = new_rows_sensor("patient", JOB, MARTS)
    run = instance.create_run_for_job(JOB, tags=dict(JOB.tags), status=dg.DagsterRunStatus.STARTED)
    url = warehouse.url(Role.BUILD)
    assert isinstance(evaluated(instance, url, sensor), dg.SkipReason)
    assert looks == [LOOK_EVERY_SECONDS] * (LOOKS_A_TICK - 1)
    instance.report_run_canceled(run)
    assert isinstance(evaluated(instance, url, sensor), dg.RunRequest)
    assert len(looks) == LOOKS_A_TICK - 1

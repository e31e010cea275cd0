"""The pipelines of a cluster: a run is of one shard, and runs of two go on side by side."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from errata.warehouse.configuration import CLUSTER
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from pipelines.build_jobs import new_rows_sensor
from pipelines.instance import CONFIGURATION
from pipelines.marts.registry import PAGE_LOADS, VARIANT_HOURLY
from pipelines.refresh import refresh_job
from pipelines.resources import BUILDS, SHARD, StateResource, WarehouseResource
from tests.builders import an_error_event, insert
from tests.shards import ShardedProcess, two_shards

JOB = refresh_job("refresh_some", [VARIANT_HOURLY], "")
SENSOR = new_rows_sensor("new_rows", JOB, [VARIANT_HOURLY], looks=1)
ODD, EVEN = 7, 8


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShardedProcess]:
    running = two_shards(tmp_path_factory.mktemp("shards"))
    for shard in running.client(Role.ADMIN).shards():
        migrate(shard)
    at = datetime.now(UTC) - timedelta(hours=3)
    events = [an_error_event(project_id=each, occurred_at=at, received_at=at) for each in (ODD, EVEN)]
    insert(running.client(Role.INGEST), "errata_raw.error_events", events)
    yield running
    running.stop()


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def resources(cluster: ShardedProcess) -> dict[str, object]:
    warehouse = WarehouseResource(url=cluster.url(Role.BUILD), cluster=CLUSTER)
    return {"warehouse": warehouse, "state": StateResource(url="")}


def requested(
    cluster: ShardedProcess, instance: dg.DagsterInstance, sensor: dg.SensorDefinition = SENSOR
) -> list[dict[str, str]]:
    answer = sensor(dg.build_sensor_context(instance=instance, resources=resources(cluster)))
    assert isinstance(answer, list)
    return [dict(request.tags) for request in answer]


def built(cluster: ShardedProcess) -> list[list[int]]:
    """The projects that the mart of each shard has."""
    return [
        [
            row["project_id"]
            for row in member.client(Role.ADMIN).rows("select project_id from errata_mart.variant_hourly")
        ]
        for member in cluster.members
    ]


def test_a_run_is_requested_for_each_shard(cluster: ShardedProcess, instance: dg.DagsterInstance) -> None:
    tags = [{BUILDS: f"{JOB.name} of shard {number}", SHARD: f"{number}"} for number in (1, 2)]
    assert requested(cluster, instance) == tags
    # The queue runs one at a time of each of these.
    assert f"key: {BUILDS}" in CONFIGURATION
    instance.create_run_for_job(JOB, tags=tags[0], status=dg.DagsterRunStatus.STARTED)
    assert requested(cluster, instance) == tags[1:]


def test_a_run_builds_its_shard_and_one_by_hand_all(
    cluster: ShardedProcess, instance: dg.DagsterInstance
) -> None:
    done = JOB.execute_in_process(instance=instance, resources=resources(cluster), tags={SHARD: "2"})
    assert done.success
    assert built(cluster) == [[], [EVEN]]
    assert JOB.execute_in_process(instance=instance, resources=resources(cluster)).success
    assert built(cluster) == [[ODD], [EVEN]]


def test_a_shard_that_is_away_holds_up_no_other(
    cluster: ShardedProcess, instance: dg.DagsterInstance
) -> None:
    cluster.members[0].stop()
    never_built = new_rows_sensor("new_loads", JOB, [PAGE_LOADS], looks=1)
    assert [tags[SHARD] for tags in requested(cluster, instance, never_built)] == ["2"]

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import dagster as dg
import pytest
from dagster._core.definitions.freshness import TimeWindowFreshnessPolicy
from dagster._core.events import JobFailureData, RunFailureReason

from errata.warehouse.disk import DiskFull
from errata.warehouse.python_marts import CHANGE_POINTS, PYTHON_MARTS, REGROUPING_PROPOSALS, PythonMart
from errata.warehouse.roles import Role
from pipelines import built_days, checks_after_builds
from pipelines.assets import python
from pipelines.assets.python import facts, python_assets
from pipelines.assets.resolution import log_checks
from pipelines.assets.sql import asset_key, column_lineage, mart_asset, mart_checks, raw_assets
from pipelines.build_jobs import asset_job
from pipelines.builder.lease import LeaseHeld
from pipelines.builder.set_aside import Failure, Reason, set_aside
from pipelines.definitions import defs
from pipelines.instance import CONFIGURATION, WRITTEN_BEFORE, end_interrupted_runs, write_instance
from pipelines.marts.registry import MARTS
from pipelines.partitions import partitions_of
from pipelines.pruning import prune, run_files
from pipelines.refresh import refresh_job
from pipelines.resources import BUILDS, StateResource, WarehouseResource, state_resource, warehouse_resource
from tests.builders import a_mapping, an_error_event, an_issue_action, insert
from tests.cases import each
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    write_instance(tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        yield instance


def resource(warehouse: WarehouseProcess, **values: Any) -> WarehouseResource:
    return WarehouseResource(url=warehouse.url(Role.BUILD), **values)


def refresh(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, names: list[str]
) -> dg.ExecuteInProcessResult:
    """As a sensor or a schedule has it done."""
    marts = [mart for mart in MARTS if mart.name in names]
    job = refresh_job("refresh_some", marts, "")
    resources: dict[str, object] = {"warehouse": resource(warehouse), "state": StateResource(url="")}
    return job.execute_in_process(instance=instance, resources=resources, raise_on_error=False)


def checked(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, names: list[str]
) -> dict[str, dg.AssetCheckEvaluation]:
    marts = [mart for mart in MARTS if mart.name in names]
    checks = [check for mart in marts for check in mart_checks(mart)]
    definitions = dg.Definitions(
        assets=[*raw_assets(), *(mart_asset(mart, partitions_of(mart)) for mart in marts)],
        asset_checks=checks,
        jobs=[asset_job("check_some", dg.AssetSelection.checks(*checks), "")],
        resources={"warehouse": resource(warehouse)},
    )
    result = definitions.resolve_job_def("check_some").execute_in_process(instance=instance)
    return {check.check_name: check for check in result.get_asset_check_evaluations()}


def late_events(warehouse: WarehouseProcess) -> None:
    received_at = datetime.now(UTC) - timedelta(minutes=10)
    events = [
        an_error_event(occurred_at=received_at - timedelta(hours=hours), received_at=received_at)
        for hours in (0, 1, 30)
    ]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)


@pytest.mark.slow
def test_definitions_load_in_a_fresh_interpreter_without_a_warehouse(tmp_path: Path) -> None:
    code = (
        "from pipelines.definitions import defs; import dagster as dg;"
        "r = defs.get_repository_def();"
        "print(sorted(k.to_user_string() for k in r.asset_graph.materializable_asset_keys));"
        "print(sorted((s.name, s.default_status.value) for s in [*r.schedule_defs, *r.sensor_defs]))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    tables = [*(table for made in PYTHON_MARTS for table in made.tables), *(mart.table for mart in MARTS)]
    assert done.stdout.splitlines() == [
        str(sorted(asset_key(table).to_user_string() for table in tables)),
        "[('budgets_twice_an_hour', 'RUNNING'), ('checks_every_hour', 'RUNNING'), "
        "('comparison_with_logs_every_night', 'RUNNING'), ('comparisons_every_five_minutes', 'RUNNING'), "
        "('drill_every_week', 'STOPPED'), ('earlier_rows', 'RUNNING'), ('erasures', 'RUNNING'), "
        "('errors_every_five_minutes', 'RUNNING'), ('new_loads_and_calls', 'RUNNING'), "
        "('pruning_every_hour', 'RUNNING')]",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "setting", "part"),
    [
        ("refresh_errors", "ERRATA_WAREHOUSE_BUILD_URL", "warehouse"),
        ("judge_budgets", "ERRATA_STATE_URL", "state store"),
    ],
)
def test_a_run_without_a_service_says_what_to_set(
    warehouse: WarehouseProcess,
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
    job: str,
    setting: str,
    part: str,
) -> None:
    monkeypatch.setenv("ERRATA_WAREHOUSE_BUILD_URL", warehouse.url(Role.BUILD))
    monkeypatch.delenv(setting, raising=False)
    done = defs.resolve_job_def(job).execute_in_process(
        instance=instance,
        resources={"warehouse": warehouse_resource(), "state": state_resource()},
        raise_on_error=False,
    )
    errors = [event.step_failure_data.error for event in done.all_events if event.is_step_failure]
    said = f"Set {setting} to the URL of the {part}, or start the pipelines with `errata up`"
    assert {error and error.message.strip() for error in errors} == {
        f"dagster._core.definitions.events.Failure: {said}"
    }


def test_runs_of_unlike_jobs_go_side_by_side_and_those_of_one_do_not(
    instance: dg.DagsterInstance,
) -> None:
    limits = instance.get_concurrency_config().run_queue_config
    assert limits is not None and limits.max_concurrent_runs == 4
    assert [dict(limit) for limit in limits.tag_concurrency_limits] == [
        {"key": BUILDS, "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
    ]
    jobs = [defs.resolve_job_def(name) for name in ("refresh_errors", "refresh_performance", "compare")]
    assert [job.tags[BUILDS] for job in jobs] == [job.name for job in jobs]
    refreshed = [name.removeprefix("refresh_") for job in jobs[:2] for name in job.graph.node_dict]
    assert sorted(refreshed) == sorted(mart.name for mart in MARTS)
    compared = {key.to_user_string() for key in jobs[2].asset_layer.selected_asset_keys}
    compares = [made for made in PYTHON_MARTS if not made.reads_budgets]
    assert compared == {asset_key(table).to_user_string() for made in compares for table in made.tables}


def test_a_schedule_asks_for_no_second_run_while_one_is_unfinished(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    resources: dict[str, object] = {"warehouse": resource(warehouse)}
    repository = defs.get_repository_def()

    def asked(name: str) -> tuple[int, str | None]:
        with dg.build_schedule_context(
            instance=instance, resources=resources, repository_def=repository
        ) as context:
            evaluated = repository.get_schedule_def(name).evaluate_tick(context)
        return len(evaluated.run_requests or ()), evaluated.skip_message

    assert asked("errors_every_five_minutes") == (1, None)
    job = repository.get_job("refresh_errors")
    instance.create_run_for_job(job, tags=dict(job.tags), status=dg.DagsterRunStatus.STARTED)
    assert asked("errors_every_five_minutes") == (0, "a run of refresh_errors is not finished")
    assert asked("comparisons_every_five_minutes") == (1, None)


def test_a_configuration_that_an_earlier_version_wrote_is_written_anew_and_an_operators_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dagster.yaml"
    written = ((before, CONFIGURATION) for before in WRITTEN_BEFORE)
    for before, after in (*written, ("telemetry: {}\n", "telemetry: {}\n")):
        path.write_text(before)
        write_instance(tmp_path)
        assert path.read_text() == after


@pytest.mark.slow
def test_a_refresh_reports_the_partitions_that_changed_and_its_checks_hold(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    late_events(warehouse)
    result = refresh(warehouse, instance, ["variant_hourly", "variant_daily"])
    assert result.success
    hourly, *partitions = result.asset_materializations_for_node("refresh_variant_hourly")
    assert (hourly.metadata["rows"].value, hourly.metadata["windows"].value, hourly.partition) == (3, 3, None)
    days = sorted({one.partition for one in partitions if one.partition})
    assert days == sorted(instance.get_materialized_partitions(asset_key("errata_mart.variant_hourly")))
    assert days == sorted(instance.get_materialized_partitions(asset_key("errata_mart.variant_daily")))
    evaluations = checked(warehouse, instance, ["variant_hourly", "variant_daily"])
    assert set(evaluations) == {
        f"{mart}_{what}"
        for mart in ("variant_hourly", "variant_daily")
        for what in ("adds_up_to_raw", "has_no_gaps", "has_nothing_set_aside")
    }
    assert all(check.passed for check in evaluations.values())
    assert evaluations["variant_hourly_adds_up_to_raw"].metadata["counted"].value == 3
    # Nothing came: one event says so, and no partition has changed.
    result = refresh(warehouse, instance, ["variant_hourly"])
    (told,) = result.asset_materializations_for_node("refresh_variant_hourly")
    assert (told.metadata["windows"].value, told.partition) == (0, None)


@pytest.mark.slow
def test_days_built_without_dagster_are_shown_as_built_after_the_next_run(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    late_events(warehouse)
    build_marts(warehouse, "variant_hourly", "variant_daily")
    monkeypatch.setattr(built_days, "MOST_REPORTED", 1)
    key = asset_key("errata_mart.variant_daily")
    moments = (datetime.now(UTC) - timedelta(minutes=10, hours=hours) for hours in (0, 1, 30))
    newest, *before = sorted({f"{moment:%F}" for moment in moments}, reverse=True)
    for count in range(1, len(before) + 2):
        assert refresh(warehouse, instance, ["variant_daily"]).success
        assert instance.get_materialized_partitions(key) == {newest, *before[: count - 1]}
    records = instance.fetch_materializations(key, limit=100).records
    assert sorted(one.partition_key for one in records if one.partition_key) == sorted([newest, *before])
    refresh(warehouse, instance, ["variant_daily"])
    assert len(instance.fetch_materializations(key, limit=100).records) == len(records) + 1


@pytest.mark.slow
def test_checks_without_an_outcome_and_failed_ones_run_after_a_build(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mart,) = [mart for mart in MARTS if mart.name == "variant_hourly"]
    keys = [check.check_key for check in mart_checks(mart)]

    def outcomes() -> list[tuple[int, bool]]:
        records = map(instance.get_latest_asset_check_evaluation_record, keys)
        return [(one.id, one.evaluation.passed) for one in records if one and one.evaluation]

    late_events(warehouse)
    assert refresh(warehouse, instance, [mart.name]).success
    first = outcomes()
    assert [passed for _, passed in first] == [True, True, True]
    failed = dg.AssetCheckEvaluation(keys[0].asset_key, keys[0].name, passed=False)
    instance.report_runless_asset_event(failed)
    for minutes, is_repeated in ((5, False), (0, True)):
        monkeypatch.setattr(checks_after_builds, "FAILED_AGAIN_AFTER", timedelta(minutes=minutes))
        assert refresh(warehouse, instance, [mart.name]).success
        repeated, *others = outcomes()
        assert others == first[1:] and repeated[1] == is_repeated


def test_no_asset_counts_as_overdue_before_its_next_scheduled_build_could_end() -> None:
    every = {True: timedelta(minutes=30), False: timedelta(minutes=5)}
    for made in PYTHON_MARTS:
        for table in made.tables:
            policy = facts(table, made)["freshness_policy"]
            assert isinstance(policy, TimeWindowFreshnessPolicy) and policy.warn_window
            assert policy.warn_window.to_timedelta() >= 1.5 * every[made.reads_budgets]


@pytest.mark.slow
def test_an_hour_of_events_without_copies_is_no_gap_in_repeated_events(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    late_events(warehouse)
    refresh(warehouse, instance, ["repeated_events"])
    evaluations = checked(warehouse, instance, ["repeated_events"])
    assert {name: check.passed for name, check in evaluations.items()} == {
        "repeated_events_adds_up_to_raw": True,
        "repeated_events_has_nothing_set_aside": True,
    }


def test_a_mart_is_built_after_those_that_make_it_due() -> None:
    for mart in MARTS:
        (asset,) = mart_asset(mart).specs
        before = {dependency.asset_key for dependency in asset.deps}
        assert asset.key not in before
        for name in (mart.source, *mart.beside):
            assert not name or asset_key(f"errata_mart.{name}") in before, mart.name


@pytest.mark.slow
def test_a_run_succeeds_where_no_configuration_waits(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    asset = python_assets(REGROUPING_PROPOSALS)
    resources = {"warehouse": resource(warehouse), "state": StateResource(url="")}
    done = dg.materialize([asset], instance=instance, resources=resources, raise_on_error=False)
    assert done.success
    (made,) = done.asset_materializations_for_node(asset.op.name)
    assert made.metadata["seconds"].value == 0


def test_assets_of_python_are_made_where_there_is_room(warehouse: WarehouseProcess) -> None:
    asset, full = python_assets(REGROUPING_PROPOSALS), resource(warehouse, disk_free_min_bytes=1 << 60)
    with pytest.raises(DiskFull):
        next(iter(asset(dg.build_asset_context(), warehouse=full, state=StateResource(url=""))))  # type: ignore[call-overload]


def test_assets_of_python_are_left_to_the_build_that_has_the_lease(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python, "make", Mock(side_effect=LeaseHeld("change_points", 60)))
    resources = {"warehouse": resource(warehouse), "state": StateResource(url="")}
    done = dg.materialize([python_assets(CHANGE_POINTS)], instance=instance, resources=resources)
    assert done.success and done.asset_materializations_for_node("change_points") == []


@pytest.mark.slow
def test_a_wrong_mart_is_found_out(warehouse: WarehouseProcess, instance: dg.DagsterInstance) -> None:
    late_events(warehouse)
    refresh(warehouse, instance, ["variant_hourly"])
    admin = warehouse.client(Role.ADMIN)
    newest = "select max(_partition_id) as partition_id from errata_mart.variant_hourly"
    partition_id = admin.rows(newest)[0]["partition_id"]
    admin.execute(
        "insert into errata_mart.variant_hourly select * replace (7 as variant_hash) "
        "from errata_mart.variant_hourly where _partition_id = {partition_id:String}",
        {"partition_id": partition_id},
    )
    evaluations = {
        name: check.passed for name, check in checked(warehouse, instance, ["variant_hourly"]).items()
    }
    assert evaluations == {
        "variant_hourly_adds_up_to_raw": False,
        "variant_hourly_has_no_gaps": True,
        "variant_hourly_has_nothing_set_aside": True,
    }
    admin.execute(f"alter table errata_mart.variant_hourly drop partition id '{partition_id}'")
    evaluations = {
        name: check.passed for name, check in checked(warehouse, instance, ["variant_hourly"]).items()
    }
    assert not evaluations["variant_hourly_has_no_gaps"]


@pytest.mark.slow
def test_old_runs_are_pruned_with_their_files(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    late_events(warehouse)
    run_id = refresh(warehouse, instance, ["variant_hourly"]).run_id
    key = asset_key("errata_mart.variant_hourly")
    partitions = instance.get_materialized_partitions(key)
    assert run_files(tmp_path, run_id)
    assert prune(instance, datetime.now(UTC) - timedelta(days=7)) == 0
    week, later = datetime.now(UTC) - timedelta(days=7), datetime.now(UTC) + timedelta(minutes=1)

    @dg.job
    def by_hand() -> None: ...

    other = by_hand.execute_in_process(instance=instance)
    # Those that run by the clock are kept for less long.
    assert prune(instance, week, later) == 1
    assert [record.dagster_run.run_id for record in instance.get_run_records()] == [other.run_id]
    assert prune(instance, later) == 1
    assert run_files(tmp_path, run_id) == []
    assert instance.get_run_records() == []
    # The runs are gone, and it is still known what was built.
    assert partitions and instance.get_materialized_partitions(key) == partitions


def test_runs_that_a_stop_interrupted_are_canceled_and_runs_that_failed_stay_failed(
    instance: dg.DagsterInstance,
) -> None:
    @dg.job
    def empty() -> None: ...

    running, signaled, failed = (
        instance.create_run_for_job(empty, status=dg.DagsterRunStatus.STARTED) for _ in range(3)
    )
    by_signal = JobFailureData(error=None, failure_reason=RunFailureReason.UNEXPECTED_TERMINATION)
    instance.report_run_failed(signaled, job_failure_data=by_signal)
    instance.report_run_failed(failed)
    assert end_interrupted_runs(instance) == 2
    ended = [instance.get_run_by_id(run.run_id) for run in (running, signaled, failed)]
    assert [run and run.status.value for run in ended] == ["CANCELED", "CANCELED", "FAILURE"]
    assert end_interrupted_runs(instance) == 0


def test_an_asset_tells_its_columns_with_what_they_are() -> None:
    mart = next(mart for mart in MARTS if mart.name == "resource_metrics_daily")
    asset = mart_asset(mart)
    schema = asset.specs_by_key[asset_key(mart.table)].metadata["dagster/column_schema"]
    told = {column.name: column.description for column in schema.columns}
    assert [*told][:2] == ["project_id", "day"] and [*told][-2:] == ["built_through", "version"]
    assert all(told.values())


def test_assets_tell_columns_and_what_each_is_made_of() -> None:
    (mart,) = [mart for mart in MARTS if mart.name == "weekly_trends"]
    lineage = column_lineage(mart.table)
    metadata = mart_asset(mart).metadata_by_key[asset_key(mart.table)]
    assert bool(metadata["dagster/column_lineage"] == lineage)
    daily = asset_key("errata_mart.page_metrics_daily")
    assert lineage.deps_by_column["week"] == [dg.TableColumnDep(asset_key=daily, column_name="day")]


@each("made", PYTHON_MARTS, ids=lambda made: made.name)
def test_assets_that_python_makes_tell_columns_and_what_each_is_made_of(made: PythonMart) -> None:
    for table in made.tables:
        told = facts(table, made)
        schema, lineage = (told["metadata"][f"dagster/column_{what}"] for what in ("schema", "lineage"))
        assert [column.name for column in schema.columns if not column.description] == []
        origins = lineage.deps_by_column
        assert set(origins) < {column.name for column in schema.columns}
        # Budgets and their projects are kept in the state store.
        assert made.reads_budgets or "project_id" in origins
        assert {origin.asset_key for found in origins.values() for origin in found} <= set(told["deps"])


@pytest.mark.slow
def test_a_mart_warns_while_something_is_set_aside(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    build = warehouse.client(Role.BUILD)
    late_events(warehouse)
    set_aside(build, "variant_hourly", [Failure(9, Reason.MEMORY, "too much")])
    assert refresh(warehouse, instance, ["variant_hourly"]).success
    check = checked(warehouse, instance, ["variant_hourly"])["variant_hourly_has_nothing_set_aside"]
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert check.metadata["projects"].value == [9]
    assert "out_of_memory" in str(check.metadata["first"].value)
    build.close()


@pytest.mark.slow
def test_what_is_stored_of_issues_is_compared_with_the_logs(
    warehouse: WarehouseProcess, instance: dg.DagsterInstance
) -> None:
    resources = {"warehouse": WarehouseResource(url=warehouse.url(Role.BUILD))}
    definitions = dg.Definitions(assets=raw_assets(), asset_checks=log_checks(), resources=resources)
    job = definitions.resolve_implicit_global_asset_job_def()

    def passed() -> list[bool]:
        done = job.execute_in_process(instance=instance)
        return [each.passed for each in done.get_asset_check_evaluations()]

    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])
    insert(ingest, "errata_raw.issue_actions", [an_issue_action()])
    assert passed() == [True, True]
    admin = warehouse.client(Role.ADMIN)
    for table in ("variant_assignments", "issue_states"):
        admin.execute(f"truncate table errata_raw.{table} sync")
    assert passed() == [False, False]

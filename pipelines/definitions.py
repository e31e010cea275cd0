"""The definitions that Dagster loads: assets, checks, jobs, schedules and sensors. Loading needs no
warehouse, and asks one that is there where partitions begin."""

import os

import dagster as dg

from errata.settings import load
from errata.warehouse.python_marts import PYTHON_MARTS, SIMILAR_ISSUES, checked_tables
from pipelines.assets.python import python_assets, sound_check
from pipelines.assets.resolution import log_checks
from pipelines.assets.sql import mart_asset, mart_checks, raw_assets, set_aside_check
from pipelines.build_jobs import asset_job, new_rows_sensor, schedule
from pipelines.builder.mart import Mart
from pipelines.drill import drill_backup, is_expected
from pipelines.erasures import erasure_job, erasures_sensor
from pipelines.first_days import load_first_days
from pipelines.following import first_days_sensor
from pipelines.marts.registry import ERRORS, MARTS, PERFORMANCE
from pipelines.partitions import partitions_of
from pipelines.pruning import prune_runs
from pipelines.refresh import refresh_job
from pipelines.resources import state_resource, warehouse_resource
from pipelines.run_log import loggers
from pipelines.settings import PipelinesSettings

settings = load(PipelinesSettings, os.environ)
beginnings = load_first_days(settings)
marts_of_sql = [mart_asset(mart, partitions_of(mart, beginnings)) for mart in MARTS]
comparisons = [python_assets(made) for made in PYTHON_MARTS if not made.reads_budgets]
judgments = [python_assets(made) for made in PYTHON_MARTS if made.reads_budgets]
checks_of_sql = [check for mart in MARTS for check in mart_checks(mart)]
checks_of_python = [
    *(sound_check(table) for table in checked_tables()),
    *(set_aside_check(table) for made in PYTHON_MARTS for table in made.tables),
]
log_checks_of_issues = log_checks()
COMPARED_FIRST = Mart(SIMILAR_ISSUES.name, dirty="")

refresh_errors = refresh_job(
    "refresh_errors",
    ERRORS,
    "Counts errors up to a minute ago; the issue list adds newer ones.",
    beginnings,
)
refresh_performance = refresh_job(
    "refresh_performance",
    PERFORMANCE,
    "Updates figures of pages, calls and deliveries, up to a minute ago.",
    beginnings,
)
erase = erasure_job(
    "erase", "Rebuilds the windows of erased rows, and checks that no file contains the rows anymore."
)
compare = asset_job(
    "compare",
    dg.AssetSelection.assets(*comparisons),
    "Compares releases, issues and days: one project at a time, each with a time limit.",
)
judge_budgets = asset_job(
    "judge_budgets",
    dg.AssetSelection.assets(*judgments),
    "Evaluates finished budget windows.",
)
check_marts = asset_job(
    "check_marts",
    dg.AssetSelection.checks(*checks_of_sql),
    "Recounts the last day's builds and looks for gaps.",
)
compare_with_logs = asset_job(
    "compare_with_logs",
    dg.AssetSelection.checks(*log_checks_of_issues),
    "Compares the stored issues of variants and states of issues with the logs.",
)

defs = dg.Definitions(
    assets=[*raw_assets(), *marts_of_sql, *comparisons, *judgments],
    loggers=loggers(os.environ),
    asset_checks=[*checks_of_sql, *checks_of_python, *log_checks_of_issues],
    jobs=[
        refresh_errors,
        refresh_performance,
        erase,
        compare,
        judge_budgets,
        check_marts,
        compare_with_logs,
        prune_runs,
        drill_backup,
    ],
    sensors=[
        erasures_sensor("erasures", erase),
        first_days_sensor("earlier_rows", beginnings),
        new_rows_sensor(
            "new_loads_and_calls",
            refresh_performance,
            # Every delivery adds a row to deliveries; errors alone must not start builds of performance
            # marts.
            [mart for mart in PERFORMANCE if mart.raw and mart.raw != "errata_raw.deliveries"],
        ),
    ],
    schedules=[
        schedule("errors_every_five_minutes", refresh_errors, "*/5 * * * *", marts=ERRORS),
        # Its first mart stands for the others: change points are built once a day, proposals are never told.
        schedule("comparisons_every_five_minutes", compare, "2-59/5 * * * *", marts=[COMPARED_FIRST]),
        # Windows end at whole hours; budgets are judged ten minutes later.
        schedule("budgets_twice_an_hour", judge_budgets, "14,44 * * * *"),
        schedule("checks_every_hour", check_marts, "41 * * * *"),
        schedule("pruning_every_hour", prune_runs, "17 * * * *", needs_warehouse=False),
        schedule("comparison_with_logs_every_night", compare_with_logs, "37 3 * * *"),
        schedule(
            "drill_every_week",
            drill_backup,
            "23 4 * * 0",
            is_on=is_expected(settings),
            needs_warehouse=False,
        ),
    ],
    resources={
        "warehouse": warehouse_resource(),
        "state": state_resource(),
    },
    executor=dg.in_process_executor,
)

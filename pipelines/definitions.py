"""What Dagster loads: assets, checks, schedules. Loads without a warehouse."""

import os

import dagster as dg

from errata.settings import load
from errata.warehouse.builds.made_by_python import CHECKED, MADE_BY_PYTHON
from errata.warehouse.builds.marts import MARTS
from pipelines.build_jobs import scheduled_job
from pipelines.change_points import change_points_asset
from pipelines.made_by_python import sound_check
from pipelines.marts import mart_asset, mart_checks, raw_assets, set_aside_check
from pipelines.pruning import prune_job
from pipelines.regrouping_proposals import regrouping_proposals_asset
from pipelines.release_impact import release_assets
from pipelines.resolution import log_check_schedule, log_checks
from pipelines.settings import PipelinesSettings
from pipelines.similar_issues import similar_issues_asset

settings = load(PipelinesSettings, os.environ)

marts_of_sql = [mart_asset(mart, settings) for mart in MARTS]
marts_of_python = [
    similar_issues_asset(settings),
    regrouping_proposals_asset(settings),
    release_assets(settings),
    change_points_asset(settings),
]
checks = [
    *(check for mart in MARTS for check in mart_checks(mart, settings)),
    *(sound_check(table, settings) for table in CHECKED),
    *(set_aside_check(table, settings) for made in MADE_BY_PYTHON for table in made.tables),
    *log_checks(settings),
]

prune_runs = prune_job(settings.keep_runs_days)

defs = dg.Definitions(
    assets=[*raw_assets(), *marts_of_sql, *marts_of_python],
    asset_checks=checks,
    jobs=[prune_runs],
    schedules=[
        scheduled_job(
            "build_marts",
            marts_of_sql,
            "Brings every mart of SQL up to a minute ago; builds only windows that got rows.",
            "every_five_minutes",
            "*/5 * * * *",
        ),
        # A run of its own: what takes long here keeps nobody's errors and pages from being counted. It begins
        # when the other is done as a rule, since two at once take the memory of two processes.
        scheduled_job(
            "build_marts_of_python",
            marts_of_python,
            "Compares releases, issues and days: one project at a time, each with a time limit.",
            "every_five_minutes_of_python",
            "2-59/5 * * * *",
        ),
        dg.ScheduleDefinition(
            name="every_night",
            job=prune_runs,
            cron_schedule="17 3 * * *",
            execution_timezone="UTC",
            default_status=dg.DefaultScheduleStatus.RUNNING,
        ),
        log_check_schedule(),
    ],
    executor=dg.in_process_executor,
)

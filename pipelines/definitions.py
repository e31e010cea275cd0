"""What Dagster loads: assets, checks, schedules. Loads without a warehouse."""

import os

import dagster as dg

from errata.settings import load
from errata.warehouse.builds.made_by_python import CHECKED
from errata.warehouse.builds.marts import MARTS
from pipelines.change_points import change_points_asset
from pipelines.made_by_python import sound_check
from pipelines.marts import mart_asset, mart_checks, raw_assets
from pipelines.pruning import prune_job
from pipelines.regrouping_proposals import regrouping_proposals_asset
from pipelines.release_impact import release_assets
from pipelines.settings import PipelinesSettings
from pipelines.similar_issues import similar_issues_asset

settings = load(PipelinesSettings, os.environ)

assets = [
    *(mart_asset(mart, settings) for mart in MARTS),
    similar_issues_asset(settings),
    regrouping_proposals_asset(settings),
    release_assets(settings),
    change_points_asset(settings),
]
checks = [
    *(check for mart in MARTS for check in mart_checks(mart, settings)),
    *(sound_check(table, settings) for table in CHECKED),
]

build_marts = dg.define_asset_job(
    "build_marts",
    selection=dg.AssetSelection.assets(*assets),
    description="Brings every mart up to a minute ago; builds only windows that got rows.",
    # One process: a process for each step costs six times the CPU.
    executor_def=dg.in_process_executor,
)
prune_runs = prune_job(settings.keep_runs_days)

defs = dg.Definitions(
    assets=[*raw_assets(), *assets],
    asset_checks=checks,
    jobs=[build_marts, prune_runs],
    schedules=[
        dg.ScheduleDefinition(
            name="every_five_minutes",
            job=build_marts,
            cron_schedule="*/5 * * * *",
            execution_timezone="UTC",
            default_status=dg.DefaultScheduleStatus.RUNNING,
        ),
        dg.ScheduleDefinition(
            name="every_night",
            job=prune_runs,
            cron_schedule="17 3 * * *",
            execution_timezone="UTC",
            default_status=dg.DefaultScheduleStatus.RUNNING,
        ),
    ],
    executor=dg.in_process_executor,
)

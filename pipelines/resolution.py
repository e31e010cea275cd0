"""The nightly comparison of what is stored of issues with the logs that it was computed from."""

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.resolution import AMISS
from pipelines.marts import asset_key, warehouse_of
from pipelines.settings import PipelinesSettings

JOB = "compare_with_logs"


def log_checks(settings: PipelinesSettings) -> list[dg.AssetChecksDefinition]:
    return [_check(table, question, settings) for table, question in AMISS.items()]


def log_check_schedule() -> dg.ScheduleDefinition:
    checks = [dg.AssetCheckKey(asset_key(table), _name(table)) for table in AMISS]
    return dg.ScheduleDefinition(
        name="every_night_of_logs",
        job=dg.define_asset_job(
            JOB,
            selection=dg.AssetSelection.checks(*checks),
            description="Compares what is stored of issues with the logs.",
            executor_def=dg.in_process_executor,
        ),
        cron_schedule="37 3 * * *",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


def _name(table: str) -> str:
    return f"{table.partition('.')[2]}_equal_their_log"


def _check(table: str, question: str, settings: PipelinesSettings) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=asset_key(table),
        name=_name(table),
        description="Every row is what the logs say; the web process puts others right when it starts.",
    )
    def equal() -> dg.AssetCheckResult:
        found = warehouse_of(settings).rows(sql.query(question), {"projects": []})
        by_project = {str(row["project_id"]): row["amiss_count"] for row in found}
        return dg.AssetCheckResult(
            passed=not found,
            metadata={
                "amiss": dg.MetadataValue.int(sum(by_project.values())),
                "by_project": dg.MetadataValue.json(by_project),
            },
        )

    return equal

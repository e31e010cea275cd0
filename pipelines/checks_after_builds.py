"""Checks that a build lets run at once: those never run before, and those that failed, which it may have put
right. The others run every hour, since each recounts a week."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.resources import WarehouseResource

FAILED_AGAIN_AFTER = timedelta(minutes=5)


def due_checks(
    instance: dg.DagsterInstance, checks: Sequence[dg.AssetChecksDefinition]
) -> list[dg.AssetChecksDefinition]:
    """Checks without an outcome, and those that failed five minutes ago or earlier."""
    return [check for check in checks if _is_due(instance, check)]


def _is_due(instance: dg.DagsterInstance, check: dg.AssetChecksDefinition) -> bool:
    record = instance.get_latest_asset_check_evaluation_record(check.check_key)
    evaluation = record.evaluation if record else None
    if record is None or evaluation is None:
        return record is None
    ran_at = datetime.fromtimestamp(record.create_timestamp, UTC)
    return not evaluation.passed and datetime.now(UTC) - ran_at >= FAILED_AGAIN_AFTER


def report_check(
    instance: dg.DagsterInstance, check: dg.AssetChecksDefinition, warehouse: WarehouseResource
) -> None:
    """Runs a check and shows its outcome beside the asset, as a run of its own does."""
    key, result = check.check_key, check(warehouse=warehouse)
    assert isinstance(result, dg.AssetCheckResult)
    evaluation = dg.AssetCheckEvaluation(
        asset_key=key.asset_key,
        check_name=key.name,
        passed=result.passed,
        severity=result.severity,
        metadata=result.metadata,
    )
    instance.report_runless_asset_event(evaluation)

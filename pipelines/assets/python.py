"""Asset definitions for tables that Python makes: each has a migration and no model."""

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any, TypedDict

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.python_marts import PythonMart, check_of
from pipelines.assets.recorded_check import recorded_check
from pipelines.assets.sql import FRESH, FRESH_BUDGETS, OWNERS, RETRY, asset_key, column_lineage, schema_of
from pipelines.builder.data_checks import wrong_rows
from pipelines.builder.lease import LeaseHeld
from pipelines.marts.made_by_python import Outcome, make
from pipelines.resources import StateResource, WarehouseResource


class Facts(TypedDict):
    key: dg.AssetKey
    deps: list[dg.AssetKey]
    description: str
    metadata: dict[str, Any]
    group_name: str
    owners: list[str]
    freshness_policy: dg.FreshnessPolicy
    kinds: set[str]
    code_version: str


def python_assets(made: PythonMart) -> dg.AssetsDefinition:
    """The assets of the tables that one function makes."""

    @dg.multi_asset(
        name=made.name,
        specs=[dg.AssetSpec(**facts(table, made), skippable=True) for table in made.tables],
        retry_policy=RETRY,
    )
    def built(
        context: dg.AssetExecutionContext, warehouse: WarehouseResource, state: StateResource
    ) -> Iterator[dg.MaterializeResult[None]]:
        people = state.people(is_needed=made.reads_budgets)
        try:
            done = [make(made, shard.client, warehouse.bound, people) for shard in warehouse.each()]
        except LeaseHeld as error:
            # The other build does the work.
            context.log.warning(f"{error}")
            return
        metadata = outcome_metadata(done[-1])
        for table in made.tables:
            yield dg.MaterializeResult(asset_key=asset_key(table), metadata=metadata)

    return built


def outcome_metadata(done: Outcome) -> dict[str, dg.MetadataValue]:
    return {field.name: _metadata(getattr(done, field.name)) for field in fields(done)}


def _metadata(value: int | float | datetime | str) -> dg.MetadataValue:
    match value:
        case int():
            return dg.MetadataValue.int(value)
        case float():
            return dg.MetadataValue.float(round(value, 3))
        case datetime():
            return dg.MetadataValue.timestamp(value)
    return dg.MetadataValue.md(value)


def sound_check(table: str) -> dg.AssetChecksDefinition:
    """A blocking check: a table with wrong rows holds up its dependents in the same run."""
    file = sql.parse(check_of(table))

    @recorded_check(asset=asset_key(table), name=file.name, description=file.header["purpose"], blocking=True)
    def sound(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        wrong_count = wrong_rows(warehouse.client, table)
        return dg.AssetCheckResult(
            passed=wrong_count == 0, metadata={"wrong": dg.MetadataValue.int(wrong_count)}
        )

    return sound


def facts(table: str, made: PythonMart) -> Facts:
    """Arguments of an asset spec."""
    created = f"create table {table}\n"
    (file,) = [file for file in sql.migrations() if file.statements[0].startswith(created)]
    return {
        "key": asset_key(table),
        "deps": [asset_key(name) for name in made.inputs],
        "description": file.header["purpose"],
        "metadata": {
            **{name: file.header[name] for name in ("grain", "key", "engine")},
            "made_by": made.maker,
            "dagster/column_schema": schema_of(file, table),
            "dagster/column_lineage": column_lineage(table),
        },
        "code_version": made.code_version,
        "group_name": "budgets" if made.reads_budgets else "comparisons",
        "owners": OWNERS,
        "freshness_policy": FRESH_BUDGETS if made.reads_budgets else FRESH,
        "kinds": {"clickhouse", "python"},
    }

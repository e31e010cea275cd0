"""Asset definitions for tables that Python makes: each has a migration and no model."""

from typing import Any, TypedDict

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.python_marts import PythonMart
from pipelines.assets.sql import FRESH, OWNERS, asset_key, column_lineage, schema_of
from pipelines.builder.data_checks import wrong_rows
from pipelines.resources import WarehouseResource


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


def sound_check(table: str) -> dg.AssetChecksDefinition:
    """A blocking check: a table with wrong rows holds up its dependents in the same run."""
    file = sql.parse(sql.DIRECTORY / "checks" / f"{table.partition('.')[2]}_sound.sql")

    @dg.asset_check(asset=asset_key(table), name=file.name, description=file.header["purpose"], blocking=True)
    def sound(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        wrong_count = wrong_rows(warehouse.client, table)
        return dg.AssetCheckResult(
            passed=wrong_count == 0, metadata={"wrong": dg.MetadataValue.int(wrong_count)}
        )

    return sound


def facts(table: str, made: PythonMart) -> Facts:
    """Arguments of an asset or an asset spec."""
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
        "freshness_policy": FRESH,
        "kinds": {"clickhouse", "python"},
    }

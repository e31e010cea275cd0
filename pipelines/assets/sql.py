"""An asset for each mart of SQL, described by its files, with checks that ask the warehouse."""

import warnings
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import dagster as dg

from errata.resolution.assignments import AMISS
from errata.warehouse import sql
from errata.warehouse.lineage import origins_of
from errata.warehouse.provenance import columns_of
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.sql import SqlFile
from pipelines.assets.recorded_check import recorded_check
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks
from pipelines.builder.mart import BuildReport, Mart, together
from pipelines.marts.registry import MARTS, group_of
from pipelines.partitions import days_of, keys_of
from pipelines.resources import WarehouseResource

# Backfill policies are in beta: Dagster warns about each asset in each run.
warnings.filterwarnings("ignore", category=dg.BetaWarning)
OWNERS = ["team:errata"]
# One build computes any requested range.
ONE_RUN = dg.BackfillPolicy.single_run()
RETRY = dg.RetryPolicy(max_retries=1, delay=15)
# Twice the longest time between two builds of an idle service.
FRESH = dg.FreshnessPolicy.time_window(fail_window=timedelta(minutes=30), warn_window=timedelta(minutes=15))
# Budgets are judged twice an hour.
FRESH_BUDGETS = dg.FreshnessPolicy.time_window(
    fail_window=timedelta(minutes=75), warn_window=timedelta(minutes=45)
)


def asset_key(table: str) -> dg.AssetKey:
    return dg.AssetKey(table.split("."))


def mart_asset(
    mart: Mart, partitions: dg.TimeWindowPartitionsDefinition | None = None
) -> dg.AssetsDefinition:
    """The asset of a mart. A manual run builds its partitions anew, and brings a snapshot up to date.
    `partitions`: none for a snapshot."""
    file = sql.model(mart.name)

    @dg.asset(
        name=mart.name,
        key_prefix=["errata_mart"],
        deps=[asset_key(table) for table in tables_before(mart)],
        description=file.header["purpose"],
        metadata={
            "grain": file.header["grain"],
            "key": file.header["key"],
            "engine": file.header["engine"],
            "dagster/column_schema": column_schema(mart),
            "dagster/column_lineage": column_lineage(mart.table),
        },
        partitions_def=partitions,
        backfill_policy=ONE_RUN if partitions else None,
        freshness_policy=FRESH,
        group_name=group_of(mart),
        owners=OWNERS,
        kinds={"clickhouse", "sql"},
        retry_policy=RETRY,
    )
    def built(context: dg.AssetExecutionContext, warehouse: WarehouseResource) -> dg.MaterializeResult[None]:
        days = days_of(context) if partitions else None
        report = together(
            [
                logged_build(context.log, shard, mart, is_patient=False, days=days)
                for shard in warehouse.each()
            ]
        )
        # Dagster reports every requested partition, those without rows too.
        requested = set(context.partition_keys if partitions else ())
        unchanged = dg.MetadataValue.int(len(requested.difference(map(str, report.days))))
        return dg.MaterializeResult(metadata={**report_metadata(report), "unchanged_partitions": unchanged})

    return built


def logged_build(
    log: dg.DagsterLogManager,
    warehouse: WarehouseResource,
    mart: Mart,
    *,
    is_patient: bool = True,
    days: Sequence[date] | None = None,
) -> BuildReport:
    """A build by schedule or by hand, whose outcome is told in the log of its run."""
    report = build(warehouse.client, mart, bound=warehouse.bound, is_patient=is_patient, days=days)
    log.info(summary(report))
    return report


def materializations(
    mart: Mart, report: BuildReport, partitions: dg.TimeWindowPartitionsDefinition | None
) -> Iterator[dg.AssetMaterialization]:
    """Events for a build that no partition was requested of: the asset, and each partition the build
    changed."""
    key = asset_key(mart.table)
    yield dg.AssetMaterialization(key, description=summary(report), metadata=report_metadata(report))
    for name in keys_of(partitions, report.days):
        yield dg.AssetMaterialization(key, partition=name)


def summary(report: BuildReport) -> str:
    """The build's outcome in words."""
    through = f"through {report.watermark:%Y-%m-%d %H:%M:%S}"
    return f"{len(report.windows)} windows of {report.mart}, {report.row_count} rows, {through}"


def column_schema(mart: Mart) -> dg.TableSchema:
    return schema_of(sql.model(mart.name), mart.table)


def column_lineage(table: str) -> dg.TableColumnLineage:
    """Lineage of values; columns that only choose rows are left out. It belongs to the definition, so runs
    need not repeat it."""
    return dg.TableColumnLineage(
        {
            name: [_column_dep(origin) for origin in origins]
            for name, origins in origins_of(table).items()
            if origins
        }
    )


def _column_dep(origin: str) -> dg.TableColumnDep:
    table, _, column = origin.rpartition(".")
    return dg.TableColumnDep(asset_key=asset_key(table), column_name=column)


def schema_of(file: SqlFile, table: str) -> dg.TableSchema:
    """Every column with its type and comment."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(name=column.name, type=column.type, description=column.comment or None)
            for column in columns_of(file, table)
        ]
    )


def tables_before(mart: Mart) -> list[str]:
    """Tables the model reads, and marts whose build makes it due: the model may name some only through
    views."""
    held = (f"errata_mart.{name}" for name in (mart.source, *mart.beside) if name)
    return sorted({*sql.model(mart.name).inputs, *held} - {mart.table})


def report_metadata(report: BuildReport) -> dict[str, dg.MetadataValue]:
    """Metadata for a data engineer: rows, bytes, duration, windows and watermark."""
    metadata: dict[str, dg.MetadataValue] = {
        "rows": dg.MetadataValue.int(report.row_count),
        "bytes": dg.MetadataValue.int(report.byte_count),
        "seconds": dg.MetadataValue.float(round(report.seconds, 3)),
        "windows": dg.MetadataValue.int(len(report.windows)),
        "waiting_windows": dg.MetadataValue.int(len(report.waiting)),
        "set_aside_windows": dg.MetadataValue.int(report.set_aside_count),
        "built_through": dg.MetadataValue.timestamp(report.watermark),
    }
    if report.windows:
        metadata["first_window"] = dg.MetadataValue.timestamp(report.windows[0])
        metadata["last_window"] = dg.MetadataValue.timestamp(report.windows[-1])
    return metadata


def mart_checks(mart: Mart) -> list[dg.AssetChecksDefinition]:
    key = asset_key(mart.table)

    @recorded_check(
        asset=key,
        name=f"{mart.name}_adds_up_to_raw",
        description="The latest built days match a recount of their source rows.",
    )
    def adds_up(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        sums = DataChecks(warehouse.client, mart).sums()
        wrong = [each for each in sums if each.built_count != each.expected_count]
        return dg.AssetCheckResult(
            passed=not wrong,
            metadata={
                "partitions": dg.MetadataValue.int(len(sums)),
                "counted": dg.MetadataValue.int(sum(each.built_count for each in sums)),
                "wrong": dg.MetadataValue.json([str(each) for each in wrong]),
            },
        )

    @recorded_check(
        asset=key,
        name=f"{mart.name}_has_no_gaps",
        description="Every window with rows before the watermark is in the mart.",
    )
    def no_gaps(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        missing = DataChecks(warehouse.client, mart).missing_windows()
        shown = [window.isoformat() for window in missing[:20]]
        return dg.AssetCheckResult(
            passed=not missing,
            metadata={"missing": dg.MetadataValue.int(len(missing)), "first": dg.MetadataValue.json(shown)},
        )

    checks = [adds_up, *([no_gaps] if mart.has_every_window else [])]
    checks.append(set_aside_check(mart.table))
    if (sql.DIRECTORY / "checks" / f"{mart.name}_percentiles_ordered.sql").exists():
        checks.append(percentiles_check(mart))
    return checks


def set_aside_check(table: str) -> dg.AssetChecksDefinition:
    """The check for rows set aside; marts of Python have it too."""
    mart = table.partition(".")[2]

    @recorded_check(
        asset=asset_key(table),
        name=f"{mart}_has_nothing_set_aside",
        description="No project failed to build in this mart.",
    )
    def nothing_set_aside(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        found = standing(warehouse.client, mart)
        return dg.AssetCheckResult(
            passed=not found,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={
                "windows": dg.MetadataValue.int(len(found)),
                "projects": dg.MetadataValue.json(sorted({one.project_id for one in found})),
                "first": dg.MetadataValue.json([one.facts for one in found[:20]]),
            },
        )

    return nothing_set_aside


def percentiles_check(mart: Mart) -> dg.AssetChecksDefinition:
    @recorded_check(
        asset=asset_key(mart.table),
        name=f"{mart.name}_percentiles_ordered",
        description="No p50 lies above its p75, and no p75 above its p95.",
    )
    def ordered(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        wrong_count = DataChecks(warehouse.client, mart).disordered_percentiles()
        return dg.AssetCheckResult(
            passed=wrong_count == 0, metadata={"wrong": dg.MetadataValue.int(wrong_count)}
        )

    return ordered


def raw_assets(marts: Sequence[Mart] = MARTS) -> list[dg.AssetSpec]:
    """The tables that the API writes: the beginning of the lineage."""
    described = {
        statement.split()[2]: file.header["purpose"]
        for file in sql.migrations()
        for statement in file.statements
        if statement.startswith("create table errata_raw.")
    }
    read = {table for mart in marts for table in sql.model(mart.name).inputs if table in described}
    return [
        dg.AssetSpec(asset_key(table), description=described[table], group_name="raw", kinds={"clickhouse"})
        for table in sorted(read | AMISS.keys())
    ]

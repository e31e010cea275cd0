"""The asset of regrouping: what a configuration of grouping that waits would make of history."""

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.builds.regrouping_proposals import TABLE, Proposed, propose
from pipelines.marts import asset_key, warehouse_of
from pipelines.settings import PipelinesSettings

INPUTS = (
    "errata_raw.variants",
    "errata_raw.variant_issues",
    "errata_raw.issue_actions",
    "errata_mart.variant_totals",
)


def regrouping_proposals_asset(settings: PipelinesSettings) -> dg.AssetsDefinition:
    (file,) = [file for file in sql.migrations() if file.name == TABLE]

    @dg.asset(
        key=asset_key(TABLE),
        deps=[asset_key(table) for table in INPUTS],
        description=file.header["purpose"],
        metadata={"grain": file.header["grain"], "key": file.header["key"], "engine": file.header["engine"]},
        group_name="marts",
        kinds={"clickhouse", "python"},
        retry_policy=dg.RetryPolicy(max_retries=1, delay=15),
    )
    def regrouping_proposals() -> dg.MaterializeResult[None]:
        done = list(propose(warehouse_of(settings)))
        return dg.MaterializeResult(
            metadata={
                "drafts": dg.MetadataValue.int(len(done)),
                "variants": dg.MetadataValue.int(sum(each.variant_count for each in done)),
                "seconds": dg.MetadataValue.float(round(sum((each.seconds for each in done), 0.0), 3)),
                "outcomes": dg.MetadataValue.md(_said(done)),
            }
        )

    return regrouping_proposals


def _said(done: list[Proposed]) -> str:
    """A table, as a person reads it on Dagster's pages."""
    lines = [
        "| project | configuration | issues | splits | joins | moved variants |",
        "|---|---|---|---|---|---|",
    ]
    for each in done:
        outcome = each.outcome
        lines.append(
            f"| {each.project_id} | {each.configuration} "
            f"| {outcome.issue_count_before} → {outcome.issue_count_after} "
            f"| {len(outcome.splits)} | {len(outcome.joins)} | {outcome.moved_count} |"
        )
    return "\n".join(lines) if done else "No configuration waits."

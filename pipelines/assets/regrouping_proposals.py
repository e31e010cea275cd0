"""The asset of regrouping: the effect of a waiting grouping configuration on history."""

from typing import TYPE_CHECKING

import dagster as dg

from errata.warehouse.python_marts import REGROUPING_PROPOSALS
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY
from pipelines.resources import WarehouseResource

if TYPE_CHECKING:
    from pipelines.marts.regrouping_proposals import Proposed


def regrouping_proposals_asset() -> dg.AssetsDefinition:
    @dg.asset(**facts(REGROUPING_PROPOSALS.tables[0], REGROUPING_PROPOSALS), retry_policy=RETRY)
    def regrouping_proposals(warehouse: WarehouseResource) -> dg.MaterializeResult[None]:
        # Imported when it runs: a process that builds SQL alone needs no grouping rules.
        from pipelines.marts.regrouping_proposals import propose

        done = list(propose(warehouse.with_free_disk))
        return dg.MaterializeResult(
            metadata={
                "drafts": dg.MetadataValue.int(len(done)),
                "variants": dg.MetadataValue.int(sum(each.variant_count for each in done)),
                "seconds": dg.MetadataValue.float(round(sum((each.seconds for each in done), 0.0), 3)),
                "outcomes": dg.MetadataValue.md(_said(done)),
            }
        )

    return regrouping_proposals


def _said(done: "list[Proposed]") -> str:
    """The outcome as a table for Dagster's pages."""
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

"""Computes the effect of each waiting grouping configuration on all of history."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic

from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.grouping.regrouping import Outcome
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.issues.regrouping import Proposal, computed, regrouped, unproposed
from pipelines.builder.by_project import SECONDS_A_PROJECT, Share, by_project

MART = "regrouping_proposals"
TABLE = "errata_mart.regrouping_proposals"
# An insert takes 20 s at most.
ROWS_AN_INSERT = 20_000


@dataclass(frozen=True)
class Proposed:
    """The outcome of one run for one project; `outcome` is of all its history, as of now."""

    project_id: int
    configuration: int
    variant_count: int
    outcome: Outcome
    seconds: float


@dataclass(frozen=True)
class Proposals:
    """The outcome of one run; `outcomes`: a table in Markdown."""

    draft_count: int
    variant_count: int
    outcomes: str
    seconds: float

    @classmethod
    def of(cls, done: Sequence[Proposed]) -> "Proposals":
        seconds = sum((each.seconds for each in done), 0.0)
        return cls(len(done), sum(each.variant_count for each in done), _table(done), seconds)


def _table(done: Sequence[Proposed]) -> str:
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
    return "\n".join(lines) if done else "No configurations are waiting."


def propose(warehouse: Warehouse, seconds_a_project: float = SECONDS_A_PROJECT) -> Iterator[Proposed]:
    drafts = {row["project_id"]: row for row in warehouse.rows(sql.query("waiting_drafts"))}

    def propose_for(project_id: int, share: Share) -> Proposed | None:
        # A draft set aside may have been applied or dropped since.
        return _propose(share, drafts[project_id]) if project_id in drafts else None

    done = by_project(warehouse, MART, drafts, propose_for, seconds=seconds_a_project)
    return (each for each in done if each is not None)


def _propose(share: Share, draft: Row) -> Proposed:
    began, warehouse = monotonic(), share.warehouse
    project_id = draft["project_id"]
    configuration = grouping(draft["fingerprint_version"], draft["rules"], draft["configuration"])
    missing = unproposed(warehouse, project_id, configuration)
    found = _in_time(share, computed(warehouse, project_id, configuration, missing))
    count = _record(warehouse, project_id, configuration, found)
    outcome = regrouped(warehouse, project_id, configuration).outcome
    return Proposed(project_id, configuration.number, count, outcome, monotonic() - began)


def _in_time(share: Share, found: Iterator[tuple[int, Proposal]]) -> Iterator[tuple[int, Proposal]]:
    for each in found:
        share.check()
        yield each


def _record(
    warehouse: Warehouse,
    project_id: int,
    configuration: GroupingConfiguration,
    found: Iterator[tuple[int, Proposal]],
) -> int:
    count = 0
    while stretch := list(islice(found, ROWS_AN_INSERT)):
        warehouse.insert_rows(TABLE, (_row(project_id, configuration, *each) for each in stretch))
        count += len(stretch)
    return count


def _row(
    project_id: int, configuration: GroupingConfiguration, variant_hash: int, proposal: Proposal
) -> Mapping[str, object]:
    return {
        "project_id": project_id,
        "rules_hash": configuration.rules_hash,
        "variant_hash": variant_hash,
        "fingerprint_hash": proposal.fingerprint_hash,
        "fingerprint": proposal.fingerprint,
    }

"""Works out, for each configuration of grouping that waits, what it would make of all of history."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from time import monotonic

import msgspec

from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.grouping.regrouping import Outcome
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.regrouping import Proposal, computed, regrouped, unproposed

TABLE = "errata_mart.regrouping_proposals"
# An insert takes 20 s at most.
ROWS_AN_INSERT = 20_000


@dataclass(frozen=True)
class Proposed:
    """What one run did for one project; `outcome` is of all its history, as of now."""

    project_id: int
    configuration: int
    variant_count: int
    outcome: Outcome
    seconds: float


def propose(warehouse: Warehouse) -> Iterator[Proposed]:
    for row in warehouse.rows(sql.query("waiting_drafts")):
        began = monotonic()
        project_id = row["project_id"]
        configuration = grouping(row["fingerprint_version"], row["rules"], row["configuration"])
        found = computed(
            warehouse, project_id, configuration, unproposed(warehouse, project_id, configuration)
        )
        count = _record(warehouse, project_id, configuration, found)
        outcome = regrouped(warehouse, project_id, configuration).outcome
        yield Proposed(project_id, configuration.number, count, outcome, monotonic() - began)


def _record(
    warehouse: Warehouse,
    project_id: int,
    configuration: GroupingConfiguration,
    found: Iterator[tuple[int, Proposal]],
) -> int:
    count = 0
    while stretch := list(islice(found, ROWS_AN_INSERT)):
        lines = b"".join(
            msgspec.json.encode(_row(project_id, configuration, *each)) + b"\n" for each in stretch
        )
        warehouse.insert_json_lines(TABLE, lines, token=uuid.uuid4().hex)
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

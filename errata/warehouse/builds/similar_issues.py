"""Compares new variants with the stacks of all issues, and records the pairs of issues that are alike."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic

import msgspec

from errata.grouping import VariantShape
from errata.grouping.similar import SimilarPair, Stack, similar_pairs
from errata.grouping.similarity import trace_of
from errata.warehouse import sql
from errata.warehouse.builds.records import NOW, WATERMARK, aware, record_build
from errata.warehouse.client import Row, Warehouse

MART = "similar_issues"
TABLE = "errata_mart.similar_issues"
# As for every mart: an insert takes 20 s at most and is stamped when it starts.
LAG = timedelta(seconds=60)
VARIANTS_A_STRETCH = 5_000


@dataclass(frozen=True)
class Comparison:
    """What one run did."""

    watermark: datetime
    project_count: int
    stack_count: int
    pairs: int
    near_certain: int
    seconds: float


def compare(warehouse: Warehouse, lag: timedelta = LAG) -> Comparison:
    began = monotonic()
    parameters = {"mart": MART}
    since = aware(warehouse.rows(WATERMARK, parameters)[0]["watermark"])
    watermark = aware(warehouse.rows(NOW)[0]["now"]) - lag
    project_count = stack_count = pair_count = near_certain = 0
    for row in warehouse.rows(sql.query("projects_to_compare"), {"since": since}):
        oldest = datetime.fromtimestamp(0, UTC) if row["is_regrouped"] else since
        stacks = list(_stacks(warehouse, row["project_id"], oldest))
        pairs = similar_pairs(stacks)
        _record(warehouse, row["project_id"], pairs)
        project_count += 1
        stack_count += len(stacks)
        pair_count += len(pairs)
        near_certain += sum(pair.is_near_certain for pair in pairs)
    seconds = monotonic() - began
    record_build(warehouse, MART, watermark, project_count, pair_count, seconds)
    return Comparison(watermark, project_count, stack_count, pair_count, near_certain, seconds)


def _stacks(warehouse: Warehouse, project_id: int, since: datetime) -> Iterator[Stack]:
    for row in _rows(warehouse, project_id, since):
        trace = trace_of(VariantShape.from_json(row["shape"] or "{}"))
        if trace is not None:
            yield Stack(row["issue_id"], trace, row["first_seen_ms"], bool(row["is_new"]))


def _rows(warehouse: Warehouse, project_id: int, since: datetime) -> Iterator[Row]:
    after = 0
    while True:
        rows = warehouse.rows(
            sql.query("stacks_of_project"),
            {"project_id": project_id, "since": since, "after": after, "limit": VARIANTS_A_STRETCH},
        )
        yield from rows
        if len(rows) < VARIANTS_A_STRETCH:
            return
        after = rows[-1]["variant_hash"]


def _record(warehouse: Warehouse, project_id: int, pairs: list[SimilarPair]) -> None:
    lines = b"".join(
        msgspec.json.encode(
            {
                "project_id": project_id,
                "issue_id": pair.issue_id,
                "other_issue_id": pair.other_issue_id,
                "score": pair.score,
                "is_near_certain": pair.is_near_certain,
                "reason": msgspec.json.encode(pair.reason).decode(),
            }
        )
        + b"\n"
        for pair in pairs
    )
    if lines:
        warehouse.insert_json_lines(TABLE, lines, token=uuid.uuid4().hex)

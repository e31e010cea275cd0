"""Compares new variants with the stacks of all issues, and records pairs of similar issues."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from errata.grouping import VariantShape
from errata.grouping.similar import SimilarPair, Stack, similar_pairs
from errata.grouping.similarity import trace_of
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT
from pipelines.builder.by_project import SECONDS_A_PROJECT, Share, by_project
from pipelines.builder.python_run import LAG, python_run

MART = "similar_issues"
TABLE = "errata_mart.similar_issues"
VARIANTS_A_STRETCH = 5_000


@dataclass(frozen=True)
class Comparison:
    """The outcome of one run."""

    watermark: datetime
    project_count: int
    stack_count: int
    pairs: int
    near_certain: int
    seconds: float


@dataclass(frozen=True)
class Compared:
    """The outcome for one project."""

    stack_count: int
    pairs: int
    near_certain: int


def compare(
    warehouse: Warehouse, lag: timedelta = LAG, seconds_a_project: float = SECONDS_A_PROJECT
) -> Comparison:
    """Compares the projects with new variants; a project set aside continues at its own last moment."""
    with python_run(warehouse, MART, lag) as run:
        regrouped = _regrouped(warehouse, run.since)

        def compare_project(project_id: int, share: Share) -> Compared:
            known = regrouped if share.since == run.since else _regrouped(share.warehouse, share.since)
            return _compare(share, project_id, WHOLE_PROJECT if known.get(project_id) else share.since)

        done = list(by_project(warehouse, MART, regrouped, compare_project, run.since, seconds_a_project))
        pair_count = sum(each.pairs for each in done)
        run.publish(len(done), pair_count)
        return Comparison(
            run.watermark,
            len(done),
            sum(each.stack_count for each in done),
            pair_count,
            sum(each.near_certain for each in done),
            run.seconds,
        )


def _regrouped(warehouse: Warehouse, since: datetime) -> dict[int, bool]:
    """The projects with something new, and whether each was regrouped."""
    rows = warehouse.rows(sql.query("projects_to_compare"), {"since": since})
    return {row["project_id"]: bool(row["is_regrouped"]) for row in rows}


def _compare(share: Share, project_id: int, since: datetime) -> Compared:
    stacks = list(_stacks(share, project_id, since))
    pairs = similar_pairs(stacks, share.check)
    _record(share.warehouse, project_id, pairs)
    return Compared(len(stacks), len(pairs), sum(pair.is_near_certain for pair in pairs))


def _stacks(share: Share, project_id: int, since: datetime) -> Iterator[Stack]:
    for row in _rows(share, project_id, since):
        trace = trace_of(VariantShape.from_json(row["shape"] or "{}"))
        if trace is not None:
            yield Stack(row["issue_id"], trace, row["first_seen_ms"], bool(row["is_new"]))


def _rows(share: Share, project_id: int, since: datetime) -> Iterator[Row]:
    after = 0
    while True:
        share.check()
        rows = share.warehouse.rows(
            sql.query("stacks_of_project"),
            {"project_id": project_id, "since": since, "after": after, "limit": VARIANTS_A_STRETCH},
        )
        yield from rows
        if len(rows) < VARIANTS_A_STRETCH:
            return
        after = rows[-1]["variant_hash"]


def _record(warehouse: Warehouse, project_id: int, pairs: list[SimilarPair]) -> None:
    rows = (
        {
            "project_id": project_id,
            "issue_id": pair.issue_id,
            "other_issue_id": pair.other_issue_id,
            "score": pair.score,
            "is_near_certain": pair.is_near_certain,
            "reason": msgspec.json.encode(pair.reason).decode(),
        }
        for pair in pairs
    )
    warehouse.insert_rows(TABLE, rows)

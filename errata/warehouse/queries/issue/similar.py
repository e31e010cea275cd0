"""Pairs of issues that the pipelines found similar."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.membership import Decided, decided_merges, differences, told_apart
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True)
class Pair:
    """`issue_id` is the later of the two, as of the comparison."""

    issue_id: int
    other_issue_id: int
    score: float
    is_near_certain: bool
    reason: dict[str, Any]


@dataclass(frozen=True)
class Duplicate:
    """A possible duplicate of an issue, in its current state."""

    issue_id: int
    score: float
    reason: dict[str, Any]


def pairs_found(
    warehouse: Warehouse, project_id: int, issue_ids: Collection[int] = (), *, near_certain: bool = False
) -> list[Pair]:
    rows = warehouse.rows(
        sql.query("similar_issues_of_project"),
        {"project_id": project_id, "issue_ids": sorted(issue_ids), "near_certain_only": near_certain},
    )
    return [typed(Pair, row) for row in rows]


def pairs_to_merge(warehouse: Warehouse, project_id: int) -> list[Pair]:
    """Near-certain pairs that are still apart and that no person has decided about."""
    pairs = pairs_found(warehouse, project_id, near_certain=True)
    if not pairs:
        return []
    decided = decided_merges(warehouse, project_id)
    apart = told_apart(differences(warehouse, project_id), decided)
    return [
        pair
        for pair in pairs
        if pair.issue_id not in decided.by_people
        and decided.root(pair.issue_id) == pair.issue_id
        and decided.root(pair.other_issue_id) != pair.issue_id
        and frozenset({pair.issue_id, decided.root(pair.other_issue_id)}) not in apart
    ]


def possible_duplicates(warehouse: Warehouse, project_id: int, issue_id: int) -> Sequence[Duplicate]:
    """Possible duplicates of an issue, the most similar first; issues merged into it, and those people told
    apart, are left out."""
    decided = decided_merges(warehouse, project_id)
    own = {issue_id, *decided.merges.parts(issue_id)}
    apart = told_apart(differences(warehouse, project_id), decided)
    found: dict[int, Duplicate] = {}
    for pair in pairs_found(warehouse, project_id, own):
        other = _other(pair, own, decided)
        if other not in own and other not in found and frozenset({issue_id, other}) not in apart:
            found[other] = Duplicate(other, pair.score, pair.reason)
    return list(found.values())


def _other(pair: Pair, own: Collection[int], decided: Decided) -> int:
    return decided.root(pair.other_issue_id if pair.issue_id in own else pair.issue_id)

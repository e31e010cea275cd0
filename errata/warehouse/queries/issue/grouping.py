"""The grouping of an issue: its variants, its parts, and its possible duplicates."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.grouping import GroupingConfiguration, VariantShape, fingerprint_of
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.issue.counts import VariantCount, counts_by_variant
from errata.warehouse.queries.issue.merged_issue import MergedIssue, OwnVariant
from errata.warehouse.queries.issue.related import summaries_of_variants
from errata.warehouse.queries.issue.similar import possible_duplicates
from errata.warehouse.queries.membership import decided_merges

VARIANTS_SHOWN = 200


@dataclass(frozen=True)
class Title:
    title: str
    culprit: str
    variant_count: int


@dataclass(frozen=True)
class GroupedVariant:
    """`explanation` is by the rules in force; `placed_because` is the decision of a person, or empty."""

    variant_hash: int
    own_issue_id: int
    title: str
    culprit: str
    event_count: int
    first_seen: datetime
    last_seen: datetime
    exemplar_id: UUID
    explanation: Mapping[str, Any]
    fingerprint: Sequence[str]
    placed_because: str
    placed_by: str
    placed_at: datetime | None


@dataclass(frozen=True)
class Part:
    """An issue merged into another one, by a person or the pipelines."""

    issue_id: int
    parent_id: int
    title: Title
    is_joined: bool


@dataclass(frozen=True)
class PossibleDuplicate:
    issue_id: int
    title: Title
    score: float
    reason: Mapping[str, Any]


@dataclass(frozen=True)
class IssueGrouping:
    variants: Sequence[GroupedVariant]
    variant_count: int
    parts: Sequence[Part]
    duplicates: Sequence[PossibleDuplicate]


def grouping_of_issue(
    warehouse: Warehouse, merged: MergedIssue, configuration: GroupingConfiguration
) -> IssueGrouping:
    """The grouping of an issue, the most frequent variants first."""
    project_id, issue_id = merged.project_id, merged.issue_id
    decided = decided_merges(warehouse, project_id)
    parts = decided.merges.parts(issue_id)
    similar = possible_duplicates(warehouse, project_id, issue_id)
    titles = titles_of(warehouse, project_id, [*parts, *(each.issue_id for each in similar)])
    return IssueGrouping(
        variants=_variants(warehouse, merged, configuration),
        variant_count=len(merged.variants),
        parts=[
            Part(part, decided.merges.parents[part], titles[part], part in decided.joined)
            for part in parts
            if part in titles
        ],
        duplicates=[
            PossibleDuplicate(each.issue_id, titles[each.issue_id], each.score, each.reason)
            for each in similar
            if each.issue_id in titles
        ],
    )


def _variants(
    warehouse: Warehouse, merged: MergedIssue, configuration: GroupingConfiguration
) -> list[GroupedVariant]:
    counts = counts_by_variant(warehouse, merged)

    def place(own: OwnVariant) -> tuple[int, int]:
        count = counts.get(own.variant_hash)
        return -(count.event_count if count else 0), own.variant_hash

    shown = sorted(merged.variants, key=place)[:VARIANTS_SHOWN]
    hashes = [own.variant_hash for own in shown]
    summaries = summaries_of_variants(warehouse, merged.project_id, hashes)
    assignments = _manual_assignments(
        warehouse, merged.project_id, [own.variant_hash for own in shown if own.is_placed]
    )
    return [
        _variant(
            own,
            counts.get(own.variant_hash, VariantCount(0, own.first_seen_at)),
            summaries.get(own.variant_hash, {}),
            assignments.get(own.variant_hash),
            configuration,
        )
        for own in shown
    ]


def _manual_assignments(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> dict[int, Row]:
    if not variants:
        return {}
    rows = warehouse.rows(
        sql.query("manual_assignments"), {"project_id": project_id, "variants": list(variants)}
    )
    return {row["variant_hash"]: row for row in rows}


def titles_of(warehouse: Warehouse, project_id: int, issue_ids: Collection[int]) -> dict[int, Title]:
    if not issue_ids:
        return {}
    rows = warehouse.rows(
        sql.query("titles_of_issues"), {"project_id": project_id, "issue_ids": sorted(issue_ids)}
    )
    return {row["issue_id"]: Title(row["title"], row["culprit"], row["variant_count"]) for row in rows}


def _variant(
    own: OwnVariant,
    count: VariantCount,
    summary: Row,
    assignment: Row | None,
    configuration: GroupingConfiguration,
) -> GroupedVariant:
    # Computed again rather than read: it then reflects the rules in force, and the table need not store it.
    made = fingerprint_of(
        VariantShape.from_json(summary.get("shape") or "{}"), configuration.version, configuration.rules
    )
    because = msgspec.json.decode(assignment["placed_because"] or "{}") if assignment else {}
    return GroupedVariant(
        variant_hash=own.variant_hash,
        own_issue_id=own.own_issue_id,
        title=own.title,
        culprit=own.culprit,
        event_count=count.event_count,
        first_seen=own.first_seen_at,
        last_seen=count.last_seen,
        exemplar_id=summary.get("exemplar_id", UUID(int=0)),
        explanation=made.explanation,
        fingerprint=made.fingerprint,
        placed_because=str(because.get("decision", "")),
        placed_by=assignment["placed_by"] if assignment and because else "",
        placed_at=utc(assignment["placed_at"]) if assignment and because else None,
    )

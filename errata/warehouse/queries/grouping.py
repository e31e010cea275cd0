"""Why an issue is what it is: its variants, what is part of it, what may be the same."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from errata.grouping import GroupingConfiguration, VariantShape, fingerprint_of
from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.membership import decided_merges
from errata.warehouse.queries.similar import possible_duplicates
from errata.warehouse.queries.variant_counts import counted_rows

VARIANTS_SHOWN = 200
EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class Title:
    title: str
    culprit: str
    variant_count: int


@dataclass(frozen=True)
class GroupedVariant:
    """`explanation` is of the rules in force; `placed_because` is the decision of a person, else empty."""

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
    """An issue that is part of another one, by a person's word or the pipelines'."""

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
    warehouse: Warehouse, project_id: int, issue_id: int, configuration: GroupingConfiguration
) -> IssueGrouping:
    """Of a whole issue."""
    rows = counted_rows(
        warehouse,
        "grouping_of_issue",
        [project_id],
        EPOCH,
        {"project_id": project_id, "issue_id": issue_id, "limit": VARIANTS_SHOWN},
    )
    decided = decided_merges(warehouse, project_id)
    parts = decided.merges.parts(issue_id)
    similar = possible_duplicates(warehouse, project_id, issue_id)
    titles = titles_of(warehouse, project_id, [*parts, *(each.issue_id for each in similar)])
    return IssueGrouping(
        variants=[_variant(row, configuration) for row in rows],
        variant_count=rows[0]["variant_count"] if rows else 0,
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


def titles_of(warehouse: Warehouse, project_id: int, issue_ids: Collection[int]) -> dict[int, Title]:
    if not issue_ids:
        return {}
    rows = warehouse.rows(
        sql.query("titles_of_issues"), {"project_id": project_id, "issue_ids": sorted(issue_ids)}
    )
    return {row["issue_id"]: Title(row["title"], row["culprit"], row["variant_count"]) for row in rows}


def _variant(row: Row, configuration: GroupingConfiguration) -> GroupedVariant:
    # Made again rather than read: it is then that of the rules in force, and the table need not hold it.
    made = fingerprint_of(
        VariantShape.from_json(row["shape"] or "{}"), configuration.version, configuration.rules
    )
    because = msgspec.json.decode(row["placed_because"]) if row["is_placed"] and row["placed_because"] else {}
    return GroupedVariant(
        variant_hash=row["variant_hash"],
        own_issue_id=row["own_issue_id"],
        title=row["title"],
        culprit=row["culprit"],
        event_count=row["event_count"],
        first_seen=aware(row["first_seen"]),
        last_seen=aware(row["last_seen"]),
        exemplar_id=row["exemplar_id"],
        explanation=made.explanation,
        fingerprint=made.fingerprint,
        placed_because=str(because.get("decision", "")),
        placed_by=row["placed_by"] if because else "",
        placed_at=aware(row["placed_at"]) if because else None,
    )

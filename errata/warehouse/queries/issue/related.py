"""Candidates for related issues, for each kind of relation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.membership import issues_of_variants
from errata.warehouse.typed_rows import typed

USERS, MINUTES, SHAPES, ISSUES = 100, 200, 300, 20
MOST_SHAPES = 20
# Beyond the first few dozen, no candidate shares enough; ones that always occur rank before rare ones.
VARIANTS_OF_USERS, VARIANTS_OF_MINUTES = 60, 200


@dataclass(frozen=True)
class OwnVariant:
    variant_hash: int
    shape: str


@dataclass(frozen=True)
class SharedUsers:
    """`users` are users of the issue who also met this variant; `people_count` users of the issue were
    compared."""

    variant_hash: int
    users: frozenset[int]
    own_user_count: int
    people_count: int


@dataclass(frozen=True)
class SharedMinutes:
    """`minutes` of the variant and `own` minutes of the issue, since 1970; `compared_count` variants were
    compared."""

    variant_hash: int
    minutes: Sequence[int]
    own: Sequence[int]
    compared_count: int


@dataclass(frozen=True)
class IssueSummary:
    """An issue, with the summary of one of its variants."""

    issue_id: int
    title: str
    culprit: str
    type: str
    level: str


@dataclass(frozen=True)
class Begun:
    issue: IssueSummary
    first_seen: datetime
    event_count: int
    begun_count: int
    issue_count: int


def shapes_of_issue(warehouse: Warehouse, merged: MergedIssue) -> list[OwnVariant]:
    """Variants of an issue, the newest first; the shapes of the newest 20 are filled."""
    newest = sorted(merged.variants, key=lambda own: (own.first_seen_at, own.variant_hash), reverse=True)
    hashes = [own.variant_hash for own in newest]
    summaries = summaries_of_variants(warehouse, merged.project_id, hashes[:MOST_SHAPES])
    return [OwnVariant(each, summaries[each]["shape"] if each in summaries else "") for each in hashes]


def variants_of_same_users(
    warehouse: Warehouse, project_id: int, variants: Sequence[int], since: datetime
) -> list[SharedUsers]:
    limits = {"user_limit": USERS, "variant_limit": VARIANTS_OF_USERS}
    rows = warehouse.rows(
        sql.query("variants_of_same_users"), {**_scope(project_id, variants, since), **limits}
    )
    return [typed(SharedUsers, row) for row in rows]


def variants_of_same_minutes(
    warehouse: Warehouse, project_id: int, variants: Sequence[int], since: datetime
) -> list[SharedMinutes]:
    limits = {"minute_limit": MINUTES, "variant_limit": VARIANTS_OF_MINUTES}
    rows = warehouse.rows(
        sql.query("variants_of_same_minutes"), {**_scope(project_id, variants, since), **limits}
    )
    return [typed(SharedMinutes, row, minutes=_minutes(row)) for row in rows]


def variants_of_similar_stacks(
    warehouse: Warehouse, project_id: int, variants: Sequence[int]
) -> list[OwnVariant]:
    rows = warehouse.rows(
        sql.query("variants_of_similar_stacks"),
        {"project_id": project_id, "variants": list(variants), "variant_limit": SHAPES},
    )
    return [OwnVariant(**row) for row in rows]


def issues_begun_in_release(
    warehouse: Warehouse, project_id: int, release: str, issue_id: int
) -> list[Begun]:
    rows = warehouse.rows(
        sql.query("issues_begun_in_release"),
        {"project_id": project_id, "release": release, "issue_id": issue_id, "issue_limit": ISSUES},
    )
    return [typed(Begun, row, issue=typed(IssueSummary, row)) for row in rows]


def issues_by_variant(
    warehouse: Warehouse, project_id: int, variants: Sequence[int]
) -> dict[int, IssueSummary]:
    """Issue and summary of each variant that is in an issue."""
    issues = issues_of_variants(warehouse, project_id, variants)
    summaries = summaries_of_variants(warehouse, project_id, list(issues))
    return {
        each: typed(IssueSummary, summaries[each], issue_id=issues[each])
        for each in issues
        if each in summaries
    }


def summaries_of_variants(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> dict[int, Row]:
    """The summary of each variant, with its shape and exemplar."""
    if not variants:
        return {}
    rows = warehouse.rows(
        sql.query("summaries_of_variants"), {"project_id": project_id, "variants": list(variants)}
    )
    return {row["variant_hash"]: row for row in rows}


def _minutes(row: Row) -> list[int]:
    hours = zip(row["hours"], row["minutes_of_hours"], strict=True)
    return [60 * hour + minute for hour, bits in hours for minute in range(60) if bits >> minute & 1]


def _scope(project_id: int, variants: Sequence[int], since: datetime) -> Row:
    moment = since.isoformat(" ").removesuffix("+00:00")
    return {"project_id": project_id, "variants": list(variants), "since": moment}

"""An issue as grouped now: itself, the issues merged into it, and the variants of all.

All other questions about one issue name its variants.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import Condition, Expression, Number, any_of
from errata.warehouse.queries.deletions import IS_KEPT
from errata.warehouse.queries.issue.successor import successor_of_issue
from errata.warehouse.typed_rows import typed

# The warehouse takes 128 KiB in one parameter, and a number has up to 20 digits.
MOST_LISTED = 5_000
MOST_LISTS = 4


@dataclass(frozen=True)
class OwnVariant:
    """`own_issue_id` is its issue if merges are taken back; `is_placed`: by a person."""

    variant_hash: int
    own_issue_id: int
    is_merged: bool
    is_placed: bool
    first_seen_at: datetime = EPOCH
    type: str = ""
    title: str = ""
    culprit: str = ""
    level: str = ""
    platform: str = ""


@dataclass(frozen=True)
class Deleted:
    """Deletions: events of each variant of `cuts` received before its moment are gone; `changed_at` is of the
    project."""

    cuts: tuple[tuple[int, datetime], ...]
    changed_at: datetime

    def has(self, variant_hash: int, received_at: datetime) -> bool:
        return received_at <= dict(self.cuts).get(variant_hash, EPOCH)


NOTHING_DELETED = Deleted((), EPOCH)


@dataclass(frozen=True, eq=False)
class MergedIssue:
    """An issue with what was merged into it, if anything was.

    `variants` begins with the one that gives it its title; `part_ids` are the issue and those merged into it.
    Not `is_decided`: nobody has decided anything about it.

    Two are equal if they have the same variants: statements of `rows` then have equal results.
    """

    project_id: int
    issue_id: int
    asked_id: int
    part_ids: tuple[int, ...]
    variants: tuple[OwnVariant, ...]
    is_decided: bool
    deleted: Deleted = NOTHING_DELETED

    @property
    def merged_into(self) -> int:
        """Not 0: the issue in the address is merged into this one, or this is its successor."""
        return 0 if self.issue_id == self.asked_id else self.issue_id

    @cached_property
    def variant_hashes(self) -> tuple[int, ...]:
        return tuple(variant.variant_hash for variant in self.variants)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.project_id, self.issue_id, self.part_ids, self.variant_hashes, self.deleted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergedIssue) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def is_own(self) -> Condition:
        """The condition that an event is one of this issue's, and not deleted."""
        return self._is_of_variants & IS_KEPT if self.deleted.cuts else self._is_of_variants

    @property
    def _is_of_variants(self) -> Condition:
        variants, variant = self.variant_hashes, Number.column("variant_hash")
        if len(variants) > MOST_LISTED * MOST_LISTS:
            assigned = sql.query("variants_assigned")
            return variant.among(assigned.expression(Expression, issue_id=self.issue_id))
        starts = range(0, len(variants), MOST_LISTED)
        return any_of(variant.one_of(variants[start : start + MOST_LISTED]) for start in starts)

    def rows(self, warehouse: Warehouse, question: str, **parameters: Any) -> list[Row]:
        statement = sql.query(question).at(is_own=self.is_own)
        return warehouse.rows(statement, {"project_id": self.project_id, **parameters})


def merged_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> MergedIssue | None:
    """The merged issue; None if the project does not have it. An emptied issue leads to its successor."""
    found = _merged(warehouse, project_id, issue_id)
    if found or not (successor := successor_of_issue(warehouse, project_id, issue_id)):
        return found
    merged = _merged(warehouse, project_id, successor)
    return replace(merged, asked_id=issue_id) if merged else None


UNMERGED: Row = {"merged_into": 0, "parts": ()}


def _merged(warehouse: Warehouse, project_id: int, issue_id: int) -> MergedIssue | None:
    about = {"project_id": project_id, "issue_id": issue_id}
    (actions,) = warehouse.rows(sql.query("actions_about_issue"), about)
    (found,) = warehouse.rows(sql.query("parts_of_issue"), about) if actions["merge_count"] else (UNMERGED,)
    whole_id = found["merged_into"] or issue_id
    members = _members(warehouse, project_id, whole_id)
    if not members.variants:
        return None
    return MergedIssue(
        project_id=project_id,
        issue_id=whole_id,
        asked_id=issue_id,
        part_ids=(whole_id, *sorted(found["parts"])),
        variants=members.variants,
        is_decided=actions["action_count"] > 0,
        deleted=_deleted(warehouse, project_id, members) if actions["deletion_count"] else NOTHING_DELETED,
    )


@dataclass(frozen=True)
class Members:
    """The variants of an issue now, with the deletions that cut off their earlier events."""

    variants: tuple[OwnVariant, ...]
    cuts: tuple[tuple[int, datetime], ...]


def _members(warehouse: Warehouse, project_id: int, issue_id: int) -> Members:
    """Thousands of variants are read once for each assignment of one."""
    about = {"project_id": project_id, "issue_id": issue_id}
    (row,) = warehouse.rows(sql.query("fingerprint_of_issue"), about)

    def members() -> Members:
        rows = warehouse.rows(sql.query("variants_of_issue"), about)
        cuts = ((row["variant_hash"], utc(row["cut_at"])) for row in rows)
        cut = tuple(sorted((variant, cut_at) for variant, cut_at in cuts if cut_at > EPOCH))
        return Members(tuple(typed(OwnVariant, row) for row in rows), cut)

    return warehouse.cached((_members, project_id, issue_id, row["fingerprint"]), members)


def _deleted(warehouse: Warehouse, project_id: int, members: Members) -> Deleted:
    (deletions,) = warehouse.rows(sql.query("deletions_changed"), {"project_id": project_id})
    return Deleted(members.cuts, utc(deletions["changed_at"]))

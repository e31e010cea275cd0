"""An issue as it is put together by now: itself, what was merged into it, and the variants of both.

Found without resolving the rest of the project: what else is asked about one issue names its variants.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from string import Template
from typing import Any

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.conditions import Conditions, any_of
from errata.warehouse.queries.deletions import without_deleted
from errata.warehouse.queries.log_sizes import LogSizes, log_sizes
from errata.warehouse.queries.receipts import STILL_COMING
from errata.warehouse.queries.successor import successor_of_issue

# The warehouse takes 128 KiB in one parameter, and a number has up to 20 digits.
MOST_LISTED = 5_000
MOST_LISTS = 4


@dataclass(frozen=True)
class OwnVariant:
    """`own_issue_id` is where it belongs if merges are taken back; `is_placed`: by a person."""

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
    """What came in before its moment is gone, of each variant of `cuts`; `changed_at` is of the project."""

    cuts: tuple[tuple[int, datetime], ...]
    changed_at: datetime

    def has(self, variant_hash: int, received_at: datetime) -> bool:
        return received_at <= dict(self.cuts).get(variant_hash, EPOCH)


NOTHING_DELETED = Deleted((), EPOCH)


@dataclass(frozen=True, eq=False)
class WholeIssue:
    """`variants` has the one first that gives the issue its title; `part_ids` are it and what is part of it.

    Not `is_decided`: nobody ever decided anything about it. Equal are those that are made of the same
    variants: whatever is asked by `rows` has the same answer for both.
    """

    project_id: int
    issue_id: int
    asked_id: int
    part_ids: tuple[int, ...]
    configuration: int
    variants: tuple[OwnVariant, ...]
    is_decided: bool
    deleted: Deleted = NOTHING_DELETED

    @property
    def merged_into(self) -> int:
        """Not 0: the issue asked for is part of this one by now, or this is its successor."""
        return 0 if self.issue_id == self.asked_id else self.issue_id

    @cached_property
    def variant_hashes(self) -> tuple[int, ...]:
        return tuple(variant.variant_hash for variant in self.variants)

    @property
    def _identity(self) -> tuple[object, ...]:
        parts = self.part_ids, self.configuration, self.variant_hashes
        return self.project_id, self.issue_id, *parts, self.deleted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WholeIssue) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def is_own(self, conditions: Conditions) -> str:
        """That a variant is one of this issue's."""
        variants = list(self.variant_hashes)
        if len(variants) <= MOST_LISTED * MOST_LISTS:
            lists = [variants[start : start + MOST_LISTED] for start in range(0, len(variants), MOST_LISTED)]
            return any_of(conditions.of("variant_listed", variants=each) for each in lists)
        return conditions.of(
            "variant_of_parts",
            project_id=self.project_id,
            part_ids=list(self.part_ids),
            configuration=self.configuration,
        )

    def statement(
        self, question: str, conditions: Conditions | None = None, **pieces: str
    ) -> tuple[str, dict[str, Any]]:
        """That of warehouse_sql/queries/<question>.sql about this issue's variants, and what it binds.

        `pieces` are put in beside `is_own`; what they bind is in `conditions`.
        """
        conditions = conditions or Conditions()
        statement = Template(sql.query(question)).substitute(is_own=self.is_own(conditions), **pieces)
        if self.deleted.cuts:
            statement = without_deleted(statement)
        return statement, {"project_id": self.project_id, **conditions.parameters}

    def rows(self, warehouse: Warehouse, question: str, **parameters: Any) -> list[Row]:
        statement, bound = self.statement(question)
        return warehouse.rows(statement, {**bound, **parameters})


def whole_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> WholeIssue | None:
    """None for an issue that the project does not have. One that was emptied leads to its successor."""
    found = _whole(warehouse, project_id, issue_id)
    if found or not (successor := successor_of_issue(warehouse, project_id, issue_id)):
        return found
    whole = _whole(warehouse, project_id, successor)
    return replace(whole, asked_id=issue_id) if whole else None


@dataclass(frozen=True)
class Placed:
    """The variants of parts under a configuration, as of a moment by the warehouse's clock."""

    part_ids: tuple[int, ...]
    configuration: int
    mappings: int
    read_at: datetime
    variants: tuple[OwnVariant, ...]


@dataclass
class Remembered:
    """What was read last of an issue, and as of which logs: one of thousands of variants takes megabytes.

    Each is replaced as a whole: requests of several threads may meet here.
    """

    whole: tuple[LogSizes | None, WholeIssue | None] = None, None
    placed: "Placed | None" = None


@lru_cache(maxsize=256)
def _remembered(_warehouse: Warehouse, _project_id: int, _issue_id: int) -> Remembered:
    return Remembered()


def _whole(warehouse: Warehouse, project_id: int, issue_id: int) -> WholeIssue | None:
    remembered = _remembered(warehouse, project_id, issue_id)
    asked_at, sizes = log_sizes(warehouse, project_id)
    known_sizes, whole = remembered.whole
    if known_sizes != sizes:
        whole = _as_decided(warehouse, project_id, issue_id, sizes.mappings, asked_at, remembered)
        remembered.whole = sizes, whole
    return whole


def _as_decided(
    warehouse: Warehouse,
    project_id: int,
    issue_id: int,
    mappings: int,
    asked_at: datetime,
    remembered: Remembered,
) -> WholeIssue | None:
    about = {"project_id": project_id, "issue_id": issue_id}
    (actions,), (force,) = both(
        lambda: warehouse.rows(sql.query("actions_about_issue"), about),
        lambda: warehouse.rows(sql.query("configuration_in_force"), {"project_id": project_id}),
    )
    (found,) = warehouse.rows(sql.query("parts_of_issue"), about) if actions["merge_count"] else (UNMERGED,)
    whole_id = found["merged_into"] or issue_id
    part_ids = (whole_id, *sorted(found["parts"]))
    known = remembered.placed
    if known and _holds(warehouse, project_id, known, (part_ids, force["configuration"]), mappings):
        variants = known.variants
    else:
        variants = _variants(warehouse, project_id, part_ids, force["configuration"])
    remembered.placed = Placed(part_ids, force["configuration"], mappings, asked_at, variants)
    if not variants:
        return None
    whole = WholeIssue(
        project_id,
        whole_id,
        issue_id,
        part_ids,
        force["configuration"],
        variants,
        is_decided=actions["action_count"] > 0,
    )
    return replace(whole, deleted=_deleted(warehouse, whole)) if actions["deletion_count"] else whole


def _holds(
    warehouse: Warehouse, project_id: int, known: Placed, asked: tuple[tuple[int, ...], int], mappings: int
) -> bool:
    """Whether nothing was mapped since that was of these parts, or is by now: most is of other issues."""
    if (known.part_ids, known.configuration) != asked:
        return False
    if known.mappings == mappings:
        return True
    since = known.read_at - STILL_COMING
    rows = warehouse.rows(
        sql.query("mappings_since"), {"project_id": project_id, "since": since, "limit": MOST_LISTED}
    )
    own = {variant.variant_hash for variant in known.variants}
    concerned = (row["issue_id"] in known.part_ids or row["variant_hash"] in own for row in rows)
    return len(rows) < MOST_LISTED and not any(concerned)


UNMERGED: Row = {"merged_into": 0, "parts": ()}


def _variants(
    warehouse: Warehouse, project_id: int, part_ids: tuple[int, ...], configuration: int
) -> tuple[OwnVariant, ...]:
    scope = {"project_id": project_id, "part_ids": list(part_ids), "configuration": configuration}
    rows = warehouse.rows(sql.query("variants_of_parts"), scope)
    if not rows:
        return ()
    bare = WholeIssue(
        project_id, part_ids[0], part_ids[0], part_ids, configuration, tuple(map(_bare, rows)), False
    )
    looks = _looks(warehouse, bare)
    variants = [
        replace(
            variant,
            **{
                **looks.get(variant.variant_hash, {}),
                "is_merged": variant.own_issue_id != part_ids[0],
            },
        )
        for variant in bare.variants
    ]
    variants.sort(key=lambda variant: (variant.is_merged, variant.first_seen_at, variant.variant_hash))
    return tuple(variants)


def _deleted(warehouse: Warehouse, whole: WholeIssue) -> Deleted:
    (row,) = whole.rows(warehouse, "cuts_of_issue")
    cuts = tuple((variant_hash, utc(cut_at)) for variant_hash, cut_at in row["cuts"])
    return Deleted(cuts, utc(row["changed_at"]))


def _bare(row: Row) -> OwnVariant:
    return OwnVariant(
        variant_hash=row["variant_hash"],
        own_issue_id=row["own_issue_id"],
        is_merged=False,
        is_placed=row["placed_in"] != 0,
    )


def _looks(warehouse: Warehouse, bare: WholeIssue) -> dict[int, Row]:
    """By variant; of two ingest nodes that of the one which met it first."""
    looks: dict[int, Row] = {}
    for row in bare.rows(warehouse, "looks_of_issue"):
        look = {**row, "first_seen_at": utc(row["first_seen_at"])}
        known = looks.setdefault(row["variant_hash"], look)
        if look["first_seen_at"] < known["first_seen_at"]:
            looks[row["variant_hash"]] = look
    return looks

"""What has come since a build of totals that it does not know: events, decisions, other homes of variants."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.decisions import decisions_since_build
from errata.warehouse.queries.live_edge import Arrivals, Copy, live_edge
from errata.warehouse.queries.membership import homes_of_variants
from errata.warehouse.queries.moved_issues import MOST_MOVED, Moment

# What one question to the warehouse can name.
MOST_NAMED, MOST_CHANGED = 5_000, 2_000
UNDECIDED: Row = {"status": "unresolved", "assignee": "", "chosen_priority": "", "deleted_at": 0}


def since_build(warehouse: Warehouse, build: Mapping[str, Any], version: Row) -> "SinceBuild | None":
    """`build`: project_id, period and since of totals; None where there are none, or too much has come."""
    if utc(version["built_through"]).timestamp() == 0:
        return None
    project_id, built_through = build["project_id"], _moments(version)["built_through"]
    arrivals, decisions = both(
        live_edge(warehouse, project_id, utc(version["counted_through"])).arrivals,
        lambda: decisions_since_build(warehouse, project_id, built_through),
    )
    if arrivals is None:
        return None
    found = SinceBuild(warehouse, build, version, arrivals, decisions)
    return None if found.is_too_much else found


def version_of(warehouse: Warehouse, build: Mapping[str, Any]) -> Row:
    """Which build totals are of: built_through and counted_through, of 1970 where there is none."""
    return _version_of(warehouse, tuple(build.items()), *warehouse.builds_of("issue_totals"))


# A build never changes.
@lru_cache(maxsize=256)
def _version_of(warehouse: Warehouse, build: tuple[tuple[str, Any], ...], _issue_totals: str) -> Row:
    (version,) = warehouse.rows(sql.query("issue_totals_version"), dict(build))
    return version


@lru_cache(maxsize=256)
def _counted_through(warehouse: Warehouse, project_id: int, _variant_totals: str) -> datetime:
    (counted,) = warehouse.rows(sql.query("variant_totals_version"), {"project_id": project_id})
    through: datetime = counted["built_through"]
    return through


def _moments(version: Row) -> dict[str, str]:
    return {name: str(version[name].isoformat(" ")) for name in ("built_through", "counted_through")}


@dataclass(frozen=True)
class SinceBuild:
    warehouse: Warehouse
    build: Mapping[str, Any]
    version: Row
    arrivals: Arrivals
    decisions: Row

    @property
    def project_id(self) -> int:
        return int(self.build["project_id"])

    @property
    def moments(self) -> dict[str, str]:
        """Which build it is."""
        return _moments(self.version)

    @property
    def is_too_much(self) -> bool:
        return (
            max(len(self.decisions["decided"]), len(self.unplaced)) > MOST_CHANGED
            or len(self.moved) > MOST_CHANGED
            or len(self.arrived_issue_ids | self.apart_issue_ids | self.deleted) > MOST_NAMED
            or self.is_recut
        )

    @property
    def is_recut(self) -> bool:
        """Totals of before a deletion tell nothing of what came after it, nor of what is there again."""
        came = {*self._placed.values(), *(row["issue_id"] for row in self.moved)}
        is_told = not self.deleted or (self.deleted.isdisjoint(came) and not self.decisions["moved_count"])
        return not is_told or self.decisions["restored_count"] > 0

    @cached_property
    def deleted(self) -> set[int]:
        """Issues deleted since the build."""
        built_through = round(utc(self.version["built_through"]).timestamp() * 1e6)
        return {issue_id for issue_id, row in self.changed.items() if row["deleted_at"] >= built_through}

    def has_its_variants(self) -> bool:
        """Whether the totals of variants are still those that it was put together from, if they are asked."""
        if not any(row["was_issue_id"] for row in self.apart):
            return True
        counted = _counted_through(
            self.warehouse, self.project_id, *self.warehouse.builds_of("variant_totals")
        )
        return bool(counted == self.version["counted_through"])

    @cached_property
    def moved(self) -> Sequence[Row]:
        """What belongs to issues put together otherwise since, and variants the build did not know."""
        build = self.warehouse, self.project_id, self.moments["built_through"]
        if moved_count := self.decisions["moved_count"]:
            return _moved_variants(*build, moved_count, tuple(sorted(self.unplaced)))
        return _new_variants(*build, self.unplaced) if self.unplaced else ()

    @cached_property
    def _placed(self) -> Mapping[int, int]:
        """Where the build put the variants of what arrived; without those that it did not know."""
        variants = {copy.variant_hash for copy in self.arrivals.firsts}
        if not variants:
            return {}
        known = _variants_of_build(self.warehouse, self.project_id, self.moments["built_through"])
        found = ((variant, known.issue_id(variant)) for variant in variants)
        return {variant: issue_id for variant, issue_id in found if issue_id}

    @cached_property
    def unplaced(self) -> set[int]:
        return {copy.variant_hash for copy in self.arrivals.firsts} - self._placed.keys()

    @cached_property
    def came(self) -> Mapping[int, Sequence[Copy]]:
        """What arrived, by the issue that it belongs to by now."""
        by_issue = defaultdict[int, list[Copy]](list)
        into = {**self._placed, **{row["variant_hash"]: row["issue_id"] for row in self.moved}}
        for copy in self.arrivals.firsts:
            if copy.variant_hash in into:
                by_issue[into[copy.variant_hash]].append(copy)
        return by_issue

    @cached_property
    def joining(self) -> Sequence[Row]:
        """Variants that came to issues which the build has as they are but for them."""
        return [row for row in self.moved if row["is_joining"]]

    @cached_property
    def apart(self) -> Sequence[Row]:
        """Variants of issues that no build has put together as they are by now."""
        return [row for row in self.moved if not row["is_joining"]]

    @cached_property
    def apart_issue_ids(self) -> set[int]:
        """Those issues, and the ones that their variants were of."""
        return {row[name] for row in self.apart for name in ("issue_id", "was_issue_id")} - {0}

    @cached_property
    def arrived_issue_ids(self) -> set[int]:
        """Of the issues that the build has as they are, those that something arrived of."""
        joined = (row["issue_id"] for row in self.joining)
        return {*self._placed.values(), *joined} - self.apart_issue_ids

    @cached_property
    def changed(self) -> Mapping[int, Row]:
        """States of issues decided about since; what brings one back is written down as a decision too."""
        issue_ids = {*self.decisions["decided"], *(row["issue_id"] for row in self.moved)}
        build = self.warehouse, self.project_id, self.moments["built_through"]
        return _states(*build, self.decisions["decision_count"], issue_ids)

    def variants_of(self, issue_ids: Collection[int]) -> dict[int, list[int]]:
        """What belongs to issues by now."""
        found = {issue_id: list[int]() for issue_id in issue_ids}
        moved = {row["variant_hash"]: row["issue_id"] for row in self.moved}
        built = _variants_of_build(self.warehouse, self.project_id, self.moments["built_through"])
        for variant, issue_id in zip(built.variants, built.issues, strict=True):
            if issue_id in found and variant not in moved:
                found[issue_id].append(variant)
        for variant, issue_id in moved.items():
            if issue_id in found:
                found[issue_id].append(variant)
        return found

    def seen_since(self, moment: Moment) -> list[int]:
        """Issues that got events since a moment."""
        scope = {
            "project_id": self.project_id,
            "built_through": self.moments["built_through"],
            "asked_at": moment.asked_at,
            "event_count": moment.event_count,
        }
        placed: dict[int, int] = {row["variant_hash"]: row["issue_id"] for row in self.moved}
        rows = self.warehouse.rows(sql.query("variants_seen_since"), scope)
        found = {
            placed[row["variant_hash"]] if row["variant_hash"] in placed else row["issue_id"] for row in rows
        }
        return sorted(found - {0})[:MOST_MOVED]


def movement(moved: Sequence[Row]) -> dict[str, Any]:
    """As statements take it."""
    return {
        "moved_variants": [row["variant_hash"] for row in moved],
        "moved_into": [row["issue_id"] for row in moved],
        "moved_are_merged": [bool(row["is_merged"]) for row in moved],
    }


@dataclass(frozen=True)
class Placements:
    """`variants` in order; `issues` are theirs. Eight bytes each: a project has tens of thousands."""

    variants: "array[int]"
    issues: "array[int]"

    def issue_id(self, variant_hash: int) -> int:
        """0: none."""
        place = bisect_left(self.variants, variant_hash)
        is_there = place < len(self.variants) and self.variants[place] == variant_hash
        return self.issues[place] if is_there else 0


# A build never changes.
@lru_cache(maxsize=32)
def _variants_of_build(warehouse: Warehouse, project_id: int, built_through: str) -> Placements:
    scope = {"project_id": project_id, "built_through": built_through}
    columns = warehouse.columns(sql.query("variants_of_build"), scope)
    return Placements(*(array("Q", columns.get(name, ())) for name in ("variant_hash", "issue_id")))


# What is remembered changes only with what it is asked by: a build, and a count of what was appended since.
@lru_cache(maxsize=64)
def _moved_variants(
    warehouse: Warehouse, project_id: int, built_through: str, moved_count: int, unplaced: Sequence[int]
) -> Sequence[Row]:
    scope = {"project_id": project_id, "built_through": built_through, "unplaced": list(unplaced)}
    return warehouse.rows(sql.query("variants_moved"), scope)


def _new_variants(
    warehouse: Warehouse, project_id: int, built_through: str, variants: Set[int]
) -> Sequence[Row]:
    """The same of variants that came since, where nothing else moved: each is asked for once."""
    remembered = _placed_since(warehouse, project_id, built_through)
    if rows := homes_of_variants(warehouse, project_id, variants - remembered.keys()):
        found = {row["issue_id"] for row in rows}
        known = found.intersection(_variants_of_build(warehouse, project_id, built_through).issues)
        remembered.update(
            (row["variant_hash"], {**row, "was_issue_id": 0, "is_joining": row["issue_id"] in known})
            for row in rows
        )
    return [remembered[variant] for variant in sorted(variants & remembered.keys())]


@lru_cache(maxsize=64)
def _placed_since(_warehouse: Warehouse, _project_id: int, _built_through: str) -> dict[int, Row]:
    return {}


def _states(
    warehouse: Warehouse, project_id: int, built_through: str, decision_count: int, issue_ids: Set[int]
) -> Mapping[int, Row]:
    remembered = _states_since(warehouse, project_id, built_through, decision_count)
    if asked := sorted(issue_ids - remembered.keys()):
        rows = warehouse.rows(sql.query("statuses_of_issues"), {"project_id": project_id, "issue_ids": asked})
        found = {row["issue_id"]: row for row in rows}
        remembered.update((issue_id, found.get(issue_id, UNDECIDED)) for issue_id in asked)
    return {issue_id: remembered[issue_id] for issue_id in sorted(issue_ids)}


@lru_cache(maxsize=64)
def _states_since(
    _warehouse: Warehouse, _project_id: int, _built_through: str, _decision_count: int
) -> dict[int, Row]:
    return {}

"""Another configuration's mapping of variants to issues, and what it changes: pure functions.

People's placements are read and never changed: what they placed stays, and counts as theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placement:
    """A variant: the fingerprint it gets, and where it is now.

    `own_issue_id` is where it belongs before merges; `is_placed` says that a person said so.
    """

    variant_hash: int
    fingerprint_hash: int
    issue_id: int
    own_issue_id: int
    is_placed: bool = False
    event_count: int = 0
    first_seen_ms: int = 0


def mapping(
    placements: Iterable[Placement],
    known: Mapping[int, int],
    used: Collection[int],
    fresh: Callable[[int], int],
) -> dict[int, int]:
    """The issue of each fingerprint: `known` ones keep theirs, the others take over or begin one.

    A fingerprint takes over the issue most of its events come from, if most of them are there by people's
    word. Of the rest, those that come mostly from one issue compete for its id: the one with most events from
    it keeps the id, then the one with most variants, the one seen first, the smallest hash. The others begin
    an issue, as all do that come from one whose id is in use.
    """
    groups: defaultdict[int, list[Placement]] = defaultdict(list)
    for placement in placements:
        if placement.fingerprint_hash not in known:
            groups[placement.fingerprint_hash].append(placement)
    found: dict[int, int] = {}
    taken = set(used)
    claims: defaultdict[int, list[tuple[_Weight, int]]] = defaultdict(list)
    for fingerprint_hash, group in groups.items():
        home, weight, is_peoples = _home(group)
        if is_peoples:
            found[fingerprint_hash] = home
        else:
            claims[home].append((weight, fingerprint_hash))
    taken |= set(found.values())
    for home, claimants in claims.items():
        heir = min(claimants)[1]
        for _, fingerprint_hash in claimants:
            keeps = fingerprint_hash == heir and home not in taken
            found[fingerprint_hash] = home if keeps else fresh(fingerprint_hash)
    return {**known, **found}


_Weight = tuple[int, int, int]
"""Events and variants, negated, and the first sight: the least comes first."""


def _home(group: Sequence[Placement]) -> tuple[int, _Weight, bool]:
    homes: defaultdict[int, list[Placement]] = defaultdict(list)
    for placement in group:
        homes[placement.own_issue_id].append(placement)
    weight, home = min((_weight(members), home) for home, members in homes.items())
    placed = [placement for placement in homes[home] if placement.is_placed]
    events = sum(placement.event_count for placement in group)
    if events:
        return home, weight, 2 * sum(placement.event_count for placement in placed) >= events
    return home, weight, 2 * len(placed) >= len(group)


def _weight(members: Sequence[Placement]) -> _Weight:
    return (
        -sum(placement.event_count for placement in members),
        -len(members),
        min(placement.first_seen_ms for placement in members),
    )


@dataclass(frozen=True)
class Change:
    """An issue that falls apart into others, or one that others come together in. Issue, then variants."""

    issue_id: int
    others: dict[int, list[int]]
    event_count: int


@dataclass(frozen=True)
class Outcome:
    """`after` is the issue of each variant; splits and joins have the most events first."""

    issue_count_before: int
    issue_count_after: int
    moved_count: int
    placed_count: int
    splits: list[Change]
    joins: list[Change]
    after: dict[int, int]


def outcome(
    placements: Sequence[Placement], mapped: Mapping[int, int], root: Callable[[int], int]
) -> Outcome:
    """What people would see: `mapped` is the issue of each fingerprint, `root` follows their merges."""
    after = {
        placement.variant_hash: placement.issue_id
        if placement.is_placed
        else root(mapped[placement.fingerprint_hash])
        for placement in placements
    }
    # By variant: an issue that goes on under another id has not changed for anybody who looks at its events.
    pieces: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    sources: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    events = {placement.variant_hash: placement.event_count for placement in placements}
    for placement in placements:
        target = after[placement.variant_hash]
        pieces[placement.issue_id][target].append(placement.variant_hash)
        sources[target][placement.issue_id].append(placement.variant_hash)
    return Outcome(
        issue_count_before=len(pieces),
        issue_count_after=len(sources),
        moved_count=sum(after[each.variant_hash] != each.issue_id for each in placements),
        placed_count=sum(each.is_placed for each in placements),
        splits=_changes(pieces, events),
        joins=_changes(sources, events),
        after=after,
    )


def _changes(of_issue: Mapping[int, Mapping[int, list[int]]], events: Mapping[int, int]) -> list[Change]:
    found = [
        Change(
            issue_id,
            {other: list(variants) for other, variants in others.items()},
            sum(events[variant] for variants in others.values() for variant in variants),
        )
        for issue_id, others in of_issue.items()
        if len(others) > 1
    ]
    return sorted(found, key=lambda change: (-change.event_count, change.issue_id))

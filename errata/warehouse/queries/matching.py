"""How much matches a question that totals do not answer: as of a build, and with what arrived since."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from string import Template
from typing import Any, TypeVar
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES
from errata.warehouse.client import Warehouse
from errata.warehouse.conditions import piece
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.deletions import has_deletions
from errata.warehouse.queries.live_edge import Copy
from errata.warehouse.queries.since_build import MOST_NAMED, SinceBuild

MOST_STEPS = 31

Answered = TypeVar("Answered")


class CountedFurther(Exception):
    """Days are built further than the totals of issues know."""


@dataclass(frozen=True)
class Matches:
    """Of one issue. `steps`: events by step of the period."""

    event_count: int = 0
    user_count: int = 0
    steps: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """Events and users of issues, as a build put them together, in order of their ids: 150 bytes an issue.

    `steps`: events by step of the period, of each issue as many as there can be. Users are 0 of issues whose
    users nobody asked for.
    """

    issue_ids: "array[int]"
    event_counts: "array[int]"
    user_counts: "array[int]"
    steps: "array[int]"

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> "Built":
        issue_ids, events, users = (
            array("Q", columns.get(name, ())) for name in ("issue_id", "event_count", "user_count")
        )
        steps = array("I")
        for each in columns.get("steps", ()):
            steps.extend(each)
        return cls(issue_ids, events, users, steps)

    def matches(self, issue_id: int) -> Matches:
        place = bisect_left(self.issue_ids, issue_id)
        if place == len(self.issue_ids) or self.issue_ids[place] != issue_id:
            return Matches()
        steps = self.steps[place * MOST_STEPS : (place + 1) * MOST_STEPS]
        return Matches(self.event_counts[place], self.user_counts[place], dict(enumerate(steps)))


@dataclass
class Remembered:
    """Of a build and a question. `by_issue`: as of which variants and users that came. `came`: events that
    arrived since, and whether they match."""

    built: Built | None = None
    came: dict[UUID, bool] = field(default_factory=dict)
    by_issue: dict[int, tuple[object, Matches]] = field(default_factory=dict)


@dataclass(frozen=True)
class Matching:
    warehouse: Warehouse
    asked: Asked
    since: SinceBuild
    has_cuts: bool
    remembered: Remembered

    def count(self, likely: Callable[[], Collection[int]]) -> bool:
        """Whether the build can tell. `likely`: issues that will be shown: their users are counted, too."""
        if self.remembered.built is None:
            named = self._worth_naming(likely)
            signs = {each: self._sign(each) for each in named}
            columns = self._columns_as_of_build(named)
            if columns is None:
                return False
            built = self.remembered.built = Built.of(columns)
            self.remembered.by_issue.update(
                (each, (sign, built.matches(each))) for each, sign in signs.items()
            )
        return True

    def _worth_naming(self, likely: Callable[[], Collection[int]]) -> list[int]:
        """Reading events twice costs more than counting some users too many; days are read by variant."""
        if _counts_users(self.asked) or not self.asked.meaning.reads_events:
            return []
        return next(self._chunks([each for each in likely() if each not in self.put_together_since]), [])

    def _columns_as_of_build(self, named: Sequence[int]) -> Mapping[str, Sequence[Any]] | None:
        counted = _counted(self.asked, piece("always"), self.has_cuts)
        statement = Template(sql.query("matching_issues")).substitute(counted=counted)
        parameters = _parameters(self.asked, self.since)
        came_users = [list(self._users(issue_id)) for issue_id in named]
        told = {**parameters, "issue_ids": named, "came_users": came_users}
        return _as_of_build(
            self.warehouse,
            self.asked,
            parameters,
            lambda: self.warehouse.columns(statement, told, BOTH_CORES),
        )

    @property
    def _built(self) -> Built:
        assert self.remembered.built is not None
        return self.remembered.built

    @cached_property
    def came(self) -> Mapping[int, Sequence[Copy]]:
        """What arrived since and matches, by issue."""
        known = self.remembered.came
        unknown = [copy for copy in self.since.arrivals.firsts if copy.item_id not in known]
        if unknown:
            matching = self._matching_since(min(copy.received_at for copy in unknown))
            known.update((copy.item_id, copy.item_id in matching) for copy in unknown)
        by_issue = defaultdict[int, list[Copy]](list)
        for issue_id, copies in self.since.came.items():
            for copy in copies:
                if known[copy.item_id]:
                    by_issue[issue_id].append(copy)
        return by_issue

    def _matching_since(self, received_from: datetime) -> set[UUID]:
        statement = Template(sql.query("arrivals_matching")).substitute(
            event_condition=self.asked.meaning.of_events
        )
        told = {**_parameters(self.asked, self.since), "received_from": received_from}
        return {row["item_id"] for row in self.warehouse.rows(statement, told)}

    @cached_property
    def put_together_since(self) -> set[int]:
        """Issues with variants that the build has elsewhere. What it does not know has only what arrived."""
        return {row["issue_id"] for row in self.since.apart if row["was_issue_id"]}

    @property
    def can_be_named(self) -> bool:
        """An issue that was put together of too many variants since would take more than one statement."""
        return all(len(variants) < MOST_NAMED for variants in self._moved.values())

    def event_counts(self) -> dict[int, int]:
        """Of every issue with anything that matches."""
        built, apart = self._built, self.since.apart_issue_ids
        found = {
            issue_id: events + len(self.came.get(issue_id, ()))
            for issue_id, events in zip(built.issue_ids, built.event_counts, strict=True)
            if issue_id not in apart
        }
        found.update((each, len(self.came[each])) for each in self.came.keys() - found.keys())
        of_others = self.of(self.put_together_since)
        found.update((each, matches.event_count) for each, matches in of_others.items())
        return {issue_id: count for issue_id, count in found.items() if count}

    def user_counts(self, issue_ids: Collection[int]) -> dict[int, int]:
        built = self._built
        exact = self.of({each for each in issue_ids if each in self.came} | self.put_together_since)
        return {
            issue_id: (exact.get(issue_id) or built.matches(issue_id)).user_count for issue_id in issue_ids
        }

    def of(self, issue_ids: Collection[int]) -> dict[int, Matches]:
        """Exactly, with what arrived since."""
        built, known = self._built, self.remembered.by_issue
        found = {each: built.matches(each) for each in issue_ids}
        asked_for = {
            each
            for each, matches in found.items()
            if matches.event_count and (self._users(each) or not _counts_users(self.asked))
        }
        asked_for |= self.put_together_since
        found = {
            each: matches if matches.event_count else Matches(user_count=len(self._users(each)))
            for each, matches in found.items()
            if each not in asked_for
        }
        signs = {each: self._sign(each) for each in asked_for.intersection(issue_ids)}
        unknown = {each for each in signs if each not in known or known[each][0] != signs[each]}
        for placed, asked in (
            ("placed_by_build", unknown - self.put_together_since),
            ("placed_as_named", unknown & self.put_together_since),
        ):
            for chunk in self._chunks(asked):
                exact = self._ask(piece(placed), chunk)
                known.update((each, (signs[each], exact.get(each, Matches()))) for each in chunk)
        found.update((each, known[each][1]) for each in signs)
        return {each: self._with_arrivals(each, matches) for each, matches in found.items()}

    def _sign(self, issue_id: int) -> object:
        """As long as it is the same, so is what is asked for."""
        return tuple(self._moved.get(issue_id, ())), self._users(issue_id)

    @cached_property
    def _moved(self) -> Mapping[int, Sequence[int]]:
        """Variants of issues that the build put together otherwise."""
        return self.since.variants_of(self.put_together_since) if self.put_together_since else {}

    def _chunks(self, issue_ids: Collection[int]) -> Iterator[list[int]]:
        """As many as one statement can name, with their variants and users."""
        chunk, size = list[int](), 0
        for issue_id in issue_ids:
            more = 1 + len(self._moved.get(issue_id, ())) + len(self._users(issue_id))
            if chunk and size + more > MOST_NAMED:
                yield chunk
                chunk, size = [], 0
            chunk.append(issue_id)
            size += more
        if chunk:
            yield chunk

    def _ask(self, placed: str, issue_ids: Sequence[int]) -> dict[int, Matches]:
        pairs = [(variant, each) for each in issue_ids for variant in self._moved.get(each, ())]
        statement = Template(sql.query("matching_of_issues")).substitute(
            placed=placed, counted=_counted(self.asked, piece("variant_placed"), self.has_cuts)
        )
        parameters = _parameters(self.asked, self.since)
        named = {
            **parameters,
            "counts_users": True,
            "variants": [variant for variant, _ in pairs],
            "issues": [issue_id for _, issue_id in pairs],
            "issue_ids": list(issue_ids),
            "came_users": [list(self._users(issue_id)) for issue_id in issue_ids],
        }
        rows = _as_of_build(
            self.warehouse, self.asked, parameters, lambda: self.warehouse.rows(statement, named, BOTH_CORES)
        )
        if rows is None:
            raise CountedFurther
        return {
            row["issue_id"]: Matches(sum(row["steps"]), row["user_count"], dict(enumerate(row["steps"])))
            for row in rows
        }

    def _users(self, issue_id: int) -> tuple[int, ...]:
        return tuple(sorted({copy.user_hash for copy in self.came.get(issue_id, ())} - {0}))

    def _with_arrivals(self, issue_id: int, matches: Matches) -> Matches:
        came, period = self.came.get(issue_id, ()), self.asked.period
        steps = dict(matches.steps)
        for copy in came:
            step = min((copy.occurred_at - period.since) // period.bucket, len(period.bucket_starts) - 1)
            steps[step] = steps.get(step, 0) + 1
        return Matches(matches.event_count + len(came), matches.user_count, steps)


def matching_of(
    warehouse: Warehouse, asked: Asked, since: SinceBuild, likely: Callable[[], Collection[int]]
) -> Matching | None:
    """None where the build cannot tell: something was deleted since, or days are counted further already.

    `likely`: issues that will be shown.
    """
    meaning = asked.meaning
    if meaning.asks_counts or since.deleted or meaning.asks_first_releases:
        return None
    has_cuts = has_deletions(warehouse, [asked.project_id])
    key = repr([_parameters(asked, since), meaning.event_pieces, meaning.reads_events, has_cuts])
    matching = Matching(warehouse, asked, since, has_cuts, _remembered(warehouse, key))
    return matching if matching.can_be_named and matching.count(likely) else None


# A build never changes: what it knows of a question is asked for once.
@lru_cache(maxsize=8)
def _remembered(_warehouse: Warehouse, _key: str) -> Remembered:
    return Remembered()


def _as_of_build(
    warehouse: Warehouse, asked: Asked, parameters: Mapping[str, Any], ask: Callable[[], Answered]
) -> Answered | None:
    """None where the marts that are asked know more or less than the build does."""
    if not asked.meaning.reads_events:
        answered = ask()
        # Days only ever go on, and those of the build were there before it.
        (days,) = warehouse.rows(sql.query("days_as_of_build"), parameters)
        return answered if days["is_as_of"] else None
    # Rows of raw are bounded by their moment of receipt; what is known of copies must not change meanwhile.
    copies = sql.query("copies_as_of_build")
    before = warehouse.rows(copies, parameters)
    if not before[0]["are_known"]:
        return None
    answered = ask()
    return answered if warehouse.rows(copies, parameters) == before else None


def _counted(asked: Asked, variant_condition: str, has_cuts: bool) -> str:
    """`has_cuts`: something was deleted; where nothing was, nobody pays for it."""
    meaning = asked.meaning
    if meaning.reads_events:
        return piece(
            "built_events",
            variant_condition=variant_condition,
            event_condition=meaning.of_events,
            kept=piece("event_kept" if has_cuts else "always"),
        )
    return piece(
        "built_hours" if asked.period.by_hour else "built_days",
        variant_condition=variant_condition,
        count_condition=meaning.of_events,
        kept=piece("part_kept" if has_cuts else "always"),
    )


def _parameters(asked: Asked, since: SinceBuild) -> dict[str, Any]:
    return {
        **asked.scope,
        **since.moments,
        **asked.meaning.parameters,
        "releases": [asked.release] if asked.release else [],
        "bucket_seconds": int(asked.period.bucket.total_seconds()),
        "bucket_count": len(asked.period.bucket_starts),
        "counts_users": _counts_users(asked),
    }


def _counts_users(asked: Asked) -> bool:
    """Of all issues that match: else they are counted of those shown."""
    return asked.sort == "users"

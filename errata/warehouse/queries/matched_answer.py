"""A page of the issues that a question matches which totals of issues do not answer."""

from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import chain, islice

from errata.clock import EPOCH
from errata.warehouse.at_once import all_three
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.answer import Answer, place_of
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.build_memory import Order
from errata.warehouse.queries.matching import Matches, Matching
from errata.warehouse.queries.since_build import SinceBuild

# What issues are, whatever they count.
LIVES = {"period": "all", "since": EPOCH, "environments": list[str]()}
BY_COUNTS = ("events", "users")


# A page is fifty: more, since it is not known yet which of them match.
MOST_LIKELY = 250


def likely_first(warehouse: Warehouse, asked: Asked, since: SinceBuild) -> list[int]:
    """Issues that a page begins with if they match: what something came to last, and the build's first."""
    answer = Answer(warehouse, asked, since)
    of_build = islice(answer.in_order(**LIVES).after(asked.after), MOST_LIKELY)
    return [*dict.fromkeys((*answer.latest(since.came, MOST_LIKELY), *(each for _, each in of_build)))]


@dataclass(frozen=True)
class MatchedAnswer(Answer):
    """Which issues match is counted; what they are is known from the build and from what came since."""

    matching: Matching

    @cached_property
    def _page(self) -> list[Row]:
        all_three(lambda: self._others_by_now, self._foresee_matches, self._foresee_details)
        places = nlargest(self.asked.limit, chain(self._places(), self._places_above()))
        matches = self.matching.of([issue_id for _, issue_id in places])
        steps = len(self.asked.period.bucket_starts)
        return [
            {
                **self._others_by_now.get(issue_id, {}),
                "issue_id": issue_id,
                "sort_value": value,
                **_counts(matches[issue_id], steps),
            }
            for value, issue_id in places
        ]

    def _foresee_matches(self) -> None:
        """Of the latest that match the first page is made, if it is sorted so: asked for meanwhile."""
        came = self.matching.came
        if self._begins_with_latest:
            self.matching.of(self.latest(came, self.asked.limit))

    def _foresee_details(self) -> None:
        if self._begins_with_latest:
            self._remember_details(self.latest(self._touched, self.asked.limit))

    @cached_property
    def _others_by_now(self) -> dict[int, Row]:
        """Issues that are not as the build has them, by now."""
        rows = [*self._by_now(self._touched, {}, **LIVES), *self._put_together(**LIVES)]
        return {row["issue_id"]: row for row in rows}

    @cached_property
    def _order(self) -> Order:
        return self.in_order(**LIVES)

    @cached_property
    def _counted(self) -> dict[int, int]:
        """Of those that match: how often, or of how many users."""
        counts = self.matching.event_counts()
        return self.matching.user_counts(counts) if self.asked.sort == "users" else counts

    def _places(self) -> list[tuple[int, int]]:
        """Sort values and issues of a page, but for those that moved above it."""
        counted, others, after = self._counted, self._others_by_now, self.asked.after
        touched = [(self._value(row), issue_id) for issue_id, row in others.items() if issue_id in counted]
        if self.asked.sort in BY_COUNTS:
            as_built = counted.keys() & set(self._order.issue_ids) - self._others
            places = [*touched, *((counted[issue_id], issue_id) for issue_id in as_built)]
            return [place for place in places if after is None or place < after]
        below = (
            place
            for place in self._order.after(after)
            if place[1] in counted and place[1] not in self._others
        )
        return [*(p for p in touched if after is None or p < after), *islice(below, self.asked.limit)]

    def _places_above(self) -> list[tuple[int, int]]:
        """Those that moved above a page since the one before it was asked for."""
        after, above = self.asked.after, self._moved_above & self._counted.keys()
        if after is None or not above:
            return []
        rows = self._others_by_now
        places = [(self._value(rows[each]), each) for each in above & rows.keys()]
        known = zip(self._order.values, self._order.issue_ids, strict=True)
        for value, issue_id in known:
            if issue_id in above - self._others:
                is_by_counts = self.asked.sort in BY_COUNTS
                places.append((self._counted[issue_id] if is_by_counts else value, issue_id))
        return [place for place in places if place >= after]

    def _value(self, row: Row) -> int:
        by_counts = self.asked.sort in BY_COUNTS
        return self._counted[row["issue_id"]] if by_counts else place_of(row)[0]


def _counts(matches: Matches, steps: int) -> Row:
    return {
        "event_count": matches.event_count,
        "user_count": matches.user_count,
        "sparkline": [matches.steps.get(step, 0) for step in range(steps)],
    }

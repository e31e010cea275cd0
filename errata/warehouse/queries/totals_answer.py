"""A page of the issue list by totals of issues."""

from collections.abc import Set
from functools import cached_property
from heapq import nlargest
from itertools import islice

from errata.warehouse import sql
from errata.warehouse.at_once import all_three, asked
from errata.warehouse.client import Row
from errata.warehouse.queries.answer import Answer, place_of


class TotalsAnswer(Answer):
    """Issues as the totals have them, and those that something came to or that moved since."""

    @cached_property
    def _page(self) -> list[Row]:
        others = self._others
        together, looks = asked(self._put_together), asked(self._foresee_looks)
        untouched, rows, _ = all_three(
            lambda: self._untouched(others), lambda: self._with_arrivals(self._touched), self._foresee
        )
        rows += [row for row in together.result() if self._is_below(row)]
        looks.result()
        places = [*untouched, *map(place_of, rows)]
        page = sorted(places, reverse=True)[: self.asked.limit]
        by_place = {place_of(row): row for row in rows}
        return [by_place.get(place) or {"sort_value": place[0], "issue_id": place[1]} for place in page]

    def _foresee(self) -> None:
        """Of the latest the first page is made, if it is sorted so: what it shows is asked for meanwhile."""
        if not self._begins_with_latest:
            return
        latest = self.latest(self._touched, self.asked.limit)
        self._users(set(latest))
        self._remember_details(latest)

    def _foresee_looks(self) -> None:
        if self._begins_with_latest:
            self._looks({*self.latest(self._apart, self.asked.limit)})

    def _untouched(self, others: Set[int]) -> list[tuple[int, int]]:
        """Sort values and issues of a page without the others."""
        asked, known = self.asked, self.in_order()
        above = known.above(asked.after, self._moved_above - others) if asked.after else []
        below = (place for place in known.after(asked.after) if place[1] not in others)
        return [*above, *islice(below, asked.limit)]

    def _with_arrivals(self, touched: set[int]) -> list[Row]:
        """Of a page. Users are counted for what is shown, unless the page is chosen by them."""
        asked = self.asked
        by_users = asked.sort == "users" or asked.meaning.asks_users
        known = self._users(touched) if by_users else {}
        rows = [row for row in self._by_now(touched, known) if self._is_below(row)]
        if by_users:
            return rows
        rows = nlargest(asked.limit, rows, key=place_of)
        known = self._users({row["issue_id"] for row in rows})
        return [{**row, "user_count": known.get(row["issue_id"], row["user_count"])} for row in rows]

    def _users(self, issue_ids: set[int]) -> dict[int, int]:
        """How many issues have with those who came; of issues that somebody came to."""
        came, remembered = self._came.users, self._memory.users
        named = issue_ids & came.keys()
        asked = {issue_id for issue_id in named if remembered.get(issue_id, ((), 0))[0] != came[issue_id]}
        for chunk in self._came.chunks(asked):
            users = [came[issue_id] for issue_id in chunk]
            found = {
                row["issue_id"]: row["user_count"]
                for row in self._ask(
                    sql.query("users_with_arrivals"), issue_ids=chunk, came_users=[[*each] for each in users]
                )
            }
            for issue_id, each in zip(chunk, users, strict=True):
                # Of what the build counts nothing of, those who came are all.
                remembered[issue_id] = each, found.get(issue_id, len(each))
        return {issue_id: remembered[issue_id][1] for issue_id in named}

"""A page of the issue list out of what one build has counted, and of what came since."""

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from heapq import nlargest
from itertools import islice
from string import Template
from typing import Any

from errata.search import Search
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.conditions import piece
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.build_memory import BuildMemory, build_memory, order
from errata.warehouse.queries.deletions import kept_statement
from errata.warehouse.queries.laid_over import LaidOver
from errata.warehouse.queries.live_edge import Copy
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_facets import latest_events
from errata.warehouse.queries.search_meaning import Asking
from errata.warehouse.queries.since_build import MOST_NAMED, SinceBuild, movement
from errata.warehouse.queries.variant_counts import counted_rows_of

NOT_SHOWN = ("titles", "culprits", "texts")
NOTHING = (None, None)
SHOWN = (
    *("title", "culprit", "type", "platform", "level", "status", "assignee", "chosen_priority"),
    *("event_count", "user_count"),
)


@dataclass(frozen=True)
class Answer:
    """Of one build."""

    warehouse: Warehouse
    asked: Asked
    since: SinceBuild

    def rows(self) -> list[Row]:
        details = self._details()
        details = {**self._looks(details.keys()), **details}
        return [self._shown(row, details.get(row["issue_id"], {})) for row in self._page]

    def looked_at(self) -> int:
        asked = self.asked
        if not asked.meaning.reads_events:
            return 0
        if not asked.is_of_standard_period:
            asking = Asking(asked.period.now)
            return latest_events(self.warehouse, asked.project_id, Search(), asked.period, asking).event_count
        (counted,) = self._ask(sql.query("events_in_totals"))
        return int(counted["event_count"] + self.since.arrivals.copy_count)

    @cached_property
    def _came(self) -> LaidOver:
        return LaidOver(self.since.came, self.asked.period.since, self.asked.environment)

    @cached_property
    def _page(self) -> list[Row]:
        """The issues that the totals have as they are by now, and those that came or moved since."""
        asked = self.asked
        value, issue_id = asked.after or (0, 0)
        changed = self.since.changed
        narrowed = {
            # It takes no empty ones.
            "changed_issue_ids": [*changed, 0],
            "changed_statuses": [*(row["status"] for row in changed.values()), ""],
            "changed_assignees": [*(row["assignee"] for row in changed.values()), ""],
            "changed_priorities": [*(row["chosen_priority"] for row in changed.values()), ""],
            **asked.meaning.parameters,
            "moved_above": sorted(self._moved_above),
            "sort": asked.sort,
            "has_cursor": asked.after is not None,
            "after_value": value,
            "after_issue_id": issue_id,
            "limit": asked.limit,
        }
        return self._totalled(narrowed) if asked.is_by_totals else self._counted(narrowed)

    @cached_property
    def _moved_above(self) -> set[int]:
        return set(self.since.seen_since(self.asked.seen_since)) if self.asked.seen_since else set()

    def _totalled(self, narrowed: Mapping[str, Any]) -> list[Row]:
        since = self.since
        touched = (since.arrived_issue_ids | since.changed.keys()) - since.apart_issue_ids - since.deleted
        untouched, rows = both(
            lambda: self._untouched(touched | since.apart_issue_ids | since.deleted),
            lambda: self._with_arrivals(touched, narrowed),
        )
        if since.apart:
            came = self._came.parameters(sorted(since.apart_issue_ids & since.came.keys()))
            rows += self._page_of("totals_put_together", **came, **movement(since.apart), **narrowed)
        places = [*untouched, *map(_place, rows)]
        page = sorted(places, reverse=True)[: self.asked.limit]
        by_place = {_place(row): row for row in rows}
        return [by_place.get(place) or {"sort_value": place[0], "issue_id": place[1]} for place in page]

    def _untouched(self, others: Set[int]) -> list[tuple[int, int]]:
        """Sort values and issues of a page without the others."""
        asked = self.asked
        statement = Template(sql.query("totals_in_order")).substitute(
            issue_condition=asked.meaning.pieces["issue_condition"]
        )
        scope = {**asked.scope, "built_through": self.since.moments["built_through"], "sort": asked.sort}
        known = order(self.warehouse, statement, {**scope, **asked.meaning.parameters})
        above = known.above(asked.after, self._moved_above - others) if asked.after else []
        below = (place for place in known.after(asked.after) if place[1] not in others)
        return [*above, *islice(below, asked.limit)]

    def _with_arrivals(self, touched: set[int], narrowed: Mapping[str, Any]) -> list[Row]:
        """Of a page. Users are counted for what is shown, unless the page is chosen by them."""
        asked = self.asked
        by_users = asked.sort == "users" or asked.meaning.asks_users
        known = self._users(touched) if by_users else {}
        question = repr([asked.sort, asked.meaning.pieces["issue_condition"], asked.meaning.parameters])
        remembered = self._memory.rows.setdefault(question, {})
        signs = {issue_id: self._sign(issue_id, known.get(issue_id, 0)) for issue_id in touched}
        moved = [each for each in touched if remembered.get(each, NOTHING)[0] != signs[each]]
        for issue_ids in self._came.chunks(moved):
            found = {row["issue_id"]: row for row in self._touched(issue_ids, known, narrowed)}
            remembered.update((each, (signs[each], found.get(each))) for each in issue_ids)
        rows = [row for each in touched if (row := remembered[each][1]) and self._is_below(row)]
        if by_users:
            return rows
        rows = nlargest(asked.limit, rows, key=_place)
        known = self._users({row["issue_id"] for row in rows})
        return [{**row, "user_count": known.get(row["issue_id"], row["user_count"])} for row in rows]

    def _sign(self, issue_id: int, user_count: int) -> Hashable:
        """As long as it is the same, so is the row of the issue."""
        changed = self.since.changed.get(issue_id)
        state = tuple(changed.values()) if changed else ()
        return len(self.since.came.get(issue_id, ())), user_count, state

    def _touched(
        self, issue_ids: list[int], known: Mapping[int, int], narrowed: Mapping[str, Any]
    ) -> list[Row]:
        came = self._came.parameters(issue_ids)
        del came["came_users"]
        user_counts = [known.get(issue_id, 0) for issue_id in issue_ids]
        all_of_them = {"has_cursor": False, "limit": len(issue_ids)}
        return self._page_of(
            "totals_with_arrivals", user_counts=user_counts, **{**narrowed, **came, **all_of_them}
        )

    def _is_below(self, row: Row) -> bool:
        after = self.asked.after
        return after is None or _place(row) < after or row["issue_id"] in self._moved_above

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

    def _page_of(self, source: str, **parameters: Any) -> list[Row]:
        statement = Template(sql.query("page_of_issues")).substitute(
            source=piece(source), issue_condition=self.asked.meaning.pieces["issue_condition"]
        )
        return self._ask(statement, **parameters)

    def _counted(self, narrowed: Mapping[str, Any]) -> list[Row]:
        """What totals of issues do not count: other periods, releases, whatever only events tell."""
        asked, period = self.asked, self.asked.period
        parameters = {
            **asked.scope,
            **self.since.moments,
            **movement(self.since.moved),
            **narrowed,
            "releases": [asked.release] if asked.release else [],
            "apart_issue_ids": sorted(self.since.apart_issue_ids),
            **_none_empty(self._came.parameters(sorted(self.since.came))),
            "bucket_seconds": int(period.bucket.total_seconds()),
            "bucket_count": len(period.bucket_starts),
        }
        meaning, pieces = asked.meaning, asked.meaning.pieces
        counted = (
            piece("counted_events", event_condition=pieces["event_condition"])
            if meaning.reads_events
            else piece("counted_days", count_condition=pieces["count_condition"])
        )
        statement = Template(sql.query("issues_of_counts")).substitute(
            counted=counted, issue_condition=pieces["issue_condition"]
        )
        if meaning.reads_events:
            return self.warehouse.rows(
                kept_statement(self.warehouse, [asked.project_id], statement), parameters
            )
        return counted_rows_of(
            self.warehouse,
            statement,
            [asked.project_id],
            period.since,
            {**parameters, "by_hour": period.by_hour},
        )

    @cached_property
    def _memory(self) -> BuildMemory:
        scope = (*self.asked.scope.values(), *self._starts.values(), self.since.moments["built_through"])
        return build_memory(self.warehouse, tuple(map(str, scope)))

    def _details(self) -> Mapping[int, Row]:
        """Of the issues of the page that the totals know as they are."""
        issue_ids = {row["issue_id"] for row in self._page} - self.since.apart_issue_ids
        remembered = self._memory.details
        asked = sorted(issue_ids - remembered.keys())
        for first in range(0, len(asked), MOST_NAMED):
            rows = self._ask(
                sql.query("issues_in_detail"), issue_ids=asked[first : first + MOST_NAMED], **self._starts
            )
            remembered.update((row["issue_id"], row) for row in rows)
        found = {issue_id: remembered[issue_id] for issue_id in issue_ids & remembered.keys()}
        self._memory.keep_small()
        return found

    def _looks(self, known: Set[int]) -> Mapping[int, Row]:
        """Of the others: new ones, and those put together otherwise since."""
        others = {row["issue_id"] for row in self._page} - known
        moved = [row for row in self.since.apart if row["issue_id"] in others]
        if not moved:
            return {}
        rows = self._ask(
            sql.query("moved_in_detail"),
            **movement(moved),
            **self._starts,
        )
        return {row["issue_id"]: row for row in rows}

    @cached_property
    def _spans(self) -> Mapping[str, Period]:
        now = self.asked.period.now
        return {
            "sparkline": self.asked.period,
            "hours": Period.parse("24h", now),
            "days": Period.parse("30d", now),
        }

    @property
    def _starts(self) -> dict[str, datetime]:
        return {"hours_since": self._spans["hours"].since, "days_since": self._spans["days"].since}

    def _shown(self, row: Row, detail: Row) -> Row:
        arrivals = sorted(self.since.came.get(row["issue_id"], ()), key=lambda copy: copy.occurred_at)
        chosen = [copy.occurred_at for copy in arrivals if self._came.has(copy)]
        first, last = _releases(detail, arrivals)
        steps = {name: _steps(span, detail.get(name), chosen) for name, span in self._spans.items()}
        if "sparkline" in row:
            # Of what matches; hours and days would be those of all events.
            steps = {"sparkline": tuple(row["sparkline"])}
        return {
            **{name: detail.get(name, "") for name in SHOWN},
            **{name: detail.get(f"known_{name}") for name in ("first_seen", "last_seen")},
            **{name: row[name] for name in row if name not in NOT_SHOWN},
            "first_release": first,
            "last_release": last,
            **steps,
        }

    def _ask(self, statement: str, **more: Any) -> list[Row]:
        return self.warehouse.rows(statement, {**self.asked.scope, **self.since.moments, **more})


def _place(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _none_empty(parameters: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [*values, [] if name == "came_users" else 0] for name, values in parameters.items()}


def _releases(detail: Row, arrivals: Sequence[Copy]) -> tuple[str, str]:
    named = [(copy.occurred_at, copy.release) for copy in arrivals if copy.release]
    if detail.get("first_release"):
        named.append((aware(detail["known_first_seen"]), detail["first_release"]))
        named.append((aware(detail["known_last_seen"]), detail["last_release"]))
    ordered = sorted(named, key=lambda pair: pair[0])
    return (ordered[0][1], ordered[-1][1]) if ordered else ("", "")


def _steps(span: Period, counted: Sequence[int] | None, arrivals: Sequence[datetime]) -> tuple[int, ...]:
    count = len(span.bucket_starts)
    steps = [*(counted or ())][:count]
    steps += [0] * (count - len(steps))
    for moment in arrivals:
        if moment >= span.since:
            steps[min((moment - span.since) // span.bucket, count - 1)] += 1
    return tuple(steps)

"""A page of the issue list out of what one build knows, and of what came since."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from heapq import nlargest
from string import Template
from typing import Any

from errata.clock import utc
from errata.search import Search
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.conditions import piece
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.build_memory import BuildMemory, Order, build_memory, order
from errata.warehouse.queries.laid_over import LaidOver
from errata.warehouse.queries.live_edge import Copy
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_facets import latest_events
from errata.warehouse.queries.search_meaning import Asking
from errata.warehouse.queries.since_build import MOST_NAMED, SinceBuild, movement

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
        details = {**self._looks({row["issue_id"] for row in self._page} - details.keys()), **details}
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

    def latest(self, issue_ids: Collection[int], most: int) -> list[int]:
        """Those of them that something came to since the build, the last one first."""
        came = self.since.came
        return nlargest(
            most,
            (each for each in issue_ids if each in came),
            key=lambda issue_id: max(copy.occurred_at for copy in came[issue_id]),
        )

    @property
    def _begins_with_latest(self) -> bool:
        return self.asked.sort == "last_seen" and not self.asked.after

    @cached_property
    def _came(self) -> LaidOver:
        return LaidOver(self.since.came, self.asked.period.since, self.asked.environment)

    @cached_property
    def _page(self) -> list[Row]:
        """At least issue_id and sort_value of each; what else is there goes before the details."""
        raise NotImplementedError

    @property
    def _narrowed(self) -> dict[str, Any]:
        """What statements that list issues take beside their scope."""
        asked = self.asked
        value, issue_id = asked.after or (0, 0)
        changed = self.since.changed
        return {
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

    @cached_property
    def _moved_above(self) -> set[int]:
        return set(self.since.seen_since(self.asked.seen_since)) if self.asked.seen_since else set()

    @cached_property
    def _touched(self) -> set[int]:
        """Issues that the build put together as they are, but not with all that came or was decided."""
        since = self.since
        return (since.arrived_issue_ids | since.changed.keys()) - since.apart_issue_ids - since.deleted

    @property
    def _others(self) -> set[int]:
        """Than those that are as the build has them."""
        return self._touched | self.since.apart_issue_ids | self.since.deleted

    def in_order(self, **scope: Any) -> Order:
        meaning = self.asked.meaning
        statement = Template(sql.query("totals_in_order")).substitute(
            issue_condition=meaning.pieces["issue_condition"]
        )
        build = {"built_through": self.since.moments["built_through"], "sort": self.asked.sort}
        return order(self.warehouse, statement, {**self.asked.scope, **build, **meaning.parameters, **scope})

    def _by_now(self, touched: Set[int], known: Mapping[int, int], **scope: Any) -> list[Row]:
        """Those of them that are listed, wherever they stand; of another scope, whatever they count."""

        def ask(issue_ids: list[int]) -> list[Row]:
            user_counts = [known.get(issue_id, 0) for issue_id in issue_ids]
            came = self._came_to(issue_ids, scope)
            del came["came_users"]
            return self._wherever(
                "totals_with_arrivals", len(issue_ids), **came, **scope, user_counts=user_counts
            )

        signs = {issue_id: self._sign(issue_id, known.get(issue_id, 0)) for issue_id in touched}
        return self._as_remembered("with arrivals", scope, signs, ask)

    def _put_together(self, **scope: Any) -> list[Row]:
        """Issues that no build has put together as they are by now, wherever they stand."""
        moved = self._apart

        def ask(issue_ids: list[int]) -> list[Row]:
            rows = [row for issue_id in issue_ids for row in moved[issue_id]]
            came = self._came_to(issue_ids if scope else [*filter(self.since.came.get, issue_ids)], scope)
            return self._wherever("totals_put_together", len(issue_ids), **movement(rows), **came, **scope)

        signs = {
            issue_id: (*(row["variant_hash"] for row in rows), self._sign(issue_id, len(rows)))
            for issue_id, rows in moved.items()
        }
        return self._as_remembered("put together", scope, signs, ask)

    def _as_remembered(
        self,
        name: str,
        scope: Mapping[str, Any],
        signs: Mapping[int, Hashable],
        ask: Callable[[list[int]], list[Row]],
    ) -> list[Row]:
        """Rows of issues that are listed: only those are asked for whose sign is another than before."""
        meaning = self.asked.meaning
        question = repr([name, self.asked.sort, scope, meaning.pieces["issue_condition"], meaning.parameters])
        remembered = self._memory.rows.setdefault(question, {})
        moved = [each for each, sign in signs.items() if remembered.get(each, NOTHING)[0] != sign]
        for issue_ids in self._came.chunks(moved):
            found = {row["issue_id"]: row for row in ask(issue_ids)}
            remembered.update((each, (signs[each], found.get(each))) for each in issue_ids)
        return [row for each in signs if (row := remembered[each][1])]

    def _wherever(self, source: str, most: int, **parameters: Any) -> list[Row]:
        told = {**self._narrowed, **parameters, "has_cursor": False, "limit": most}
        return self._page_of(source, **told)

    def _came_to(self, issue_ids: Sequence[int], scope: Mapping[str, Any]) -> dict[str, Any]:
        came = self._came.parameters(issue_ids)
        # What counts nothing is not listed.
        return {**came, "came_counts": [1 for _ in issue_ids]} if scope else came

    def _sign(self, issue_id: int, user_count: int) -> Hashable:
        """As long as it is the same, so is the row of the issue."""
        changed = self.since.changed.get(issue_id)
        state = tuple(changed.values()) if changed else ()
        return len(self.since.came.get(issue_id, ())), user_count, state

    def _is_below(self, row: Row) -> bool:
        after = self.asked.after
        return after is None or place_of(row) < after or row["issue_id"] in self._moved_above

    def _page_of(self, source: str, **parameters: Any) -> list[Row]:
        statement = Template(sql.query("page_of_issues")).substitute(
            source=piece(source), issue_condition=self.asked.meaning.pieces["issue_condition"]
        )
        return self._ask(statement, **parameters)

    @cached_property
    def _memory(self) -> BuildMemory:
        scope = (*self.asked.scope.values(), *self._starts.values(), self.since.moments["built_through"])
        return build_memory(self.warehouse, tuple(map(str, scope)))

    def _details(self) -> Mapping[int, Row]:
        """Of the issues of the page that the totals know as they are."""
        issue_ids = {row["issue_id"] for row in self._page} - self.since.apart_issue_ids
        self._remember_details(issue_ids)
        remembered = self._memory.details
        found = {issue_id: remembered[issue_id] for issue_id in issue_ids & remembered.keys()}
        self._memory.keep_small()
        return found

    def _remember_details(self, issue_ids: Collection[int]) -> None:
        remembered = self._memory.details
        asked = sorted(set(issue_ids) - remembered.keys())
        for first in range(0, len(asked), MOST_NAMED):
            rows = self._ask(
                sql.query("issues_in_detail"), issue_ids=asked[first : first + MOST_NAMED], **self._starts
            )
            remembered.update((row["issue_id"], row) for row in rows)

    def _looks(self, issue_ids: Set[int]) -> Mapping[int, Row]:
        """Of new issues, and of those put together otherwise since."""
        moved = {each: rows for each, rows in self._apart.items() if each in issue_ids}
        signs = {each: tuple(map(_variant, rows)) for each, rows in moved.items()}
        remembered = self._memory.looks
        asked = [each for each, sign in signs.items() if remembered.get(each, NOTHING)[0] != sign]
        if asked:
            rows = [row for each in asked for row in moved[each]]
            for look in self._ask(sql.query("moved_in_detail"), **movement(rows), **self._starts):
                remembered[look["issue_id"]] = signs[look["issue_id"]], look
        return {each: remembered[each][1] for each in moved if each in remembered}

    @cached_property
    def _apart(self) -> Mapping[int, Sequence[Row]]:
        """Variants of issues that no build has put together as they are by now, by issue."""
        found = defaultdict[int, list[Row]](list)
        for row in self.since.apart:
            found[row["issue_id"]].append(row)
        return found

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


def _variant(row: Row) -> tuple[int, bool]:
    return row["variant_hash"], bool(row["is_merged"])


def place_of(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _releases(detail: Row, arrivals: Sequence[Copy]) -> tuple[str, str]:
    named = [(copy.occurred_at, copy.release) for copy in arrivals if copy.release]
    if detail.get("first_release"):
        named.append((utc(detail["known_first_seen"]), detail["first_release"]))
        named.append((utc(detail["known_last_seen"]), detail["last_release"]))
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

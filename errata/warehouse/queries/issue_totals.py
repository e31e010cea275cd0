"""The issue list of a standard period by what builds have counted, and what came since.

Steps, each small: what came since the build; where variants belong that it did not know or knew otherwise;
the page, merged in the warehouse from all of that; what the list shows of the fifty of the page. They name
the build they read, and are asked again if another one is swapped in meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from string import Template
from typing import Any

from errata.search import Search
from errata.warehouse import sql
from errata.warehouse.at_once import both
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.conditions import piece
from errata.warehouse.queries.deletions import kept_statement
from errata.warehouse.queries.moved_issues import Moment
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.search_facets import latest_events
from errata.warehouse.queries.search_meaning import Asking, Meaning
from errata.warehouse.queries.since_build import MOST_NAMED, SinceBuild, movement, since_build
from errata.warehouse.queries.variant_counts import counted_rows_of

PERIODS = ("24h", "7d", "14d", "30d", "90d")
TRIES = 5
NOT_SHOWN = ("arrivals", "titles", "culprits", "texts")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Asked:
    """What totals can answer. `environment` empty: all of them.

    `seen_since`: issues with events since are listed though they stand before the place after which a
    page begins.
    """

    project_id: int
    period: Period
    environment: str = ""
    release: str = ""
    meaning: Meaning = field(default_factory=Meaning.nothing)
    sort: str = "last_seen"
    seen_since: Moment | None = None
    after: tuple[int, int] | None = None
    limit: int = 50

    @property
    def is_by_totals(self) -> bool:
        """Else what issues are is known from a build, but what they count is not."""
        return self.is_of_standard_period and self.meaning.is_of_issues_alone and not self.release

    @property
    def is_of_standard_period(self) -> bool:
        return self.period.text in PERIODS

    @property
    def build(self) -> dict[str, Any]:
        """Whose version counts."""
        is_whole = not self.is_of_standard_period
        return {
            "project_id": self.project_id,
            "period": "all" if is_whole else self.period.text,
            "since": EPOCH if is_whole else self.period.since,
        }

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "period": self.period.text,
            "since": self.period.since,
            "environments": [self.environment] if self.environment else [],
        }


def rows_by_totals(warehouse: Warehouse, asked: Asked) -> tuple[list[Row], int] | None:
    """The rows of a page, and how many events were read for them; None where no build helps."""
    for _ in range(TRIES):
        since = since_build(warehouse, asked.build)
        if since is None:
            return None
        answer = Answer(warehouse, asked, since)
        rows = answer.rows()
        if answer.is_of_one_build():
            return rows, answer.looked_at()
    return None


@dataclass(frozen=True)
class Answer:
    """Of one build."""

    warehouse: Warehouse
    asked: Asked
    since: SinceBuild

    def rows(self) -> list[Row]:
        details = {**self._looks(), **self._details}
        return [_shown(row, details.get(row["issue_id"], {}), self._spans) for row in self._page]

    def looked_at(self) -> int:
        asked = self.asked
        if not asked.meaning.reads_events:
            return 0
        if not asked.is_of_standard_period:
            asking = Asking(asked.period.now)
            return latest_events(self.warehouse, asked.project_id, Search(), asked.period, asking).event_count
        (counted,) = self._ask(sql.query("events_in_totals"))
        return int(counted["event_count"] + self.since.progress["arrived_count"])

    def is_of_one_build(self) -> bool:
        """Builds only go on: what was asked for last tells of all that was asked for before."""
        return self.since.has_its_variants() and bool(self._details or self.since.is_still_the_latest())

    @cached_property
    def _page(self) -> list[Row]:
        """The issues that the totals have as they are by now, and those that came or moved since."""
        asked = self.asked
        value, issue_id = asked.after or (0, 0)
        changed, since = self.since.changed, self.since
        narrowed = {
            # It takes no empty ones.
            "changed_issue_ids": [*changed, 0],
            "changed_statuses": [*(row["status"] for row in changed.values()), ""],
            "changed_assignees": [*(row["assignee"] for row in changed.values()), ""],
            "changed_priorities": [*(row["chosen_priority"] for row in changed.values()), ""],
            **asked.meaning.parameters,
            "moved_above": since.seen_since(asked.seen_since) if asked.seen_since else [],
            "sort": asked.sort,
            "has_cursor": asked.after is not None,
            "after_value": value,
            "after_issue_id": issue_id,
            "limit": asked.limit,
        }
        return self._totalled(narrowed) if asked.is_by_totals else self._counted(narrowed)

    def _totalled(self, narrowed: Mapping[str, Any]) -> list[Row]:
        since = self.since
        arrived = since.arrived_issue_ids
        untouched, touched = both(
            lambda: self._page_of(
                "totals_untouched",
                but_issue_ids=sorted(arrived | since.apart_issue_ids | since.deleted),
                **narrowed,
            ),
            lambda: self._with_arrivals(arrived, narrowed) if arrived else [],
        )
        rows = untouched + touched
        if since.apart:
            rows += self._page_of("totals_put_together", **movement(since.apart), **narrowed)
        return sorted(rows, key=_place, reverse=True)[: self.asked.limit]

    def _with_arrivals(self, arrived: set[int], narrowed: Mapping[str, Any]) -> list[Row]:
        since = self.since
        return self._page_of(
            "totals_with_arrivals",
            issue_ids=sorted(arrived),
            joining_variants=[row["variant_hash"] for row in since.joining],
            joined_issues=[row["issue_id"] for row in since.joining],
            earliest=since.earliest,
            **narrowed,
        )

    def _page_of(self, source: str, but_issue_ids: Sequence[int] = (), **parameters: Any) -> list[Row]:
        statement = Template(sql.query("page_of_issues")).substitute(
            source=piece(source), issue_condition=self.asked.meaning.pieces["issue_condition"]
        )
        return self._ask(statement, but_issue_ids=list(but_issue_ids), **parameters)

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
    def _details(self) -> Mapping[int, Row]:
        """Of the issues of the page that the totals know as they are."""
        issue_ids = sorted({row["issue_id"] for row in self._page} - self.since.apart_issue_ids)
        rows = [
            row
            for first in range(0, len(issue_ids), MOST_NAMED)
            for row in self._ask(
                sql.query("issues_in_detail"),
                issue_ids=issue_ids[first : first + MOST_NAMED],
                **self._starts,
            )
        ]
        return {row["issue_id"]: row for row in rows}

    def _looks(self) -> Mapping[int, Row]:
        """Of the others: new ones, and those put together otherwise since."""
        others = {row["issue_id"] for row in self._page} - self._details.keys()
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

    def _ask(self, statement: str, **more: Any) -> list[Row]:
        return self.warehouse.rows(statement, {**self.asked.scope, **self.since.moments, **more})


def _shown(row: Row, detail: Row, spans: Mapping[str, Period]) -> Row:
    arrivals = sorted(row["arrivals"])
    chosen = [aware(moment) for moment, _, is_chosen in arrivals if is_chosen]
    first, last = _releases(detail, arrivals)
    steps = {name: _steps(span, detail.get(name), chosen) for name, span in spans.items()}
    if "sparkline" in row:
        # Of what matches; hours and days would be those of all events.
        steps = {"sparkline": tuple(row["sparkline"])}
    return {
        **{name: detail.get(name, "") for name in ("title", "culprit", "type", "platform")},
        **{name: row[name] for name in row if name not in NOT_SHOWN},
        "first_release": first,
        "last_release": last,
        **steps,
    }


def _place(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _releases(detail: Row, arrivals: Sequence[tuple[datetime, str, bool]]) -> tuple[str, str]:
    named = [(moment, release) for moment, release, _ in arrivals if release]
    if detail.get("first_release"):
        named.append((detail["known_first_seen"], detail["first_release"]))
        named.append((detail["known_last_seen"], detail["last_release"]))
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

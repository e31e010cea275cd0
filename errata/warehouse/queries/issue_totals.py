"""The issue list of a standard period by what builds have counted, and what came since.

Steps, each small: what came since the build; where variants belong that it did not know or knew otherwise;
the page, merged in the warehouse from all of that; what the list shows of the fifty of the page. They name
the build they read, and are asked again if another one is swapped in meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.period import Period

PERIODS = ("24h", "7d", "14d", "30d", "90d")
TRIES = 5
# More than this is no edge: the builds are away, and days are counted instead.
MOST_ARRIVALS = 50_000
# What one question to the warehouse can name.
MOST_ARRIVED, MOST_CHANGED = 5_000, 2_000


@dataclass(frozen=True)
class Asked:
    """What totals can answer. `environment` empty: all of them; empty sequences narrow nothing."""

    project_id: int
    period: Period
    environment: str = ""
    statuses: Sequence[str] = ()
    sort: str = "last_seen"
    after: tuple[int, int] | None = None
    limit: int = 50

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "period": self.period.text,
            "since": self.period.since,
        }


def rows_by_totals(warehouse: Warehouse, asked: Asked) -> list[Row] | None:
    """The rows of a page; None where the totals cannot answer."""
    if asked.period.text not in PERIODS:
        return None
    for _ in range(TRIES):
        version = _version(warehouse, asked)
        if aware(version["built_through"]).timestamp() == 0:
            return None
        (progress,) = warehouse.rows(
            sql.query("issue_totals_progress"), {"project_id": asked.project_id, **_moments(version)}
        )
        if _is_too_much(progress):
            return None
        answer = Answer(warehouse, asked, {**version, **progress})
        if len(answer.moved) > MOST_CHANGED or answer.is_recut:
            return None
        rows = answer.rows()
        if answer.is_of_one_build:
            return rows
    return None


def _version(warehouse: Warehouse, asked: Asked) -> Row:
    return warehouse.rows(sql.query("issue_totals_version"), asked.scope)[0]


def _moments(version: Row) -> dict[str, str]:
    return {name: str(version[name].isoformat(" ")) for name in ("built_through", "counted_through")}


def _is_too_much(progress: Row) -> bool:
    return (
        progress["arrived_count"] > MOST_ARRIVALS
        or len(progress["arrived_issue_ids"]) > MOST_ARRIVED
        or max(len(progress[name]) for name in ("decided", "unplaced")) > MOST_CHANGED
    )


@dataclass(frozen=True)
class Answer:
    """Of one build."""

    warehouse: Warehouse
    asked: Asked
    progress: Row

    def rows(self) -> list[Row]:
        return self._shown(self._page)

    @property
    def is_of_one_build(self) -> bool:
        """Builds only go on: what was asked for last tells of all that was asked for before."""
        if self._counted_anew:
            scope = {"project_id": self.asked.project_id}
            (counted,) = self.warehouse.rows(sql.query("variant_totals_version"), scope)
            if counted["built_through"] != self.progress["counted_through"]:
                return False
        if self._details:
            return True
        return bool(_version(self.warehouse, self.asked)["built_through"] == self.progress["built_through"])

    @property
    def is_recut(self) -> bool:
        """Totals of before a deletion tell nothing of what came after it, nor of what is there again."""
        came = {*self.progress["arrived_issue_ids"], *(row["issue_id"] for row in self.moved)}
        is_told = not self._deleted or (self._deleted.isdisjoint(came) and not self.progress["moved_count"])
        return not is_told or self.progress["restored_count"] > 0

    @cached_property
    def _deleted(self) -> set[int]:
        """Issues deleted since the build."""
        built_through = aware(self.progress["built_through"]).timestamp() * 1e6
        return {
            issue_id for issue_id, row in self._changed.items() if row["deleted_at"] >= round(built_through)
        }

    @cached_property
    def moved(self) -> Sequence[Row]:
        """What belongs to issues put together otherwise since, and variants the build did not know."""
        progress = self.progress
        if not progress["moved_count"] and not progress["unplaced"]:
            return ()
        return _moved_variants(
            self.warehouse,
            self.asked.project_id,
            self._moment("built_through"),
            progress["moved_count"],
            tuple(sorted(progress["unplaced"])),
        )

    @cached_property
    def _counted_anew(self) -> set[int]:
        """Issues that the totals have not as they are by now."""
        moved = [row for row in self.moved if row["was_issue_id"] not in (0, row["issue_id"])]
        return {row[name] for row in moved for name in ("issue_id", "was_issue_id")}

    @cached_property
    def _page(self) -> list[Row]:
        """The issues that the totals have as they are by now, and those that came or moved since."""
        asked = self.asked
        value, issue_id = asked.after or (0, 0)
        changed = self._changed
        narrowed = {
            # It takes no empty ones.
            "changed_issue_ids": [*changed, 0],
            "changed_statuses": [*(row["status"] for row in changed.values()), ""],
            "statuses": list(asked.statuses),
            "sort": asked.sort,
            "has_cursor": asked.after is not None,
            "after_value": value,
            "after_issue_id": issue_id,
            "limit": asked.limit,
        }
        arrived = {*self.progress["arrived_issue_ids"], *(row["issue_id"] for row in self.moved)}
        others = arrived | self._counted_anew | self._deleted
        known = self._ask("issues_by_totals", but_issue_ids=sorted(others), **narrowed)
        if not arrived:
            return known
        since = self._ask(
            "issues_with_arrivals",
            counted_through=self._moment("counted_through"),
            issue_ids=sorted(arrived - self._counted_anew),
            **self._movement(self.moved),
            **narrowed,
        )
        return sorted([*known, *since], key=_place, reverse=True)[: asked.limit]

    @cached_property
    def _changed(self) -> Mapping[int, Row]:
        """Of issues decided about since; what brings one back is written down as a decision too."""
        changed = sorted({*self.progress["decided"], *(row["issue_id"] for row in self.moved)})
        if not changed:
            return {}
        return _statuses(
            self.warehouse,
            self.asked.project_id,
            self._moment("built_through"),
            self.progress["decision_count"],
            tuple(changed),
        )

    @cached_property
    def _details(self) -> Mapping[int, Row]:
        """Of the issues of the page that the totals know as they are."""
        issue_ids = {row["issue_id"] for row in self._page} - self._counted_anew
        if not issue_ids:
            return {}
        rows = self._ask("issues_in_detail", issue_ids=sorted(issue_ids), **self._starts)
        return {row["issue_id"]: row for row in rows}

    def _looks(self) -> Mapping[int, Row]:
        """Of the others: new ones, and those put together otherwise since."""
        others = {row["issue_id"] for row in self._page} - self._details.keys()
        moved = [row for row in self.moved if row["issue_id"] in others]
        if not moved:
            return {}
        rows = self._ask(
            "moved_in_detail",
            **self._movement(moved),
            counted_through=self._moment("counted_through"),
            **self._starts,
        )
        return {row["issue_id"]: row for row in rows}

    def _shown(self, page: Sequence[Row]) -> list[Row]:
        details = {**self._looks(), **self._details}
        return [_shown(row, details.get(row["issue_id"], {}), self._spans) for row in page]

    def _movement(self, moved: Sequence[Row]) -> dict[str, Any]:
        return {
            "moved_variants": [row["variant_hash"] for row in moved],
            "moved_into": [row["issue_id"] for row in moved],
            "moved_are_merged": [bool(row["is_merged"]) for row in moved],
        }

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

    def _ask(self, question: str, **more: Any) -> list[Row]:
        asked = self.asked
        return self.warehouse.rows(
            sql.query(question),
            {
                **asked.scope,
                "built_through": self._moment("built_through"),
                "environments": [asked.environment] if asked.environment else [],
                **more,
            },
        )

    def _moment(self, name: str) -> str:
        return str(self.progress[name].isoformat(" "))


# Both answers change only with what they are asked by: a build, and a count of what was appended since.
@lru_cache(maxsize=64)
def _moved_variants(
    warehouse: Warehouse, project_id: int, built_through: str, moved_count: int, unplaced: Sequence[int]
) -> Sequence[Row]:
    scope = {"project_id": project_id, "built_through": built_through, "unplaced": list(unplaced)}
    return warehouse.rows(sql.query("variants_moved"), scope)


@lru_cache(maxsize=64)
def _statuses(
    warehouse: Warehouse, project_id: int, built_through: str, decision_count: int, issue_ids: Sequence[int]
) -> Mapping[int, Row]:
    rows = warehouse.rows(
        sql.query("statuses_of_issues"), {"project_id": project_id, "issue_ids": list(issue_ids)}
    )
    untouched = {issue_id: {"status": "unresolved", "deleted_at": 0} for issue_id in issue_ids}
    return {**untouched, **{row["issue_id"]: row for row in rows}}


def _shown(row: Row, detail: Row, spans: Mapping[str, Period]) -> Row:
    arrivals = sorted(row["arrivals"])
    chosen = [aware(moment) for moment, _, is_chosen in arrivals if is_chosen]
    first, last = _releases(detail, arrivals)
    return {
        **{name: detail.get(name, "") for name in ("title", "culprit", "type", "platform")},
        **{name: row[name] for name in row if name != "arrivals"},
        "first_release": first,
        "last_release": last,
        **{name: _steps(span, detail.get(name), chosen) for name, span in spans.items()},
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

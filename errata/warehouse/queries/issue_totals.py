"""The issue list of a standard period by what builds have counted, and what arrived since.

Three steps, each small: the issues that something arrived of since the build, merged in the warehouse with
what it knew of them; the page of all the others by their totals alone; what the list shows of the fifty of
the page. The steps name the build they read, and are asked again if another one is swapped in meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.period import Period

PERIODS = ("24h", "7d", "14d", "30d", "90d")
TRIES = 5
# More than this is no edge: the builds are away, and days are counted instead.
MOST_ARRIVALS = 50_000


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


def rows_by_totals(warehouse: Warehouse, asked: Asked) -> list[Row] | None:
    """The rows of a page; None where the totals cannot answer."""
    if asked.period.text not in PERIODS:
        return None
    for _ in range(TRIES):
        progress = warehouse.rows(sql.query("issue_totals_progress"), _scope(asked))[0]
        if _is_of_no_use(progress):
            return None
        rows = Answer(warehouse, asked, progress).rows()
        after = warehouse.rows(sql.query("issue_totals_version"), _scope(asked))[0]
        if after["built_through"] == progress["built_through"]:
            return rows
    return None


def _scope(asked: Asked) -> dict[str, Any]:
    return {
        "project_id": asked.project_id,
        "period": asked.period.text,
        "since": asked.period.since,
    }


def _is_of_no_use(progress: Row) -> bool:
    return (
        aware(progress["built_through"]).timestamp() == 0
        or progress["is_regrouped"]
        or progress["arrived_count"] > MOST_ARRIVALS
    )


@dataclass(frozen=True)
class Answer:
    """Of one build."""

    warehouse: Warehouse
    asked: Asked
    progress: Row

    def rows(self) -> list[Row]:
        arrived = self._arrived()
        changed = self._changed()
        others = self._others([row["issue_id"] for row in arrived], changed)
        mine = [{**row, **changed.get(row["issue_id"], {})} for row in arrived]
        found = [self._valued(row) for row in mine if self._is_wanted(row)]
        page = sorted([*others, *filter(self._is_after, found)], key=_place, reverse=True)
        return self._shown(page[: self.asked.limit])

    def _arrived(self) -> list[Row]:
        if not self.progress["arrived_count"]:
            return []
        return self._ask("issues_with_arrivals", counted_through=self._moment("counted_through"))

    def _ask(self, question: str, **more: Any) -> list[Row]:
        asked = self.asked
        return self.warehouse.rows(
            sql.query(question),
            {
                **_scope(asked),
                "built_through": self._moment("built_through"),
                "environments": [asked.environment] if asked.environment else [],
                **more,
            },
        )

    def _moment(self, name: str) -> str:
        return str(self.progress[name].isoformat(" "))

    def _changed(self) -> Mapping[int, Row]:
        """Of issues decided about since; what brings one back is written down as a decision too."""
        changed = {*self.progress["decided"], *self.progress["woken"]}
        if not changed:
            return {}
        parameters = {"project_id": self.asked.project_id, "issue_ids": sorted(changed)}
        rows = self.warehouse.rows(sql.query("statuses_of_issues"), parameters)
        untouched = {issue_id: {"status": "unresolved", "deleted_at": 0} for issue_id in changed}
        return {**untouched, **{row["issue_id"]: row for row in rows}}

    def _others(self, but: Sequence[int], changed: Mapping[int, Row]) -> list[Row]:
        asked = self.asked
        value, issue_id = asked.after or (0, 0)
        return self._ask(
            "issues_by_totals",
            but_issue_ids=list(but),
            # It takes no empty ones.
            changed_issue_ids=[*changed, 0],
            changed_statuses=[*(row["status"] for row in changed.values()), ""],
            changed_deletions=[*(row["deleted_at"] for row in changed.values()), 0],
            statuses=list(asked.statuses),
            sort=asked.sort,
            has_cursor=asked.after is not None,
            after_value=value,
            after_issue_id=issue_id,
            limit=asked.limit,
        )

    def _is_wanted(self, row: Row) -> bool:
        asked = self.asked
        return (
            row["event_count"] > 0
            and _milliseconds(row["last_seen"]) * 1000 > row["deleted_at"]
            and (not asked.statuses or row["status"] in asked.statuses)
        )

    def _valued(self, row: Row) -> Row:
        counted = {"events": "event_count", "users": "user_count"}.get(self.asked.sort)
        value = row[counted] if counted else _milliseconds(row[self._moment_sorted_by])
        return {**row, "sort_value": value}

    @property
    def _moment_sorted_by(self) -> str:
        return "first_seen" if self.asked.sort == "first_seen" else "last_seen"

    def _is_after(self, row: Row) -> bool:
        return self.asked.after is None or _place(row) < self.asked.after

    def _shown(self, page: Sequence[Row]) -> list[Row]:
        if not page:
            return []
        now = self.asked.period.now
        spans = {
            "sparkline": self.asked.period,
            "hours": Period.parse("24h", now),
            "days": Period.parse("30d", now),
        }
        details = {
            row["issue_id"]: row
            for row in self._ask(
                "issues_in_detail",
                issue_ids=[row["issue_id"] for row in page],
                hours_since=spans["hours"].since,
                days_since=spans["days"].since,
            )
        }
        looks = self._looks([row for row in page if row["issue_id"] not in details])
        return [_shown(row, {**looks, **details}.get(row["issue_id"], {}), spans) for row in page]

    def _looks(self, new: Sequence[Row]) -> Mapping[int, Row]:
        """Of issues that no build has seen yet."""
        if not new:
            return {}
        variants = {variant for row in new for _, _, variant, _ in row["arrivals"]}
        parameters = {"project_id": self.asked.project_id, "variant_hashes": sorted(variants)}
        rows = self.warehouse.rows(sql.query("looks_of_variants"), parameters)
        return {row["issue_id"]: row for row in rows}


def _shown(row: Row, detail: Row, spans: Mapping[str, Period]) -> Row:
    arrivals = sorted(row.get("arrivals", ()))
    chosen = [aware(moment) for moment, _, _, is_chosen in arrivals if is_chosen]
    first, last = _releases(detail, arrivals)
    return {
        **{name: detail.get(name, "") for name in ("title", "culprit", "type", "platform")},
        **{name: row[name] for name in row if name not in ("arrivals", "deleted_at")},
        "level": row["level"] or detail.get("level", ""),
        "first_release": first,
        "last_release": last,
        **{name: _steps(span, detail.get(name), chosen) for name, span in spans.items()},
    }


def _releases(detail: Row, arrivals: Sequence[tuple[datetime, str, int, bool]]) -> tuple[str, str]:
    named = [(moment, release) for moment, release, _, _ in arrivals if release]
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


def _place(row: Row) -> tuple[int, int]:
    return row["sort_value"], row["issue_id"]


def _milliseconds(moment: datetime) -> int:
    return (aware(moment) - datetime.fromtimestamp(0, aware(moment).tzinfo)) // timedelta(milliseconds=1)

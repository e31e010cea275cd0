"""The releases to compare with their predecessors in this run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from errata.clock import utc
from errata.statistics.comparison import FEWEST
from errata.statistics.interim_analyses import AT_MOST_EVERY, InterimAnalysis, analysis_at
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# Older releases are fixed: late rows change nothing any more, so a refresh costs the same at any age of the
# warehouse.
LOOKED_BACK = timedelta(days=45)
# A release is judged again at an interim analysis, upon this many more loads, and upon late loads.
GROWTH = 1.25
# An analysis at seven days may end on the eighth.
COMPARED_DAYS = timedelta(days=8)
# A release with few loads, such as one reverted at once, is no baseline.
FEWEST_LOADS = 50
# ClickHouse takes 128 KiB in one parameter by default, ours 1 MiB; quotes and escapes come on top.
NAMES_BYTES_A_QUESTION = 60_000
RELEASES_A_QUESTION = 3_000


@dataclass(frozen=True)
class Release:
    """A release of one environment; `previous` is of the same package (`shop` of `shop@2.1`)."""

    project_id: int
    environment: str
    version: str
    first_day: date
    last_day: date
    view_count: int
    first_view_at: datetime
    days: Sequence[tuple[date, int]] = ()
    previous: "Release | None" = None

    @property
    def package(self) -> str:
        return self.version.rpartition("@")[0]

    @property
    def source_count(self) -> int:
        """Loads of both releases on the days compared."""
        since, until = self.first_day - COMPARED_DAYS, self.first_day + COMPARED_DAYS
        return sum(
            count
            for release in (self, self.previous)
            if release is not None
            for day, count in release.days
            if since <= day <= until
        )


@dataclass(frozen=True)
class Due:
    release: Release
    analysis: InterimAnalysis | None

    @property
    def has_traffic(self) -> bool:
        """False if there are too few loads for any verdict: no comparison is made."""
        return self.release.view_count >= FEWEST

    def until(self, watermark: datetime) -> datetime:
        """Loads that occurred before it count: up to the interim analysis, or all loads before the first
        one."""
        return self.release.first_view_at + self.analysis.after if self.analysis else watermark


def due_releases(warehouse: Warehouse, project_id: int, watermark: datetime, since: date) -> Iterator[Due]:
    """The due releases of one project, by environment in the order they began."""
    judged_before = {
        _key(row): row for row in warehouse.rows(sql.query("judged_releases"), {"project_id": project_id})
    }
    rows = warehouse.rows(sql.query("releases_of_page_loads"), {"project_id": project_id, "since": since})
    for environment, group in groupby(rows, lambda row: str(row["environment"])):
        judged = {release: row for (of, release), row in judged_before.items() if of == environment}
        for release in _in_order(warehouse, project_id, environment, list(group), judged):
            known = judged.get(release.version)
            if _is_older(release, known, since):
                continue
            analysis = analysis_at(watermark - release.first_view_at)
            if _is_due(release, analysis, known, watermark):
                yield Due(release, analysis)


def _in_order(
    warehouse: Warehouse, project_id: int, environment: str, rows: Sequence[Row], judged: Mapping[str, Row]
) -> Iterator[Release]:
    firsts = _first_views(warehouse, project_id, environment, rows, judged)
    releases = sorted(
        (
            Release(
                project_id,
                environment,
                row["release"],
                row["first_day"],
                row["last_day"],
                row["view_count"],
                firsts.get(row["release"], _midnight(row["first_day"])),
                row["days"],
            )
            for row in rows
        ),
        key=lambda release: (release.first_view_at, release.version),
    )
    return _with_previous(releases)


def _with_previous(releases: Sequence[Release]) -> Iterator[Release]:
    """Releases with their predecessors, in the order they began. In a package without traffic any release is
    a baseline."""
    seen: dict[str, Release] = {}
    alike: dict[str, Release] = {}
    for release in releases:
        package = release.package
        yield replace(release, previous=seen.get(package, alike.get(package)))
        alike[package] = release
        if release.view_count >= FEWEST_LOADS:
            seen[package] = release


def _first_views(
    warehouse: Warehouse, project_id: int, environment: str, rows: Sequence[Row], judged: Mapping[str, Row]
) -> dict[str, datetime]:
    """The first view of each release; known ones are asked for again only if an earlier day turned up."""
    known = {
        row["release"]: utc(judged[row["release"]]["first_view"])
        for row in rows
        if row["release"] in judged and utc(judged[row["release"]]["first_view"]).date() <= row["first_day"]
    }
    new = [row for row in rows if row["release"] not in known]
    for first_day, same in groupby(sorted(new, key=_first_day), _first_day):
        for names in named_at_once([row["release"] for row in same]):
            found = warehouse.rows(
                sql.query("first_loads_of_releases"),
                {
                    "project_id": project_id,
                    "environment": environment,
                    "releases": names,
                    "day": first_day,
                },
            )
            known |= {each["release"]: utc(each["first_view_at"]) for each in found}
    return known


def named_at_once(names: Iterable[str], most: int = RELEASES_A_QUESTION) -> Iterator[list[str]]:
    """Groups of releases that one statement can name."""
    some: list[str] = []
    size = 0
    for name in names:
        added = len(name.encode())
        if some and (len(some) == most or size + added > NAMES_BYTES_A_QUESTION):
            yield some
            some, size = [], 0
        some.append(name)
        size += added
    if some:
        yield some


def _first_day(row: Row) -> date:
    day: date = row["first_day"]
    return day


def _is_older(release: Release, known: Row | None, since: date) -> bool:
    """True if a release began before the days read and is unchanged."""
    return release.first_day == since if known is None else utc(known["first_view"]).date() < since


def _is_due(
    release: Release, analysis: InterimAnalysis | None, known: Row | None, watermark: datetime
) -> bool:
    if known is None:
        return True
    previous = release.previous.version if release.previous else ""
    if known["hours"] != hours(analysis) or known["previous"] != previous:
        return True
    if release.view_count >= GROWTH * known["loads"]:
        return True
    has_waited = watermark - utc(known["built_at"]) >= AT_MOST_EVERY
    return has_waited and release.source_count > known["counted"]


def hours(analysis: InterimAnalysis | None) -> int:
    return int(analysis.after / timedelta(hours=1)) if analysis else 0


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _key(row: Row) -> tuple[str, str]:
    return row["environment"], row["release"]

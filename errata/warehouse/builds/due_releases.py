"""Which releases are to be compared with the one before, now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from errata.statistics.looks import Look, look_at
from errata.warehouse import sql
from errata.warehouse.builds.compared_loads import arrivals
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse

# Late rows of a release that is older change nothing any more: a refresh costs the same at any age of the
# warehouse.
LOOKED_BACK = timedelta(days=45)
# Made again at a look; when there are so many more loads; and when any came to the days compared, however
# late, but not more often than this.
GROWTH = 1.25
AT_MOST_EVERY = timedelta(hours=6)
# A look at seven days may end on the eighth.
COMPARED_DAYS = timedelta(days=8)
# A release that few saw, such as one taken back at once, is none to compare with.
FEWEST_LOADS = 50


@dataclass(frozen=True)
class Release:
    """Of one environment; the one before it is of the same package (`shop` of `shop@2.1`)."""

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
        """Loads of the days that are compared, of both."""
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
    look: Look | None


def due_releases(warehouse: Warehouse, watermark: datetime, since: date) -> Iterator[Due]:
    judged = {_key(row): row for row in warehouse.rows(sql.query("judged_releases"))}
    rows = warehouse.rows(sql.query("releases_of_page_loads"), {"since": since})
    for (project_id, environment), group in groupby(
        rows, lambda row: (row["project_id"], row["environment"])
    ):
        releases = _in_order(warehouse, project_id, environment, list(group), judged)
        for release in releases:
            if _is_older(release, judged.get(_key_of(release)), since):
                continue
            look = look_at(watermark - release.first_view_at)
            if _is_due(release, look, judged.get(_key_of(release)), watermark):
                yield Due(release, look)


def _in_order(
    warehouse: Warehouse,
    project_id: int,
    environment: str,
    rows: Sequence[Row],
    judged: Mapping[tuple[int, str, str], Row],
) -> list[Release]:
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
    return [
        replace(release, previous=_before(release, releases[:place]))
        for place, release in enumerate(releases)
    ]


def _first_views(
    warehouse: Warehouse,
    project_id: int,
    environment: str,
    rows: Sequence[Row],
    judged: Mapping[tuple[int, str, str], Row],
) -> dict[str, datetime]:
    """Known ones are asked for again only where an earlier day turned up."""
    known = {
        row["release"]: aware(judged[_key(row)]["first_view"])
        for row in rows
        if _key(row) in judged and aware(judged[_key(row)]["first_view"]).date() <= row["first_day"]
    }
    for row in rows:
        if row["release"] in known:
            continue
        arrived = arrivals(warehouse, row["first_day"], row["first_day"])
        found = warehouse.rows(
            sql.query("first_loads_of_releases"),
            {
                "project_id": project_id,
                "environment": environment,
                "releases": [row["release"]],
                "since": arrived.since,
                "until": arrived.until,
            },
        )
        known |= {each["release"]: aware(each["first_view_at"]) for each in found}
    return known


def _before(release: Release, earlier: Sequence[Release]) -> Release | None:
    alike = [one for one in earlier if one.package == release.package]
    seen = [one for one in alike if one.view_count >= FEWEST_LOADS]
    return next(reversed(seen or alike), None)


def _is_older(release: Release, known: Row | None, since: date) -> bool:
    """It began before the days that were read, and is as it was."""
    return release.first_day == since if known is None else aware(known["first_view"]).date() < since


def _is_due(release: Release, look: Look | None, known: Row | None, watermark: datetime) -> bool:
    if known is None:
        return True
    previous = release.previous.version if release.previous else ""
    if known["hours"] != hours(look) or known["previous"] != previous:
        return True
    if release.view_count >= GROWTH * known["loads"]:
        return True
    has_waited = watermark - aware(known["built_at"]) >= AT_MOST_EVERY
    return has_waited and release.source_count > known["counted"]


def hours(look: Look | None) -> int:
    return int(look.after / timedelta(hours=1)) if look else 0


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _key(row: Row) -> tuple[int, str, str]:
    return row["project_id"], row["environment"], row["release"]


def _key_of(release: Release) -> tuple[int, str, str]:
    return release.project_id, release.environment, release.version

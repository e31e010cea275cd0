"""Figures of releases beside their verdicts, computed for many at once: a release costs one row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from math import nan

import numpy as np

from errata.clock import EPOCH
from errata.statistics.clustered_shares import Clusters, Sessions, crash_verdict
from errata.statistics.proportion import newcombe
from errata.statistics.week_parts import HOURS_A_WEEK, matching_weights
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.unended import NAMES, unended_of
from pipelines.marts.due_releases import Due, Release, named_at_once
from pipelines.marts.release_errors import ComparedErrors, columns_of, compared_errors

# The days that a release's percentiles cover: its first weeks stand for a release that stays for a year.
DAYS_COVERED = timedelta(days=28)
MILLISECOND = timedelta(milliseconds=1)
# Releases whose weights one statement can name.
MATCHED_AT_ONCE = 100
WEIGHT_DIGITS = 4
NO_SESSIONS = Sessions(Clusters.of([]))


def together(dues: Sequence[Due], most: int) -> Iterator[list[Due]]:
    """Releases of one environment, in groups that one statement can name: all their figures come from the
    same statements."""
    for _, same in groupby(dues, lambda due: due.release.environment):
        of_environment = list(same)
        place = 0
        for names in named_at_once((due.release.version for due in of_environment), most):
            yield of_environment[place : place + len(names)]
            place += len(names)


def _versions(release: Release) -> list[str]:
    return [release.version, *([release.previous.version] if release.previous else [])]


@dataclass(frozen=True)
class Figures:
    """Figures of releases of one project and environment, by release."""

    metrics: Mapping[str, Mapping[str, Row]]
    errors: Mapping[str, int]
    sessions: Mapping[str, Sessions]
    matched_sessions: Mapping[str, tuple[Sessions, Sessions]]
    compared_errors: Mapping[str, ComparedErrors]
    issues: Mapping[str, Row]
    seldom_seen: Mapping[str, Row]

    @classmethod
    def of(cls, warehouse: Warehouse, dues: Sequence[Due], watermark: datetime) -> "Figures":
        """The figures of `dues`, a group made by `together`."""
        releases = [due.release for due in dues]
        seldom = [due for due in dues if not due.has_traffic]
        sessions = _sessions(warehouse, releases)
        return cls(
            _metrics(warehouse, releases),
            _errors(warehouse, releases),
            sessions,
            _matched(warehouse, releases, sessions),
            compared_errors(warehouse, dues, sessions, watermark),
            _issues(warehouse, releases),
            _seldom_seen(warehouse, seldom, watermark) if seldom else {},
        )

    def columns(self, release: Release) -> Row:
        """The columns of one release's row."""
        return {
            **self._percentiles(release.version),
            "error_count": self.errors.get(release.version, 0),
            **columns_of(self.compared_errors.get(release.version)),
            **self._crash_free(release),
            **self._issues_of(release.version),
        }

    def _percentiles(self, version: str) -> dict[str, float]:
        known = self.metrics.get(version, {})
        load, lcp = (
            known[name]["percentiles"] if name in known else (nan,) * 3 for name in ("load_ms", "lcp_ms")
        )
        api, unended = known.get("api_ms"), unended_of(known)
        at_most = (nan if value is None else value for value in unended.at_most)
        return {
            "timed_count": unended.load_count,
            "unended_count": unended.count,
            **{f"load_ms_{name}_at_most": value for name, value in zip(NAMES, at_most, strict=True)},
            "load_ms_p50": load[0],
            "load_ms_p75": load[1],
            "load_ms_p95": load[2],
            "lcp_ms_p75": lcp[1],
            "api_ms": api["value_sum"] / api["sample_count"] if api else nan,
        }

    def _crash_free(self, release: Release) -> Row:
        after, *earlier = (self.sessions.get(name, NO_SESSIONS) for name in _versions(release))
        before = earlier[0] if earlier else NO_SESSIONS
        share, users = after.crash_free(), after.of_users.crash_free()
        matched = self.matched_sessions.get(release.version, (NO_SESSIONS, NO_SESSIONS))
        change = newcombe(*(side.crash_free() for side in matched))
        users_change = newcombe(users, before.of_users.crash_free())
        return {
            "session_count": round(after.count),
            "crashed_count": round(after.crashed),
            "independent_sessions": after.independent,
            "crash_free_ratio": _known(share.value),
            "crash_free_low": share.low,
            "crash_free_high": share.high,
            "crash_free_change": change.value if change else nan,
            "crash_free_change_low": change.low if change else nan,
            "crash_free_change_high": change.high if change else nan,
            "crash_free_users": _known(users.value),
            "crash_free_users_low": users.low,
            "crash_free_users_high": users.high,
            "crash_free_users_change": users_change.value if users_change else nan,
            "crash_free_users_change_low": users_change.low if users_change else nan,
            "crash_free_users_change_high": users_change.high if users_change else nan,
            "crash_verdict": crash_verdict(*matched).value,
        }

    def _issues_of(self, version: str) -> dict[str, list[int]]:
        known = self.issues.get(version)
        new = sorted(known["new_issues"]) if known else []
        regressed = sorted(set(known["regressed_issues"]) - set(new)) if known else []
        return {"new_issues": new, "regressed_issues": regressed}


def _known(value: float | None) -> float:
    return nan if value is None else value


def _parameters(releases: Sequence[Release]) -> dict[str, object]:
    return {
        "project_id": releases[0].project_id,
        "environment": releases[0].environment,
        "releases": [release.version for release in releases],
    }


def _metrics(warehouse: Warehouse, releases: Sequence[Release]) -> dict[str, dict[str, Row]]:
    rows = warehouse.rows(
        sql.query("metrics_of_releases"),
        {
            **_parameters(releases),
            "since": min(release.first_day for release in releases),
            "untils": [min(release.last_day, release.first_day + DAYS_COVERED) for release in releases],
        },
    )
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row["release"], {})[row["metric"]] = row
    return found


def _errors(warehouse: Warehouse, releases: Sequence[Release]) -> dict[str, int]:
    sinces = [release.first_day - timedelta(days=1) for release in releases]
    rows = warehouse.rows(sql.query("errors_of_releases"), {**_parameters(releases), "sinces": sinces})
    return {row["release"]: row["error_count"] for row in rows}


def _sessions(warehouse: Warehouse, releases: Sequence[Release]) -> dict[str, Sessions]:
    versions = sorted({name for release in releases for name in _versions(release)})
    return {
        name: found
        for names in named_at_once(versions)
        for name, found in zip(names, _sides(warehouse, releases, names, [[]] * len(names)), strict=True)
        if found.count
    }


def _matched(
    warehouse: Warehouse, releases: Sequence[Release], sessions: Mapping[str, Sessions]
) -> dict[str, tuple[Sessions, Sessions]]:
    """By release, its sessions and those of the one before, of the same hours of the week."""
    weighted = [
        (release, weights)
        for release in releases
        if release.previous and all(name in sessions for name in _versions(release))
        if (weights := matching_weights(*(sessions[name].by_hour for name in _versions(release))))
    ]
    found: dict[str, tuple[Sessions, Sessions]] = {}
    for some in (weighted[at : at + MATCHED_AT_ONCE] for at in range(0, len(weighted), MATCHED_AT_ONCE)):
        names = [name for release, _ in some for name in _versions(release)]
        counted = [np.round(side, WEIGHT_DIGITS).tolist() for _, weights in some for side in weights]
        sides = iter(_sides(warehouse, releases, names, counted))
        found |= {release.version: (next(sides), next(sides)) for release, _ in some}
    return found


def _sides(
    warehouse: Warehouse,
    releases: Sequence[Release],
    names: Sequence[str],
    weights: Sequence[Sequence[float]],
) -> list[Sessions]:
    """The sessions of each release named, which count by their hour of the week (empty: 1)."""
    rows = warehouse.rows(
        sql.query("sessions_of_releases"), {**_parameters(releases), "releases": names, "weights": weights}
    )
    found = [NO_SESSIONS] * len(names)
    for number, of_side in groupby(rows, lambda row: int(row["number"])):
        found[number] = _of_rows(list(of_side))
    return found


def _of_rows(rows: Sequence[Row]) -> Sessions:
    found: dict[str, list[tuple[float, float, int]]] = {}
    by_hour = np.zeros(HOURS_A_WEEK)
    for row in rows:
        cluster = (row["session_count"], row["crashed_count"], row["cluster_count"])
        found.setdefault(row["grouping"], []).append(cluster)
        if row["grouping"] == "hour":
            by_hour[row["hour"]] = row["session_count"]
    known, nobody = found.get("user", []), found.get("nobody", [])
    return Sessions(
        Clusters.of([*known, *nobody]),
        Clusters.of(known),
        Clusters.of(found.get("span", [])),
        Clusters.of(found.get("visit", [])),
        by_hour,
    )


def _issues(warehouse: Warehouse, releases: Sequence[Release]) -> dict[str, Row]:
    parameters = _parameters(releases)
    rows = warehouse.rows(
        sql.query("issues_of_releases"),
        {"project_id": parameters["project_id"], "releases": parameters["releases"]},
    )
    return {row["release"]: row for row in rows}


def _seldom_seen(warehouse: Warehouse, dues: Sequence[Due], watermark: datetime) -> dict[str, Row]:
    """Users and script bytes of all page loads, for releases that are not compared."""
    releases = [due.release for due in dues]
    rows = warehouse.rows(
        sql.query("loads_of_seldom_seen_releases"),
        {
            **_parameters(releases),
            "untils_ms": [round((due.until(watermark) - EPOCH) / MILLISECOND) for due in dues],
            "since": min(release.first_day for release in releases),
        },
    )
    return {row["release"]: row for row in rows}

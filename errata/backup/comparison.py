"""Compares answers of a restored service with those of the running one."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from errata.backup.errors import DrillFailed
from errata.backup.unchanged import Days, built_before, changes_since, unchanged_days
from errata.up.answers import document

WITHIN_SECONDS = 120
PROJECTS, ISSUE_PAGES = 20, 10
# Percentiles come from sketches, which depend in their last digits on the order of merging.
TOLERANCE = 0.02
NAMED = 3

Row = Mapping[str, Any]
Rows = Mapping[str, Row]
"""By what names a row; `Row` has the columns that are compared."""


@dataclass(frozen=True)
class Service:
    """One that answers: its address, an API key, and the URL of its warehouse for the user of builds."""

    address: str
    api_key: str
    build_url: str

    def ask(self, path: str) -> Mapping[str, Any]:
        """Raises DrillFailed."""
        found = document(f"{self.address}{path}", self.api_key, WITHIN_SECONDS)
        if not found or "error" in found:
            raise DrillFailed(f"{path.partition('?')[0]}: {found.get('message') or 'no response'}")
        return found


@dataclass(frozen=True)
class Question:
    name: str
    rows: Callable[[Service, str, str], Rows]
    """Of a service, about a project (its path), in a period."""


@dataclass
class Comparison:
    """`compared`: rows that both services have had to give; `differences`: sentences; `skipped`: projects
    without days that could be compared."""

    compared: int
    differences: list[str]
    skipped: list[str]


def compare(running: Service, restored: Service, copied_at: datetime) -> Comparison:
    """Raises DrillFailed where one of them does not answer."""
    here, there = (
        {one["slug"]: one for one in service.ask("/api/projects")["projects"]}
        for service in (running, restored)
    )
    found = Comparison(0, [], [])
    # A project made since is in no backup, and one deleted since only there.
    for slug in sorted(here.keys() & there.keys())[:PROJECTS]:
        _compare_project(running, restored, here[slug], copied_at, found)
    return found


def _compare_project(
    running: Service, restored: Service, project: Row, copied_at: datetime, found: Comparison
) -> None:
    path = f"/api/projects/{quote(project['slug'], safe='')}"
    as_of = [
        restored.ask(f"{path}/performance/{kind}?period=24h")["as_of"] for kind in ("pages", "endpoints")
    ]
    since = built_before(copied_at, as_of)
    changes = changes_since(running.build_url, since) if since is not None else None
    days = changes and unchanged_days(changes.days.get(project["id"], ()), copied_at)
    if not changes or not days:
        found.skipped.append(project["slug"])
        return
    decided = changes.issues.get(project["id"], ())
    for question in QUESTIONS:
        one, other = (question.rows(service, path, days.period) for service in (running, restored))
        names = (one.keys() | other.keys()) - set(decided)
        found.compared += len(names)
        different = [name for name in sorted(names) if not _is_same(one.get(name), other.get(name))]
        if different:
            found.differences.append(_said(question, project, days, different, len(names), one, other))


def _said(
    question: Question,
    project: Row,
    days: Days,
    different: Sequence[str],
    count: int,
    one: Rows,
    other: Rows,
) -> str:
    named = "; ".join(
        f"{name}: {_shown(other.get(name))} restored, {_shown(one.get(name))} running"
        for name in different[:NAMED]
    )
    return (
        f"{question.name} of {project['slug']} from {days.since} to {days.until}: "
        f"{len(different)} of {count} differ ({named})"
    )


def _shown(row: Row | None) -> str:
    return "missing" if row is None else ", ".join(f"{name} {value}" for name, value in row.items())


def _is_same(one: Row | None, other: Row | None) -> bool:
    if one is None or other is None:
        return False
    return all(_is_equal(one[name], other.get(name)) for name in one)


def _is_equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-9)
    return one == other


def _issues(service: Service, path: str, period: str) -> Rows:
    found: dict[str, Row] = {}
    cursor = ""
    for _ in range(ISSUE_PAGES):
        page = service.ask(f"{path}/issues?period={period}&sort=events&limit=100&cursor={quote(cursor)}")
        found |= {one["id"]: _columns(one, ("event_count", "user_count")) for one in page["issues"]}
        cursor = page["next_cursor"] or ""
        if not cursor:
            return found
    # Which of those with as few events as the last are on this page, is chance.
    fewest = min(row["event_count"] for row in found.values())
    return {name: row for name, row in found.items() if row["event_count"] > fewest}


def _pages(service: Service, path: str, period: str) -> Rows:
    columns = ("view_count", "load_ms_p75", "lcp_ms_p75", "cls_p75")
    rows = service.ask(f"{path}/performance/pages?period={period}")["pages"]
    return {f"{one['navigation_type']} {one['page']}": _columns(one, columns) for one in rows}


def _endpoints(service: Service, path: str, period: str) -> Rows:
    columns = ("call_count", "server_error_count", "p95_ms")
    rows = service.ask(f"{path}/performance/endpoints?period={period}&side=both")["endpoints"]
    return {
        " ".join((one["side"], one["method"], one["host"], one["route"])): _columns(one, columns)
        for one in rows
    }


def _overview(service: Service, path: str, period: str) -> Rows:
    answer = service.ask(f"{path}/overview?period={period}")
    figures = {one["name"]: _columns(one, ("value", "sample_count")) for one in answer["figures"]}
    loads = {"loads": _columns(answer["loads"], ("view_count", "load_ms_p75"))} if answer["loads"] else {}
    calls = {"calls": _columns(answer["calls"], ("call_count", "p95_ms"))} if answer["calls"] else {}
    return {**figures, **loads, **calls}


def _columns(row: Row, names: Sequence[str]) -> Row:
    return {name: row[name] for name in names}


QUESTIONS = (
    Question("issues", _issues),
    Question("pages", _pages),
    Question("endpoints", _endpoints),
    Question("overview", _overview),
)

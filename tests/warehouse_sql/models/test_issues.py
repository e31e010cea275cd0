"""The mart for analysts says of every issue what its pages say, whatever people decided."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from api.jobs.regressions import mark_regressions
from errata.period import Period
from errata.warehouse import sql
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import ISSUES
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

NUMBERS = range(1, 9)
SHOWN = (
    *("issue_id", "title", "culprit", "type", "level", "platform", "status", "event_count", "user_count"),
    *("first_seen", "last_seen", "first_release", "last_release"),
)


@pytest.fixture
def begun(warehouse: WarehouseProcess) -> datetime:
    """Each of eight issues has one variant of its number, and as many events, of two days."""
    ingest, now = warehouse.client(Role.INGEST), datetime.now(UTC).replace(microsecond=0)
    variants = [
        a_variant(variant_hash=n, title=f"Error {n}", first_seen_at=now + timedelta(milliseconds=n))
        for n in NUMBERS
    ]
    insert(ingest, "errata_raw.variants", variants)
    insert(
        ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=100 + n) for n in NUMBERS]
    )
    moments = [(n, now - timedelta(hours=6 * k, seconds=n)) for n in NUMBERS for k in range(1, n + 1)]
    occur(warehouse, *moments)
    return now


def occur(warehouse: WarehouseProcess, *events: tuple[int, datetime]) -> None:
    rows = [
        an_error_event(variant_hash=n, occurred_at=at, user_hash=n % 3, release=f"shop@1.{n}")
        for n, at in events
    ]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", rows)


def decide(warehouse: WarehouseProcess, number: int, action: str, **more: Any) -> UUID:
    detail = json.dumps(more.pop("detail")) if "detail" in more else ""
    row = an_issue_action(issue_id=100 + number, action=action, detail=detail, **more)
    insert(warehouse.client(Role.INGEST), "errata_raw.issue_actions", [row])
    action_id: UUID = row["action_id"]
    return action_id


def decided(warehouse: WarehouseProcess, now: datetime) -> Iterator[str]:
    """One step after another, each on top of those before."""
    resolved = decide(warehouse, 1, "resolve", detail={"in": "now"})
    decide(warehouse, 2, "resolve", detail={"in": "now"})
    yield "resolve"
    occur(warehouse, (2, datetime.now(UTC) + timedelta(seconds=1)))
    assert mark_regressions(warehouse.client(Role.INGEST), warehouse.client(Role.READ), [7]) == 1
    yield "regress"
    decide(warehouse, 1, "undo", about_action_id=resolved)
    yield "undo"
    ignored = decide(warehouse, 3, "ignore", detail={"condition": {"kind": "events", "count": 1}})
    decide(warehouse, 4, "ignore")
    yield "ignore"
    decide(warehouse, 3, "wake", about_action_id=ignored)
    yield "wake"
    deleted = decide(warehouse, 5, "delete", detail={"variants": [5]})
    decide(warehouse, 6, "delete", detail={"variants": [6]})
    yield "delete"
    occur(warehouse, (6, datetime.now(UTC) + timedelta(seconds=1)))
    yield "occur after a deletion"
    decide(warehouse, 5, "undo", about_action_id=deleted)
    yield "undo of a deletion"
    decide(warehouse, 7, "merge", target_issue_id=108)
    yield "merge"
    placed = a_mapping(variant_hash=7, issue_id=104, authority=2, actor="ada@example.org")
    insert(warehouse.client(Role.INGEST), "errata_raw.variant_issues", [placed])
    yield "split"
    decide(warehouse, 8, "assign", detail={"assignee": "ada@example.org"})
    yield "assign"


@pytest.mark.slow
def test_the_mart_says_what_the_list_says_after_every_decision(
    warehouse: WarehouseProcess, begun: datetime
) -> None:
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
    statuses = set[str]()
    for step in decided(warehouse, begun):
        reports = build_marts(
            warehouse, "variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues"
        )
        assert reports["issues"].windows, step
        rows = in_mart(warehouse)
        assert rows == in_list(warehouse), step
        statuses |= {row["status"] for row in rows}
    assert statuses == {"unresolved", "resolved", "regressed", "ignored"}
    (total,) = DataChecks(warehouse.client(Role.BUILD), ISSUES).sums()
    # Of the sixth, which was deleted, what occurred since.
    assert total.built_count == total.expected_count == sum(NUMBERS) + 2 - 6
    assert not build_marts(warehouse, "variant_totals", "issue_totals", "issues")["issues"].windows


@pytest.mark.slow
def test_the_mart_is_due_when_the_clock_ends_an_ignoring(
    warehouse: WarehouseProcess, begun: datetime
) -> None:
    ends = datetime.now(UTC) + timedelta(minutes=30)
    decide(warehouse, 1, "ignore", detail={"until": ends.isoformat()})
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")

    def is_due(moment: datetime) -> bool:
        return bool(warehouse.client(Role.BUILD).rows(sql.query(ISSUES.dirty), {"until": moment}))

    assert not is_due(ends - timedelta(minutes=1))
    assert is_due(ends + timedelta(minutes=1))


def in_mart(warehouse: WarehouseProcess) -> list[Row]:
    statement = f"select {', '.join(SHOWN)} from errata_mart.issues order by event_count desc, issue_id desc"
    return warehouse.client(Role.BUILD).rows(statement)


def in_list(warehouse: WarehouseProcess) -> list[Row]:
    filters = IssueFilters(Period("90d").of_events(datetime.now(UTC)))
    page = issues_of_project(warehouse.client(Role.READ), 7, filters, Sort.EVENTS)
    rows = [{name: getattr(issue, name) for name in SHOWN} for issue in page.issues]
    return [
        {**row, **{name: row[name].replace(tzinfo=None) for name in ("first_seen", "last_seen")}}
        for row in rows
    ]

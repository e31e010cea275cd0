"""Decisions about Sentry's issues, as they are taken here; which issues are the same; how fast it may go."""

from datetime import UTC, datetime
from typing import Any

import pytest

from errata.importing.comparison import Comparison
from errata.importing.pace import MOST, Pace
from errata.importing.report import Difference, Named, ProjectReport, Report
from errata.importing.states import Decision, assignee_of, assignment_of, status_of
from tests.cases import each

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA = {"type": "user", "id": "1", "name": "Ada", "email": "Ada@Shop.example"}


@each(
    "issue, decision",
    [
        ({"status": "unresolved"}, None),
        ({"status": "resolved"}, Decision("resolve")),
        (
            {"status": "resolved", "statusDetails": {"inRelease": "shop@2.1"}},
            Decision("resolve", {"in": "release", "release": "shop@2.1"}),
        ),
        (
            {"status": "resolved", "statusDetails": {"inNextRelease": True}},
            Decision("resolve", {"in": "next"}),
        ),
        ({"status": "ignored", "substatus": "archived_forever"}, Decision("ignore")),
        (
            {"status": "ignored", "substatus": "archived_until_escalating"},
            Decision("ignore", {"condition": {"kind": "escalating"}}),
        ),
        (
            {"status": "ignored", "statusDetails": {"ignoreUntil": "2026-11-22T00:00:00Z"}},
            Decision("ignore", {"until": "2026-11-22T00:00:00+00:00"}),
        ),
        ({"status": "ignored", "statusDetails": {"ignoreUntil": "2026-11-20T00:00:00Z"}}, None),
        (
            {"status": "ignored", "statusDetails": {"ignoreCount": 10, "ignoreWindow": 60}},
            Decision("ignore", {"condition": {"kind": "events", "count": 10, "window_minutes": 60}}),
        ),
        (
            {"status": "ignored", "statusDetails": {"ignoreCount": None, "ignoreUserCount": 5}},
            Decision("ignore", {"condition": {"kind": "users", "count": 5}}),
        ),
        ({"status": "resolved", "statusDetails": ["odd"]}, Decision("resolve")),
        ({"status": ["odd"]}, None),
        ({}, None),
    ],
)
def test_a_status(issue: dict[str, Any], decision: Decision | None) -> None:
    assert status_of(issue, NOW) == decision


@each(
    "assigned, email",
    [
        (ADA, "ada@shop.example"),
        ({**ADA, "type": "team"}, ""),
        ({"type": "user"}, ""),
        (None, ""),
        ("ada", ""),
    ],
)
def test_an_assignee(assigned: Any, email: str) -> None:
    assert assignee_of({"assignedTo": assigned}) == email


def test_only_members_are_assigned() -> None:
    issue = {"assignedTo": ADA}
    assert assignment_of(issue, {"ada@shop.example"}) == Decision("assign", {"assignee": "ada@shop.example"})
    assert assignment_of(issue, {"eve@shop.example"}) is None


def test_issues_that_group_differently_are_named() -> None:
    comparison = Comparison.of([("1", "a"), ("1", "a"), ("2", "b"), ("2", "c"), ("3", "d"), ("4", "d")])
    assert comparison.same == ["1"]
    assert comparison.split == {"2": {"b": 1, "c": 1}}
    assert comparison.merged == {"d": {"3": 1, "4": 1}}
    assert comparison.event_count == 6


def test_no_more_new_variants_are_sent_than_a_project_takes() -> None:
    pace = Pace()
    assert pace.wait_seconds(MOST, 0.0) == 0
    pace.take(MOST, 0.0)
    assert pace.wait_seconds(0, 0.0) == 0
    assert pace.wait_seconds(100, 0.0) == pytest.approx(400)
    assert pace.wait_seconds(100, 400.0) == pytest.approx(0)
    assert pace.wait_seconds(100, -50.0) == pytest.approx(400)


def test_the_report_names_what_differs() -> None:
    split = Difference(
        Named("SHOP-1", "ValueError", 3), [Named("00ff", "ValueError: a", 2), Named("00fe", "b", 1)]
    )
    project = ProjectReport(
        "shop", "web", found_count=4, accepted_count=3, refused={"too_old": 1}, same_count=5, split=[split]
    )
    report = Report({"url": "https://sentry.io"}, [project])
    assert report.lines()[:7] == [
        "shop → web",
        "  events: 4 found, 3 imported",
        "    1 refused: too_old",
        "  issues: 5 grouped alike, 1 split, 0 merged",
        "    split: SHOP-1 ValueError (3 events)",
        "      00ff ValueError: a (2 events)",
        "      00fe b (1 events)",
    ]
    assert report.document()["projects"][0]["split"][0]["issue"]["id"] == "SHOP-1"

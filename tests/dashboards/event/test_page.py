from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from errata_wire.log_levels import LEVELS

from dashboards.event.event import event
from dashboards.event.markdown import event_markdown
from dashboards.event.text import event_text
from dashboards.issue.head.decide import CONDITIONS
from dashboards.issue.neighbors import Neighbor, Neighbors
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.issue import Issue
from dashboards.shared.periods import shown as shown_range
from dashboards.shared.rendering import Page, SignedIn, render
from errata.period import Period
from errata.reports import charts
from errata.reports.chart_template import templates
from errata.source_maps.reasons import Unmapped
from errata.state.projects import Project
from errata.state.users import Role
from errata.warehouse.queries.issue.counts import History, IssueCounts
from errata.warehouse.queries.issue.head import IssueHead, TagValues
from errata.warehouse.queries.issue.logs import EventLogs
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.issue.state import NOTHING_DECIDED
from errata.warehouse.queries.vocabulary import Status
from tests.cases import each
from tests.dashboards.events import MARK, all_captured, captured, marked, misshapen

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
HEAD = IssueHead(
    issue_id=7,
    title="KeyError: 'x'",
    culprit="shop.a",
    type="KeyError",
    level="error",
    platform="python",
    status=Status.REGRESSED,
    first_seen=NOW,
    last_seen=NOW,
    event_count=3,
    user_count=1,
    total_event_count=30,
    total_user_count=10,
    first_release="",
    last_release="",
    variant_count=2,
    acted_at=NOW,
    actor=MARK,
    merged_into=0,
    state=NOTHING_DECIDED,
    tags=[],
    history=History([], []),
    counts=IssueCounts({}, {}),
    merged=MergedIssue(1, 7, 7, (7,), (), is_decided=False),
)
PAGE = Page(
    title="An issue",
    now=NOW,
    section="issues",
    user=SignedIn("owner@shop.example", "Shop", Role.OWNER),
    project=Project(7, "shop", "Shop", "", NOW, ""),
)
ISSUE = Issue(
    "7", "KeyError", "KeyError: 'x'", "shop.a", "error", "unresolved", 3, 1, NOW - timedelta(days=2), NOW
)
STATUS = {
    "state": replace(NOTHING_DECIDED, status="regressed", state="resolve", acted_at=NOW, actor=MARK),
    "words": f"seen again in {MARK}",
}
DECIDE = {
    "issue_id": "7",
    "last_release": MARK,
    "conditions": CONDITIONS,
    "durations": [("an hour", 3600)],
    "actions_address": "/api/projects/shop/issues",
}


def rendered(payload: Any, issue: Issue = ISSUE, unmapped: Sequence[Unmapped] = ()) -> str:
    shown = event(payload, unmapped=unmapped)
    return render(
        "issue/tabs/event/event.html",
        replace(PAGE, title=issue.title),
        view=View("/projects/shop/issues/7", {"tab": "", "event": ""}, {"period": "14d"}),
        issue=issue,
        head=HEAD,
        neighbors=Neighbors(Neighbor("/projects/shop/issues/6", MARK)),
        head_version="1",
        tag_values=[TagValues("environment", 3, ((MARK, 2), ("staging", 1)))],
        event=shown,
        logs=EventLogs(),
        attachments=(),
        levels=LEVELS,
        replay_id="",
        replay=None,
        replay_address="",
        occurred_at=shown.occurred_at,
        is_clock_corrected=False,
        has_payload=True,
        text=event_text(shown),
        markdown=event_markdown(shown, "https://errata.example/x"),
        tab="event",
        erasure_address="",
        tab_title="Event",
        question="issue_tags",
        figure=chart_json(charts.events_over_time([NOW], [(MARK, [3])])),
        figure_words="3 events",
        chart_templates=templates(),
        issues_address="/projects/shop/issues",
        list_address="/projects/shop/issues",
        tabs=[],
        marks=[("issue/head/status.html", STATUS), ("issue/head/variants.html", {})],
        actions=[("issue/head/decide.html", DECIDE)],
        styles=[],
        scripts=[],
        ways=[],
        compare_address="",
        most_detailed_address="",
        person_address="",
        users_address="",
        refresh_address="",
        source_maps_address="/projects/shop/settings/source-maps",
        suspects_address="/projects/shop/issues/1/suspect-commits",
        time_range=shown_range(Period("14d").of_events(NOW)),
    ).decode()


class Tags(HTMLParser):
    """Names and attributes of every element, and the text outside of them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


@pytest.mark.slow
def test_every_captured_event_is_shown_with_its_frames_request_and_breadcrumbs() -> None:
    for payload in all_captured():
        html = rendered(payload)
        for exception in payload.get("exception", {}).get("values", []):
            if exception.get("stacktrace"):
                assert 'class="frame-function"' in html
        assert html.count("<tr data-kind=") == len(event(payload).breadcrumbs)
        if payload.get("request", {}).get("headers"):
            assert "<h3>Headers</h3>" in html


@each("position", [0, 100, 200, 300, 364, 380, 404, 410])
def test_nothing_an_event_holds_becomes_markup(position: int) -> None:
    payload = marked(all_captured()[position])
    issue = Issue("7", MARK, MARK, MARK, "error", "unresolved", 3, 1, NOW, NOW, MARK, MARK)
    html = rendered(payload, issue)
    elements = Tags(html).elements
    assert not [name for name, _ in elements if name == "img"]
    data = {"application/json"}
    assert all("src" in found or found.get("type") in data for name, found in elements if name == "script")
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
    assert not [attributes for _, attributes in elements if "style" in attributes]
    assert "<script>alert" not in html
    assert "{{7*7}}" in html


@pytest.mark.slow
def test_a_payload_of_any_shape_is_rendered() -> None:
    for name in ("python_errors", "javascript_errors"):
        for position, payload in enumerate(misshapen(captured(name)[5])):
            shown = event(payload)
            assert event_text(shown)
            assert event_markdown(shown, "")
            if position % 11 == 0:
                assert rendered(payload)


@each("payload", [None, [], 3, "x", {}, {"exception": []}, {"message": {"formatted": "hello"}}])
def test_what_is_no_event_at_all_still_makes_a_page(payload: object) -> None:
    assert "Stack trace" in rendered(payload)


def test_surrogates_and_control_characters_leave_as_readable_signs() -> None:
    html = rendered({"message": "a\ud800b\x00c\x1bd", "tags": {"k\udfff": "\x08"}})
    assert "a�b␀c␛d" in html
    assert "k�" in html


def test_deep_and_wide_values_are_cut_with_a_word_about_the_rest() -> None:
    deep: Any = "bottom"
    for _ in range(60):
        deep = {"down": deep}
    html = rendered({"extra": {"deep": deep, "wide": list(range(5000))}})
    assert "nested too deeply to show" in html
    assert "4,900 more" in html


def test_what_was_filtered_is_marked() -> None:
    payload = {
        "request": {
            "url": "/",
            "headers": {"Authorization": "[FILTERED]"},
            "data": {"password": "[Filtered]"},
        }
    }
    assert rendered(payload).count('<span class="filtered"') == 2


def test_an_event_without_a_user_says_how_to_set_one() -> None:
    assert "sentry_sdk.set_user" in rendered({"platform": "python"})


@each("platform", ["javascript", "node"])
def test_hints_are_in_the_language_of_the_event(platform: str) -> None:
    html = rendered({"platform": platform})
    assert "Sentry.addBreadcrumb(" in html and "Sentry.setExtra(" in html and "Sentry.setUser(" in html
    assert "sentry_sdk" not in html
    other = rendered({"platform": "php"})
    assert "sentry_sdk" not in other and "Sentry." not in other and "your SDK, which has" in other
    assert "Sentry.setUser" in rendered({"platform": "javascript"})


def test_the_text_form_holds_title_frames_and_failing_lines() -> None:
    payload = captured("python_errors")[100]
    text = event_text(event(payload))
    exception = payload["exception"]["values"][-1]
    assert text.startswith(f"{exception['type']}: {exception['value']}")
    assert exception["stacktrace"]["frames"][-1]["context_line"].strip() in text

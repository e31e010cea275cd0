"""The tab that says what is different about an issue, over the real warehouse."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboards.issue.tabs.different.view import different
from errata.differences.dominance import SourceCount, SourceKind
from errata.differences.findings import Finding, Verdict
from errata.differences.lift import Interval
from errata.differences.redundancy import DistinctFinding
from errata.warehouse.queries.issue.differences import Differences
from tests.dashboards.conftest import Site


def moment_of(number: int) -> datetime:
    """When an event is from: yesterday, all in one part of the week, a second apart."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    return yesterday.replace(hour=13, minute=0, second=0, microsecond=0) + timedelta(seconds=number)


def an_event(kind: str, number: int, **values: Any) -> bytes:
    """Of one of two kinds, each an issue of its own."""
    payload = {
        "platform": "python",
        "timestamp": moment_of(number).isoformat(),
        "environment": "production",
        "release": "shop@1.0",
        "exception": {"values": [{"type": kind, "value": "failed"}]},
        "user": {"id": f"u{number}"},
        "tags": {"plan": "abc"[number % 3]},
        **values,
    }
    return json.dumps({"type": "event", "payload": payload}).encode()


def issues(site: Site) -> dict[str, str]:
    listed = site.client.get("/api/projects/shop/issues").json()["issues"]
    return {issue["type"]: issue["id"] for issue in listed}


@pytest.mark.slow
def test_the_tab_names_what_is_different_and_says_with_what_it_was_compared(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver([an_event("KeyError", number) for number in range(200)])
    live_site.deliver(
        [
            an_event(
                "PaymentError", number, release="shop@2.0", tags={"build": "77<b>", "plan": "abc"[number % 3]}
            )
            for number in range(40)
        ]
    )
    payment = issues(live_site)["PaymentError"]
    page = client.get(f"/projects/shop/issues/{payment}?tab=different")
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))
    assert "40 users of this issue compared with 200 users of other issues, from python events" in text
    assert "release shop@2.0 only here" in text
    assert "The same users also have build: 77&lt;b&gt;" in text
    assert "77<b>" not in page.text
    answer = client.get(f"/api/issues/{payment}/different").json()
    (told,) = answer["differences"]
    assert (told["tag"], told["value"], told["issue_count"], told["rest_count"]) == (
        "release",
        "shop@2.0",
        40,
        0,
    )
    assert told["lift_low"] > 10 and told["lift_high"] is None
    assert [each["tag"] for each in told["along"]] == ["build"]
    assert client.get("/api/issues/00000000000000ff/different").status_code == 404


@pytest.mark.slow
def test_an_issue_that_strikes_as_it_comes_and_one_of_few_events_are_told_as_such(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver([an_event("KeyError", number) for number in range(120)])
    live_site.deliver([an_event("PaymentError", number) for number in range(30)])
    live_site.deliver([an_event("RareError", number) for number in range(3)])
    live_site.deliver([an_event("BotError", number, user={}) for number in range(50)])
    live_site.deliver([an_event("LoopError", number // 3, user={"id": "ada"}) for number in range(30)])
    known = issues(live_site)
    page = client.get(f"/projects/shop/issues/{known['PaymentError']}?tab=different").text
    assert "Nothing stands out." in page
    assert "Not enough data." in client.get(f"/projects/shop/issues/{known['RareError']}?tab=different").text
    anonymous = client.get(f"/projects/shop/issues/{known['BotError']}?tab=different").text
    assert "Too few users of this issue or of other issues are identified" in anonymous
    loop = client.get(f"/projects/shop/issues/{known['LoopError']}?tab=different").text
    assert "100% of the events are from one user</strong>: <code>ada</code>" in loop
    answer = client.get(f"/api/issues/{known['LoopError']}/different").json()
    assert answer["dominant_source"] == {"kind": "user", "name": "ada", "share": 1.0}
    assert answer["verdict"] == "too_few"


def a_result(**values: Any) -> Differences:
    return replace(Differences(Verdict.COMPARED, (), 9, 0.01, 10, 100, 10, 100, (), ()), **values)


def test_a_dominating_source_is_told_by_name_unless_its_name_is_an_id() -> None:
    user = SourceCount(SourceKind.USER, "", "ada@example.org", 40, 100, 60)
    named = different(a_result(dominant=user)).dominant
    assert named is not None and (named.words, named.name) == ("one user", "ada@example.org")
    visit = different(a_result(dominant=replace(user, kind=SourceKind.REPLAY))).dominant
    assert visit is not None and (visit.words, visit.name) == ("one visit", "")


def a_finding(issue_count: int, rest_count: int, low: float, high: float) -> Finding:
    return Finding(
        "os",
        "iOS",
        issue_count,
        issue_count / 10,
        rest_count,
        rest_count / 100,
        3.0,
        Interval(low, high),
        0,
        0.5,
    )


def test_a_lift_without_an_end_is_said_by_its_lower_bound() -> None:
    findings = [a_finding(9, 0, 12.0, float("inf")), a_finding(0, 40, 0.0, 0.2), a_finding(9, 30, 1.5, 6.0)]
    found = a_result(findings=tuple(DistinctFinding(each, ()) for each in findings))
    assert different(found).interval_words == "99.0%"
    assert different(replace(found, interval_level=0.00002)).interval_words == "over 99.9%"
    assert [(row.lift, row.interval) for row in different(found).rows] == [
        ("only here", "at least 12.0×"),
        ("never here", "0× to 0.2×"),
        ("3.00×", "1.50× to 6.00×"),
    ]

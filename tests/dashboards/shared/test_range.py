"""The range of a page: written by its form, brushed on its chart, and honoured by its numbers."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site

HOUR = timedelta(hours=1)
# Events of four hours, as many in each as it is ago.
AGES = [number * HOUR for number in (2, 3, 4, 5) for _ in range(number)]


def event_lines(now: datetime) -> list[bytes]:
    middle = now.replace(minute=30, second=0, microsecond=0)
    return [
        json.dumps(
            {
                "type": "event",
                "payload": {
                    "event_id": uuid4().hex,
                    "timestamp": (middle - age).isoformat(),
                    "platform": "python",
                    "exception": {"values": [{"type": "KeyError", "value": "sku"}]},
                },
            }
        ).encode()
        for age in AGES
    ]


def hours_ago(now: datetime, first: int, last: int) -> tuple[datetime, datetime]:
    begin = now.replace(minute=0, second=0, microsecond=0)
    return begin - first * HOUR, begin - last * HOUR


def counted(html: str) -> tuple[int, int]:
    """Events of the head, and bars of the chart added up."""
    figure = re.search(r'data-figure(?:="")?>(.*?)</script>', html, re.S)
    assert figure is not None
    bars = [sum(trace["y"]) for trace in json.loads(figure[1])["data"] if trace["type"] == "bar"]
    head = re.search(r"<dt>Events in .*?<span title=\"([\d,]+)\"", html, re.S)
    assert head is not None
    return int(head[1]), sum(bars)


def first_issue(client: TestClient, query: str = "") -> str:
    found = re.search(r'href="([^"]+)" data-issue-link', client.get(f"/projects/shop/issues{query}").text)
    assert found is not None
    return found[1].replace("&amp;", "&")


@pytest.mark.slow
def test_a_form_without_scripts_writes_the_interval_into_the_address(live_site: Site) -> None:
    now = datetime.now(UTC)
    live_site.deliver(event_lines(now))
    client = live_site.sign_in()
    since, until = hours_ago(now, 4, 2)
    fields = {"period": "14d", "sort": "events", "custom": "1"}
    fields |= {"from": f"{since:%Y-%m-%dT%H:%M}", "to": f"{until:%Y-%m-%dT%H:%M}"}
    listed = client.get(f"/projects/shop/issues?{urlencode(fields)}")
    chosen = f"{since:%Y-%m-%dT%H:%MZ}/{until:%Y-%m-%dT%H:%MZ}"
    assert parse_qs(urlsplit(str(listed.url)).query) == {"sort": ["events"], "period": [chosen]}
    assert 'title="7"' in listed.text
    # The issue is shown for the range of the list, and its events are those of it.
    address = first_issue(client, f"?{urlencode({'period': chosen})}")
    assert counted(client.get(address).text) == (7, 7)
    assert client.get(f"{address}&tab=events").text.count("<code>") == 7
    for other in ("", "/performance", "/performance/trends", "/performance/releases", "/delivery"):
        answer = client.get(f"/projects/shop{other}?{urlencode({'period': chosen})}")
        assert answer.status_code == 200, other


@pytest.mark.slow
def test_the_period_before_is_a_second_line_of_its_own_numbers(live_site: Site) -> None:
    now = datetime.now(UTC)
    # Of a project older than both periods, so that charts begin where they do.
    live_site.deliver([*event_lines(now), *event_lines(now - 48 * HOUR)])
    client = live_site.sign_in()
    chosen, earlier = (
        "/".join(f"{end:%Y-%m-%dT%H:%MZ}" for end in ends)
        for ends in (hours_ago(now, 4, 2), hours_ago(now, 6, 4))
    )
    address = first_issue(client, "?period=6h").partition("?")[0]

    def traces(**query: str) -> list[dict[str, Any]]:
        found = re.search(
            r"data-figure(?:=\"\")?>(.*?)</script>", client.get(address, params=query).text, re.S
        )
        assert found is not None
        return list(json.loads(found[1])["data"])

    *shown, before = traces(period=chosen, compare="previous")
    assert before["name"] == "period before" and shown == traces(period=chosen)
    (alone,) = traces(period=earlier)
    # As many steps of the same length, at the places of those of the range.
    assert before["x"] == shown[0]["x"] and len(before["x"]) > 2
    assert before["y"] == alone["y"] and sum(before["y"]) == 5
    told = client.get(f"/api/issues/{address.rpartition('/')[2]}", params={"period": earlier}).json()
    assert sum(before["y"]) == told["event_count"] and sum(shown[0]["y"]) == 7


def test_an_interval_that_is_none_is_told(live_site: Site) -> None:
    client = live_site.sign_in()
    fields = {"custom": "1", "from": "2026-01-02T00:00", "to": "2026-01-01T00:00"}
    answer = client.get(f"/projects/shop/issues?{urlencode(fields)}")
    assert (answer.status_code, "ends after it starts" in answer.text) == (400, True)
    untouched = client.get("/projects/shop/issues?period=24h&from=&to=", follow_redirects=False)
    assert untouched.headers["location"] == "/projects/shop/issues?period=24h"


@pytest.mark.slow
def test_a_zone_of_the_account_is_that_of_fields_and_moments(live_site: Site) -> None:
    now = datetime.now(UTC)
    live_site.deliver(event_lines(now))
    client = live_site.sign_in()
    token = client.get("/api/auth/session").json()["csrf_token"]
    headers = {"X-CSRF-Token": token}
    assert client.put("/api/auth/time-zone", json={"time_zone": "Mars/X"}, headers=headers).status_code == 400
    client.put("/api/auth/time-zone", json={"time_zone": "Asia/Kolkata"}, headers=headers)
    assert client.get("/api/auth/session").json()["time_zone"] == "Asia/Kolkata"
    since, until = hours_ago(now, 4, 2)
    ahead = timedelta(hours=5, minutes=30)
    fields = {
        "custom": "1",
        "from": f"{since + ahead:%Y-%m-%dT%H:%M}",
        "to": f"{until + ahead:%Y-%m-%dT%H:%M}",
    }
    listed = client.get(f"/projects/shop/issues?{urlencode(fields)}")
    chosen = f"{since:%Y-%m-%dT%H:%MZ}/{until:%Y-%m-%dT%H:%MZ}"
    assert parse_qs(urlsplit(str(listed.url)).query) == {"period": [chosen]}
    assert f'value="{since + ahead:%Y-%m-%dT%H:%M}"' in listed.text
    issue = client.get(first_issue(client, f"?{urlencode({'period': chosen})}")).text
    assert " IST" in issue and "Times are in Asia/Kolkata" in issue
    assert f'"{since + ahead:%Y-%m-%d %H:%M:%S}"' in issue


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.slow
def test_a_brush_on_the_chart_of_an_issue_sets_the_range(live_site: Site, watched: Watched) -> None:
    now = datetime.now(UTC)
    live_site.deliver(event_lines(now))
    page = watched.page
    address = first_issue(live_site.sign_in(), "?period=6h")
    watched.go(address)
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.keyboard.press("Enter")
    page.wait_for_load_state("load")
    whole = page.locator(".figures dd span").first
    expect(whole).to_have_text("14")
    before, box = page.url, page.locator("[data-chart] .nsewdrag").first.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 1, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, middle, steps=5)
    page.mouse.up()
    page.wait_for_url("**period=*%2F*")
    expect(whole).not_to_have_text("14")
    assert counted(page.content())[0] == counted(page.content())[1]
    page.wait_for_load_state("load")
    page.locator("[data-chart] .barlayer .point path").first.wait_for(state="attached")
    page.locator("[data-chart] .nsewdrag").first.dblclick()
    page.wait_for_url(before)
    a_bar_leads_to_its_events(page, before, now)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".range-menu > summary").click()
    expect(page.locator(".range-menu").get_by_label("From")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert watched.complaints == []


def a_bar_leads_to_its_events(page: Page, issue: str, now: datetime) -> None:
    rows = page.locator("table.occurrences tbody tr")
    page.wait_for_load_state("load")
    bars = page.locator("[data-chart] .barlayer .point path")
    bars.first.wait_for(state="attached")
    boxes = [box for box in (bar.bounding_box() for bar in bars.all()) if box]
    highest = max(boxes, key=lambda box: box["height"])
    page.mouse.move(highest["x"] + highest["width"] / 2, highest["y"] + highest["height"] / 2)
    page.mouse.click(highest["x"] + highest["width"] / 2, highest["y"] + highest["height"] / 2)
    page.wait_for_url("**tab=events*")
    expect(rows).to_have_count(5)

    page.goto(issue.partition("/issues/")[0] + "/issues?period=6h")
    link = page.locator("a.bars-link").first
    since, step, count = (int(link.get_attribute(f"data-{name}") or "") for name in ("since", "step", "bars"))
    middle = now.replace(minute=30, second=0, microsecond=0) - 3 * HOUR
    place = ((middle.timestamp() * 1000 - since) // step + 0.5) / count
    box = link.locator("svg").bounding_box()
    assert box is not None
    page.wait_for_load_state("load")
    link.click(position={"x": box["width"] * place, "y": box["height"] / 2})
    page.wait_for_url("**tab=events*")
    expect(rows).to_have_count(3)
    # By keyboard, all that the bars cover.
    page.go_back()
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**tab=events*period=6h*")
    expect(rows).to_have_count(14)
    page.goto(issue)
    page.wait_for_load_state("load")

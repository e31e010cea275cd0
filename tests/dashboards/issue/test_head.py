"""The head of an issue in a real browser: small enough that the stack trace needs no search."""

import json

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.captures import moved, payloads
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import since_capture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

SCREEN, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
TABS = ("event", "events", "compare", "different", "related", "grouping", "activity")
FIRST_IN_APP = "document.querySelector('#stack .frame-app').getBoundingClientRect()"
# Controls of the head and of the bar below it that cover each other.
COVERED = """() => {
    const controls = document.querySelectorAll(":is(.issue-head, .event-ways) .button, .issue-glance select");
    const shown = [...controls].filter(each => each.checkVisibility());
    const boxes = shown.map(each => [each.textContent.trim(), each.getBoundingClientRect()]);
    return boxes.flatMap(([name, one], number) => boxes.slice(number + 1)
        .filter(([, other]) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1.5
            && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1.5)
        .map(([other]) => `${name} and ${other}`));
}"""


def lines_with_a_long_title() -> list[bytes]:
    """Three events of one issue: a captured error whose message goes on and on."""
    captured = next(payload for payload in payloads("python_errors") if payload.get("request"))
    captured["exception"]["values"][-1]["value"] = "Payment of the order was declined by the gateway. " * 40
    ids = (f"{number:032x}" for number in (1, 2, 3))
    sent = moved(captured, since_capture())
    return [
        json.dumps({"type": "event", "payload": {**sent, "event_id": event_id}}).encode() for event_id in ids
    ]


@pytest.mark.slow
def test_the_stack_trace_is_within_sight_below_a_head_of_one_height(
    live_site: Site, watched: Watched
) -> None:
    live_site.deliver(lines_with_a_long_title())
    page = watched.page
    page.set_viewport_size(SCREEN)
    watched.go("/projects/shop/issues")
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.keyboard.press("Enter")
    page.locator("a.issue-title").first.click()
    issue = page.url.removeprefix(watched.address).split("?")[0]
    for size, screens in ((SCREEN, 1), (PHONE, 2)):
        page.set_viewport_size(size)
        watched.go(issue)
        expect(page.locator("[data-chart] .barlayer .trace").first).to_be_visible()
        assert page.evaluate(f"{FIRST_IN_APP}.top + 40") <= screens * size["height"]
        assert page.evaluate(COVERED) == []
        assert violations(page) == []
        heights = set()
        for tab in TABS:
            watched.go(f"{issue}?tab={tab}")
            heights.add(page.evaluate("document.querySelector('nav.tabs').offsetTop"))
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], tab
        assert len(heights) == 1
    watched.go(issue)
    rare_actions_are_in_a_menu(page)
    assert watched.complaints == []


def rare_actions_are_in_a_menu(page: Page) -> None:
    more = page.locator(".event-menu > summary")
    more.click()
    choices = page.locator(".event-menu li").filter(visible=True)
    expect(choices).to_contain_text(["event", "text", "Markdown", "curl", "JSON", "CSV"])
    sides = page.evaluate(
        "(() => { const box = document.querySelector('.event-menu > ul').getBoundingClientRect();"
        " return box.left >= 0 && box.right <= innerWidth; })()"
    )
    assert sides
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator("[data-toast]")).to_contain_text("Copied")
    expect(choices.first).to_be_hidden()
    expect(more).to_be_focused()
    page.keyboard.press("p")
    page.wait_for_url("**event=*")
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url(lambda address: "event=" not in address)
    more.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download JSON").click()
    assert download.value.suggested_filename.endswith(".json")

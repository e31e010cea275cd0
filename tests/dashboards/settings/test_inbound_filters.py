"""The page Inbound filters in a real browser: switches, entries and their mistakes, preview, saving."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from errata.filters import FILTERS
from errata.state.users import Membership
from tests.dashboards.browser import Watched
from tests.dashboards.conftest import Site
from tests.dashboards.settings.test_scrubbing import needs_chromium, picture, signed_in
from tests.dashboards.test_keyboard import Hands
from tests.errata.filters.test_kinds import CHROME, CRAWLERS, LEGACY

__all__ = ["signed_in"]
PAGE = "/projects/shop/settings/inbound-filters"


def an_event(message: str, agent: str = CHROME) -> bytes:
    payload: dict[str, Any] = {"event_id": uuid4().hex, "message": message}
    payload["request"] = {"url": "https://shop.example/", "headers": {"User-Agent": agent}}
    return json.dumps({"type": "event", "payload": payload}).encode()


@needs_chromium
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_filters_are_switched_on_previewed_and_saved_with_the_keyboard(
    live_site: Site, signed_in: Watched
) -> None:
    live_site.deliver(
        [
            *(an_event("checkout failed for an order") for _ in range(90)),
            *(an_event("checkout failed for an order", CRAWLERS[0]) for _ in range(4)),
            *(an_event("no stock left", LEGACY[0]) for _ in range(3)),
            *(an_event("ResizeObserver loop limit exceeded") for _ in range(3)),
        ]
    )
    page, hands = signed_in.page, Hands(signed_in)
    signed_in.go(PAGE)
    expect(page.locator("input[type=checkbox]")).to_have_count(len(FILTERS))
    expect(page.locator("#error-message-entries")).to_be_hidden()
    picture(signed_in, "filters-off")
    hands.tab_to("input[name=error-message]")
    hands.press("Space")
    hands.tab_to("#error-message-entries")
    hands.type("*resizeobserver loop*")
    hands.tab_to("input[name=web-crawlers]")
    hands.press("Space")
    hands.tab_to("button[value=preview]")
    hands.press("Enter")
    said = "Would have dropped 7% of 100 error events of the last 7 days."
    expect(page.locator("[data-summary]")).to_have_text(said)
    expect(page.locator("#preview-title")).to_be_focused()
    rows = [
        " | ".join(row.locator("th, td").all_inner_texts()) for row in page.locator("#preview tbody tr").all()
    ]
    assert rows == [
        "checkout failed for an order | Web crawlers | 4 | 94",
        "ResizeObserver loop limit exceeded | Error messages | 3 | 3",
    ]
    counts = page.locator("[data-kinds] li").all_inner_texts()
    assert counts == ["Error messages: 3 events", "Web crawlers: 4 events"]
    picture(signed_in, "filters-preview")
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    assert live_site.store.inbound_filters.get(owner.organization_id, "shop").changed_at is None
    page.locator("button[value=save]").focus()
    hands.press("Enter")
    hands.says("Filters saved. They apply to new events.")
    expect(page.locator("#filters-title")).to_be_focused()
    assert page.locator("#error-message-entries").input_value() == "*resizeobserver loop*"
    on = page.locator("input:checked").evaluate_all("boxes => boxes.map((box) => box.name)")
    assert on == ["error-message", "web-crawlers"]
    live_site.deliver([an_event("again", CRAWLERS[0]), an_event("again")])
    page.locator("button[value=preview]").click()
    expect(page.locator("[data-summary]")).to_contain_text("of 101 error events")
    page.locator("#preview tbody a").first.click()
    expect(page).to_have_url(re.compile(r"/issues/[0-9a-f]{16}"))
    expect(page.locator("h1")).to_contain_text("checkout failed for an order")


@needs_chromium
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_mistake_is_said_and_its_line_chosen(signed_in: Watched) -> None:
    page = signed_in.page
    signed_in.go(PAGE)
    for kind in ("error-message", "ip-address", "release-version"):
        page.locator(f"input[name={kind}]").check()
    page.locator("#error-message-entries").fill("fine\n\n*\nlast")
    page.locator("#ip-address-entries").fill("home")
    page.locator("button[value=save]").click()
    said = page.locator("[data-filters-said]")
    expect(said).to_have_text(
        "Error messages, entry 2: this pattern matches everything\n"
        "IP addresses, entry 1: neither an IP address nor a CIDR range\n"
        "Releases: needs at least one entry"
    )
    expect(page.locator("#error-message-entries")).to_be_focused()
    expect(page.locator("[aria-invalid=true]")).to_have_count(3)
    chosen = "at => at.value.slice(at.selectionStart, at.selectionEnd)"
    assert page.locator("#error-message-entries").evaluate(chosen) == "*"
    picture(signed_in, "filters-mistake")
    page.locator("#error-message-entries").fill("a" * 201)
    page.locator("button[value=preview]").click()
    expect(said).to_contain_text("Error messages, entry 1: ")
    # The answer 400 is heard of in the console.
    signed_in.complaints[:] = [words for words in signed_in.complaints if "400" not in words]


def test_a_member_sees_the_filters_and_cannot_change_them(site: Site) -> None:
    with site.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    text = site.sign_in().get(PAGE).text
    assert "Only an owner can change the filters." in text and "Save filters" not in text
    boxes = re.findall(r'<input type="checkbox"[^>]*>', text)
    assert len(boxes) == len(FILTERS) and all(" disabled" in box for box in boxes)
    assert text.count(" readonly>") == sum(each.entries is not None for each in FILTERS.values())

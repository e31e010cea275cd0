"""The page Filtering in a real browser: rules and their mistakes, preview, saving; by keyboard too."""

import json
import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from errata.state.users import Membership
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_keyboard import Hands

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
# A folder, to look at the pages.
PICTURES = os.environ.get("PICTURES", "")
PAGE = "/projects/shop/settings/filtering"


def an_event(number: int) -> bytes:
    payload = {
        "event_id": uuid4().hex,
        "message": f"no stock for CUST-{number}",
        "extra": {"customer": "<b>Smith</b>", "session_id": "abc"},
        "request": {"url": f"https://shop.example/basket?customer=Smith&page={number}"},
    }
    return json.dumps({"type": "event", "payload": payload}).encode()


@pytest.fixture
def signed_in(live_site: Site, watched: Watched) -> Iterator[Watched]:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]
    yield watched
    assert watched.complaints == []


def picture(watched: Watched, name: str) -> None:
    page = watched.page
    assert violations(page) == []
    for width, height in ((390, 844), (1280, 900)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for theme in ("light", "dark") if PICTURES else ():
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=f"{PICTURES}/{name}-{width}-{theme}.png", full_page=True)


@needs_chromium
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_rules_are_previewed_and_saved_with_the_keyboard(live_site: Site, signed_in: Watched) -> None:
    live_site.deliver([an_event(number) for number in range(3)])
    page, hands = signed_in.page, Hands(signed_in)
    signed_in.go(PAGE)
    picture(signed_in, "filtering")
    hands.tab_to("#filtered_names")
    hands.type("customer")
    hands.tab_to("#filtered_patterns")
    hands.type("CUST-\\d+")
    hands.tab_to("#kept_names")
    hands.type("session_id")
    hands.tab_to("button[value=preview]")
    hands.press("Enter")
    expect(page.locator("[data-summary]")).to_have_text("3 events of 3 would have values filtered.")
    expect(page.locator("#preview-title")).to_be_focused()
    rows = [
        " | ".join(row.locator("th, td").all_inner_texts()) for row in page.locator("#preview tbody tr").all()
    ]
    assert "extra.customer | <b>Smith</b> | [FILTERED] | 3" in rows
    assert "extra.session_id | [FILTERED] | stored as sent | 3" in rows
    assert [row.partition(" ")[0] for row in rows] == [
        "extra.customer",
        "extra.session_id",
        "message",
        "request.url",
    ]
    picture(signed_in, "filtering-preview")
    # Nothing is saved before it is asked for.
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    assert live_site.store.scrubbing.get(owner.organization_id, "shop").changed_at is None
    page.locator("button[value=save]").focus()
    hands.press("Enter")
    hands.says("Rules saved. They apply to new events.")
    expect(page.locator("#rules-title")).to_be_focused()
    assert page.locator("#filtered_patterns").input_value() == "CUST-\\d+"
    live_site.deliver([an_event(7)])
    page.locator("button[value=preview]").click()
    expect(page.locator("[data-summary]")).to_have_text("3 events of 4 would have values filtered.")
    page.locator("#filtered_names").fill("")
    page.locator("#filtered_patterns").fill("")
    page.locator("button[value=preview]").click()
    expect(page.locator("#preview tbody tr")).to_have_count(1)


@needs_chromium
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_mistake_is_said_and_its_line_chosen(signed_in: Watched) -> None:
    page = signed_in.page
    signed_in.go(PAGE)
    page.locator("#filtered_patterns").fill("fine\n\n(wrong\nlast")
    page.locator("#kept_names").fill("ü")
    # The answer 400 is heard of in the console.
    page.locator("button[value=save]").click()
    said = page.locator("[data-rules-said]")
    expect(said).to_contain_text("Filter patterns, entry 2: missing ): (wrong")
    expect(said).to_contain_text("Keep names, entry 1: a name may only contain Latin letters")
    expect(page.locator("#kept_names")).to_be_focused()
    expect(page.locator("[aria-invalid=true]")).to_have_count(2)
    page.locator("#kept_names").fill("")
    page.locator("button[value=preview]").click()
    expect(page.locator("#filtered_patterns")).to_be_focused()
    chosen = "at => at.value.slice(at.selectionStart, at.selectionEnd)"
    assert page.locator("#filtered_patterns").evaluate(chosen) == "(wrong"
    picture(signed_in, "filtering-mistake")
    signed_in.complaints[:] = [words for words in signed_in.complaints if "400" not in words]


def test_a_member_sees_the_rules_and_cannot_change_them(site: Site) -> None:
    with site.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    text = site.sign_in().get(PAGE).text
    assert "Only an owner can change the rules." in text and "Save rules" not in text
    assert text.count(" readonly>") == 4

"""The page Erasure in a real browser: from an event to the form, preview, confirmation, password, receipt."""

import json
import os
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.dashboards.browser import CHROMIUM, FLAGS, violations
from tests.dashboards.conftest import Site

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
# A folder, to look at the pages.
PICTURES = os.environ.get("PICTURES", "")


def an_event(event_id: str, email: str) -> bytes:
    exception = {"type": "KeyError", "value": "no cart"}
    event: dict[str, Any] = {"event_id": event_id, "platform": "python", "user": {"email": email}}
    return json.dumps({"type": "event", "payload": {**event, "exception": {"values": [exception]}}}).encode()


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_an_event_and_a_person_are_erased_after_preview_and_password(live_site: Site, address: str) -> None:
    event_id = uuid4().hex
    live_site.deliver([an_event(event_id, "vera@example.org"), an_event(uuid4().hex, "max@example.org")])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(30_000)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{address}/sign-in")
        page.fill("input[name=email]", live_site.account.email)
        page.fill("input[name=password]", live_site.account.password)
        page.keyboard.press("Enter")
        page.wait_for_url("**/projects/shop")

        def picture(name: str) -> None:
            assert violations(page) == []
            for theme in ("light", "dark") if PICTURES else ():
                page.emulate_media(color_scheme=theme)
                page.screenshot(path=f"{PICTURES}/{name}-{theme}.png", full_page=True)
            page.set_viewport_size({"width": 390, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            if PICTURES:
                page.screenshot(path=f"{PICTURES}/{name}-390.png", full_page=True)
            page.set_viewport_size({"width": 1280, "height": 900})

        key = {"Authorization": f"Bearer {live_site.account.api_key}"}
        issue = live_site.client.get(f"/api/events/{event_id}", headers=key).json()["issue_id"]
        page.goto(f"{address}/projects/shop/issues/{issue}?event={event_id}")
        page.get_by_label("More event actions").click()
        page.get_by_text("Erase event…").click()
        page.wait_for_url("**/settings/erasure?event=*")
        expect(page.locator("#subject-value")).to_have_value(event_id)
        expect(page.get_by_text("Nothing has been erased")).to_be_visible()
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("#preview-title")).to_have_text("1 row will be erased")
        expect(page.locator("#preview-title")).to_be_focused()
        picture("erasure-preview")
        page.fill("#confirm", "something else")
        page.get_by_role("button", name="Erase", exact=True).click()
        expect(page.locator("dialog")).to_have_count(0)
        page.fill("#confirm", event_id)
        page.keyboard.press("Enter")
        # Whoever has just signed in need not give the password again.
        expect(page.locator("details.receipt")).to_have_count(1)
        expect(page.locator("tbody tr", has_text="Event")).to_contain_text("Starting")
        page.locator("details.receipt summary").click()
        expect(page.locator("details.receipt")).to_contain_text("Existing backups still contain the data")
        picture("erasure-receipt")
        # A person is named by a choice, and the password is still confirmed.
        page.select_option("#subject-kind", "email")
        page.fill("#subject-value", "nobody@example.org")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("[data-erasure-preview] [data-said]")).to_have_text("No data of this subject.")
        page.fill("#subject-value", "max@example.org")
        page.get_by_role("button", name="Preview").click()
        page.fill("#confirm", "max@example.org")
        page.get_by_role("button", name="Erase", exact=True).click()
        expect(page.locator("details.receipt")).to_have_count(2)
        assert "max@example.org" not in page.content()
        assert complaints == []
        browser.close()

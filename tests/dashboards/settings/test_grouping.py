"""The page Grouping in a real browser: rules and their mistakes, preview, apply."""

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


def an_event(type_: str, function: str, line: str) -> bytes:
    frame = {"module": "shop.cart", "function": function, "filename": "shop/cart.py", "in_app": True}
    exception = {
        "type": type_,
        "value": f"no {line}",
        "stacktrace": {"frames": [{**frame, "context_line": line}]},
    }
    event = {"event_id": uuid4().hex, "platform": "python", "exception": {"values": [exception]}}
    return json.dumps({"type": "event", "payload": event}).encode()


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_rules_are_written_previewed_and_applied(live_site: Site, address: str) -> None:
    live_site.deliver([an_event("KeyError", f"f{n}", "x = 1") for n in range(3)])
    live_site.deliver([an_event("KeyError", "f0", "x = 1"), an_event("OSError", "g", "y = 2")])
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

        page.goto(f"{address}/projects/shop/settings/grouping")
        page.fill("textarea[name=rules]", "type:A -> a\nkind:B -> b")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("[data-rules-said]")).to_contain_text("line 2, column 1")
        page.fill("textarea[name=rules]", "type:KeyError -> keys")
        page.click("text=Save draft and preview")
        expect(page.locator("#preview")).to_contain_text("4 issues → 2, 0 splits, 1 join")
        picture("grouping-preview")
        page.click("text=Apply to all events")
        expect(page.locator(".rules-editor")).to_contain_text("configuration 2 is active")
        expect(page.locator("[data-toast]")).to_have_text("Applied: configuration 2 is active.")
        assert sorted(each["event_count"] for each in issues_of(live_site)) == [1, 4]
        page.get_by_role("button", name="Roll back to 1").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".rules-editor")).to_contain_text("configuration 1 is active")
        expect(page.locator("#history-title")).to_be_focused()
        assert sorted(each["event_count"] for each in issues_of(live_site)) == [1, 1, 1, 2]
        assert complaints == []
        browser.close()


def issues_of(site: Site) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {site.account.api_key}"}
    found: list[dict[str, Any]] = site.client.get("/api/projects/shop/issues", headers=headers).json()[
        "issues"
    ]
    return found

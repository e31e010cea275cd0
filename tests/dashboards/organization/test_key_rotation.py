"""The API key is viewed and rotated on its page, with a real browser."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
PAGE = "/settings/api-keys"


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_key_is_viewed_after_the_password_and_rotated(live_site: Site, watched: Watched) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    page = watched.page
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go(PAGE)
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Rotation without downtime")).to_be_visible()
    page.wait_for_load_state("load")
    with live_site.store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")

    page.get_by_role("button", name="View").click()
    password = page.locator("#confirm-password")
    password.fill("wrong")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("alert")).to_have_text("Wrong password.")
    shot(page, "confirm")
    password.fill(live_site.account.password)
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('input[aria-label="API key"]')).to_have_value(live_site.account.api_key)
    shot(page, "viewed")

    page.get_by_role("button", name="Prepare next key").click()
    expect(page.get_by_text("1 of 1 host last delivered with a different key")).to_be_visible()
    page.wait_for_load_state("load")
    page.get_by_role("button", name="View").last.click()
    field = page.get_by_label("Next API key")
    expect(field).to_have_value(re.compile("^errata_api_"))
    following = field.input_value()
    assert following != live_site.account.api_key
    shot(page, "prepared")

    headers = {"Authorization": f"Bearer {following}", "X-Errata-App-Key": live_site.account.app_key}
    delivered = live_site.client.post(
        "/api/ingest", content=event_lines("javascript_errors", since_capture())[4], headers=headers
    )
    assert delivered.status_code == 200
    page.reload()
    expect(page.get_by_text("The only host delivers with the next key.")).to_be_visible()
    page.wait_for_load_state("load")
    shot(page, "delivering")
    page.get_by_role("button", name="Finish rotation").click()
    expect(page.get_by_role("button", name="Prepare next key")).to_be_visible()
    old = live_site.client.get(
        "/api/auth/verify", headers={"Authorization": f"Bearer {live_site.account.api_key}"}
    )
    assert old.status_code == 401


def shot(page: Page, name: str) -> None:
    """Keeps a picture in light, dark and narrow where the variable names a folder, to be looked at."""
    folder = os.environ.get("PICTURES")
    if not folder:
        return
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=str(Path(folder) / f"{name}-{scheme}-{width}.png"), full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})

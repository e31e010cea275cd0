"""The tables of a page as files and as text: one menu lists them, and a table that a page gets is added."""

import pytest
from playwright.sync_api import expect

from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_one_menu_exports_the_tables_of_a_page_by_keyboard(live_site: Site, watched: Watched) -> None:
    page = watched.page
    watched.sign_in("/projects/shop/users", live_site.account)
    expect(page.locator("h1")).to_have_text("Users")
    # No table yet: nothing to export.
    assert page.locator(".exports details").count() == 0
    live_site.deliver(event_lines("python_errors", since_capture())[:40])
    page.evaluate("window.errata.refreshNow()")

    menu, entries = page.locator(".exports details"), page.locator(".exports li :is(a, button)")
    expect(menu).to_have_count(1)
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(entries).to_have_text(["CSV of users", "Parquet of users", "JSON of users", "Copy users"])
    assert violations(page) == []
    with page.expect_download() as download:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".csv")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    addresses = [link.get_attribute("href") for link in entries.all()[:3]]
    kinds = [live_site.sign_in().get(str(address)).headers["content-type"] for address in addresses]
    assert kinds == ["text/csv; charset=utf-8", "application/vnd.apache.parquet", "application/json"]
    # The table itself only says how it is computed.
    assert page.locator("main .table-tools").all_inner_texts() == ["How it's computed\n: users"]
    assert watched.complaints == []

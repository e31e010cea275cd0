"""Variants and issues moved to and fro in a real browser, by mouse and with the keyboard alone."""

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from errata.warehouse.roles import Role
from tests.builders import insert
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.settings.test_grouping import an_event, issues_of
from tests.dashboards.test_keyboard import Hands
from tests.processes import WarehouseProcess

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
# A folder, to look at the pages.
PICTURES = os.environ.get("PICTURES", "")

Picture = Callable[[str], None]


def pictures(watched: Watched) -> Picture:
    page = watched.page

    def picture(name: str) -> None:
        assert violations(page) == []
        if not PICTURES:
            return
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=f"{PICTURES}/{name}-{theme}.png", full_page=True)
        page.set_viewport_size({"width": 390, "height": 844})
        # The chart is drawn anew.
        expect(page.locator("html")).to_have_js_property("scrollWidth", 390)
        page.screenshot(path=f"{PICTURES}/{name}-390.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})

    return picture


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_variants_and_issues_are_moved_to_and_fro(
    live_site: Site, watched: Watched, warehouse: WarehouseProcess
) -> None:
    # Three variants of one issue, and two issues more.
    one = an_event("ValueError", "f", "x = 1")
    others = [
        an_event("ValueError", "f", "x = 1").replace(b"no x = 1", words)
        for words in (b"nothing at all", b"too much of it")
    ]
    live_site.deliver(
        [one, *others, an_event("OSError", "g", "y = 2"), an_event("LookupError", "h", "z = 3")]
    )
    ids = {issue["type"]: issue["id"] for issue in issues_of(live_site)}
    alike(warehouse, ids["OSError"], ids["LookupError"])
    # On a busy machine each page takes its time.
    watched.page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    signed_in(live_site, watched)
    moved_with_the_mouse(watched, ids["ValueError"], ids["OSError"])
    parted = split_off(watched, ids["ValueError"])
    merged_by_its_address(watched, ids["LookupError"])
    unmerged(watched, parted)
    told_apart(watched)
    merged_in_the_list_with_the_mouse(live_site, watched)
    assert watched.complaints == []


def signed_in(site: Site, watched: Watched) -> None:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in site.sign_in().cookies.jar
    ]
    watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]


def moved_with_the_mouse(watched: Watched, issue: str, into: str) -> None:
    page = watched.page
    watched.go(f"/projects/shop/issues/{issue}?tab=grouping")
    page.get_by_label("ValueError: too much of it").click()
    page.locator("#move-into").fill(into)
    page.locator("[data-do=move]").click()
    expect(page.locator("[data-toast]")).to_have_text("1 variant moved here.")
    assert into in page.url


def split_off(watched: Watched, issue: str) -> str:
    """Returns the issue it is in then."""
    hands, page = Hands(watched), watched.page
    watched.go(f"/projects/shop/issues/{issue}?tab=grouping")
    expect(page.locator("#variants-title")).to_have_text("2 variants")
    pictures(watched)("variants")
    hands.tab_to("input[name=variant]")
    hands.press("Space")
    expect(page.locator("[data-chosen]")).to_have_text("1 variant selected.")
    hands.tab_to("[data-do=split]")
    hands.press("Enter")
    hands.says("1 variant moved here.")
    hands.sees_the_focus()
    assert issue not in page.url
    return page.url.split("/")[-1].split("?")[0]


def merged_by_its_address(watched: Watched, into: str) -> None:
    """The only variant of an issue is moved by making the issue part of another one."""
    hands, page = Hands(watched), watched.page
    hands.tab_to("input[name=variant]")
    hands.press("Space")
    expect(page.locator("[data-chosen]")).to_contain_text("merge the issue below")
    hands.tab_to("#merge-into")
    hands.type("Looku")
    expect(page.locator("#merge-into-list option")).to_have_attribute("value", into)
    assert "Choose an issue" in page.locator("#merge-into").evaluate("at => at.validationMessage")
    hands.press("Control+A")
    hands.type(f"{watched.address}/projects/shop/issues/{into}?tab=event")
    hands.press("Enter")
    hands.says("Merged into this issue.")
    expect(page.locator("#variants-title")).to_have_text("2 variants")
    hands.sees_the_focus()
    pictures(watched)("merged")


def unmerged(watched: Watched, part: str) -> None:
    hands = Hands(watched)
    hands.tab_to(f"[data-post='/api/issues/{part}/unmerge']")
    hands.press("Enter")
    hands.says("Unmerged. It's a separate issue again.")
    expect(watched.page.locator("#variants-title")).to_have_text("1 variant")
    hands.sees_the_focus()


def told_apart(watched: Watched) -> None:
    hands = Hands(watched)
    section = watched.page.locator("[aria-labelledby=duplicates-title]")
    expect(section).to_contain_text("93% similar")
    pictures(watched)("duplicates")
    hands.tab_to("[data-post$=distinct]")
    hands.press("Enter")
    hands.says("Marked as different issues.")
    expect(section).to_contain_text("No other issue has similar stack traces.")


def merged_in_the_list_with_the_mouse(site: Site, watched: Watched) -> None:
    page = watched.page
    before = [issue["id"] for issue in issues_of(site)]
    watched.go("/projects/shop/issues")
    for number in range(2):
        page.locator("tr[data-issue] input[type=checkbox]").nth(number).click()
    page.locator("[data-bulk-action=merge]").click()
    expect(page.locator("[data-toast]")).to_contain_text("2 issues merged.")
    expect(page.locator("tr[data-issue]")).to_have_count(len(before) - 1)
    page.locator("[data-undo]").click()
    expect(page.locator("[data-toast]")).to_contain_text("Undone.")
    assert sorted(issue["id"] for issue in issues_of(site)) == sorted(before)


def alike(warehouse: WarehouseProcess, issue: str, other: str) -> None:
    """As the pipelines record it."""
    client = warehouse.client(Role.BUILD)
    projects = client.rows("select any(project_id) as project_id from errata_raw.variant_issues")
    reason = '{"same_place": true, "frames": [{"frame": "shop.cart g"}, {"frame": "shop.cart h"}]}'
    pair = {"issue_id": int(issue, 16), "other_issue_id": int(other, 16), "score": 0.93, "reason": reason}
    insert(client, "errata_mart.similar_issues", [{**projects[0], **pair, "is_near_certain": False}])

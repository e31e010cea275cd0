"""One walk through the pages with a real browser: what only scripts and styles can get wrong."""

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import CHROMIUM, Watched, out_of_sight, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

HEADER_HEIGHT = "document.querySelector('header.top').offsetHeight"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_walk_through_the_pages(live_site: Site, warehouse: WarehouseProcess, watched: Watched) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:30])
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    live_site.tell("host=web-1; file=errata-2026-11-21.log; from=50; to=90; size=99")
    page = watched.page
    watched.go("/projects/shop/issues?sort=events")
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Issues")
    assert page.url.endswith("/projects/shop/issues?sort=events")
    # Before its scripts have loaded a filter would not be heard.
    page.wait_for_load_state("load")

    filters_live_in_the_address(page)
    new_events_appear_by_themselves(page, live_site)
    an_issue_is_read_and_resolved(page)
    charts_are_drawn_in_both_themes(page)
    a_load_is_read_by_keyboard(page)
    rows_are_sorted_where_they_stand(page)
    a_budget_and_an_alert_of_it_are_made(page)
    a_weekly_report_is_made_and_switched_off(page)
    a_hole_is_drawn_in_red(page)
    nothing_is_wider_than_a_telephone(watched)
    assert watched.complaints == []


def filters_live_in_the_address(page: Page) -> None:
    rows = page.locator("table.issues tbody tr")
    before = rows.count()
    assert before > 5
    page.get_by_label("Environment").select_option("production")
    page.wait_for_url("**environment=production*")
    page.get_by_label("Search", exact=True).fill("type:TypeError")
    page.keyboard.press("Enter")
    page.wait_for_url("**query=type*")
    assert "sort=events" in page.url
    assert "environment=production" in page.url
    narrowed = rows.count()
    assert 0 < narrowed < before
    page.reload()
    expect(rows).to_have_count(narrowed)
    page.go_back()
    page.go_back()
    expect(rows).to_have_count(before)
    expect(page.get_by_label("Environment")).to_have_value("")


def new_events_appear_by_themselves(page: Page, site: Site) -> None:
    rows = page.locator("table.issues tbody tr")
    before = rows.count()
    site.deliver(event_lines("python_errors", since_capture())[:40])
    page.wait_for_function(
        "before => document.querySelectorAll('table.issues tbody tr').length > before", arg=before
    )


def an_issue_is_read_and_resolved(page: Page) -> None:
    page.get_by_label("Search", exact=True).fill("JSONDecodeError")
    page.keyboard.press("Enter")
    page.wait_for_url("**query=JSONDecodeError*")
    page.locator("a.issue-title").first.click()
    expect(page.locator("h1")).to_contain_text("JSONDecodeError")
    expect(page.locator("[data-chart] .barlayer .trace").first).to_be_visible()

    expect(page.locator(".frame[open] .failing").first).to_be_visible()
    frames = page.locator("#stack .frame[open]")
    opened = frames.count()
    page.get_by_role("button", name="Show all frames").click()
    assert frames.count() > opened

    crumbs = page.locator("#breadcrumbs tbody tr:visible")
    everything = crumbs.count()
    page.get_by_label("Category").select_option("navigation")
    assert 0 < crumbs.count() < everything
    page.get_by_label("Search messages").fill("no such words")
    expect(page.get_by_text("No matching breadcrumbs.")).to_be_visible()

    page.get_by_role("link", name="Older", exact=True).click()
    page.wait_for_url("**event=*")
    expect(page.get_by_role("link", name="Newer", exact=True)).to_be_visible()

    page.get_by_role("button", name="Resolve", exact=True).click()
    expect(page.locator(".status-resolved")).to_be_visible()
    page.get_by_role("button", name="Unresolve").click()
    expect(page.locator(".status-unresolved")).to_be_visible()
    page.get_by_role("link", name="Issues", exact=True).first.click()


def charts_are_drawn_in_both_themes(page: Page) -> None:
    page.get_by_role("link", name="Performance").click()
    line = page.locator("[data-chart] .scatterlayer .trace").first
    expect(line).to_be_visible()
    a_drag_sets_the_period_and_a_double_click_takes_it_back(page)
    expect(line).to_be_visible()
    words = page.locator("[data-chart] .xtick text").first
    light = words.evaluate("tick => getComputedStyle(tick).fill")
    toggle = page.get_by_role("button", name="Colors")
    toggle.click()
    toggle.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_function(
        "light => getComputedStyle(document.querySelector('[data-chart] .xtick text')).fill !== light",
        arg=light,
    )
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator(".modebar")).to_have_count(0)
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.locator("[data-chart] .barlayer .trace").first).to_be_visible()


def a_drag_sets_the_period_and_a_double_click_takes_it_back(page: Page) -> None:
    before, shown = page.url, page.locator("[data-chart] .nsewdrag").first
    box = shown.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    # The captured loads are of the last hour.
    page.mouse.move(box["x"] + box["width"] * 0.6, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.99, middle, steps=5)
    page.mouse.up()
    page.wait_for_url("**period=*%2F*")
    assert "from=" not in page.url
    expect(page.get_by_label("Period", exact=True).locator("option:checked")).to_contain_text("UTC")
    page.wait_for_load_state("load")
    page.locator("[data-chart] .nsewdrag").first.dblclick()
    page.wait_for_url(before)


def a_load_is_read_by_keyboard(page: Page) -> None:
    """From the table of pages to one load, to what one of its bars stands for."""
    page.locator(".primary").get_by_role("link", name="Performance").click()
    page.get_by_role("link", name="/checkout", exact=True).first.click()
    page.get_by_role("link", name="Real loads").click()
    page.get_by_role("link", name="Waterfall of a p95 load").click()
    name = page.locator(".waterfall summary", has_text=".css").first
    name.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".waterfall details[open] dl")).to_contain_text("Blocks rendering")
    page.locator("summary", has_text="Export").click()
    page.get_by_role("button", name="Copy waterfall").click()
    expect(page.locator("[data-toast]")).to_contain_text("Copied")
    a_waterfall_is_zoomed(page)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})


def a_waterfall_is_zoomed(page: Page) -> None:
    rows, said = page.locator(".waterfall tbody tr:visible"), page.locator("#waterfall-zoom [role=status]")
    whole, first = rows.count(), page.locator(".wf-axis text").first
    lane = page.locator(".wf-lane").nth(1)
    lane.scroll_into_view_if_needed()
    box = lane.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 5, steps=3)
    page.mouse.up()
    expect(first).not_to_have_text("0 ms")
    narrowed = rows.count()
    assert 0 < narrowed < whole
    expect(said).to_contain_text(f"{narrowed} of {whole} rows")
    page.locator("td.wf-time:visible").first.dblclick()
    expect(said).to_have_text("")
    assert rows.count() == whole
    page.keyboard.press("+")
    expect(said).to_contain_text(f"of {whole} rows")
    assert violations(page) == []
    page.get_by_role("button", name="Whole load").click()
    expect(first).to_have_text("0 ms")


def rows_are_sorted_where_they_stand(page: Page) -> None:
    page.locator(".primary").get_by_role("link", name="Performance").click()
    page.locator(".tabs").get_by_role("link", name="Resources").click()
    count = page.get_by_role("button", name="Count")
    count.click()
    expect(page.locator("#types [aria-sort=descending]")).to_contain_text("Count")
    first = page.locator("#types tbody tr").first.locator("[data-label=Count]")
    most = page.locator("#types [data-label=Count]").evaluate_all(
        "cells => Math.max(...cells.map(cell => Number(cell.dataset.value)))"
    )
    expect(first).to_have_attribute("data-value", str(most))


def a_budget_and_an_alert_of_it_are_made(page: Page) -> None:
    page.get_by_role("link", name="Budgets", exact=True).click()
    page.get_by_role("link", name="New budget").click()
    page.get_by_label("Name").fill("Light checkout")
    expect(page.get_by_label("Device")).to_be_visible()
    page.get_by_label("Metric").select_option("API errors")
    expect(page.get_by_label("Device")).to_be_hidden()
    expect(page.get_by_label("Statistic")).to_be_hidden()
    page.get_by_label("Metric").select_option("JavaScript size")
    expect(page.locator(".limit-unit:visible")).to_have_text("KB")
    page.get_by_role("textbox", name="Limit in KB").fill("312.5")
    page.get_by_label("Pages").fill("/checkout/*")
    page.get_by_role("button", name="Save budget").click()
    expect(page.locator("#budgets tbody tr")).to_contain_text(["312 KB"])
    page.get_by_role("link", name="Alert on Light checkout").click()
    expect(page.get_by_label("When")).to_have_value("budget")
    expect(page.get_by_label("Budget", exact=True).locator("option:checked")).to_contain_text(
        "Light checkout: JavaScript size p75 of /checkout/* at most 312.5 KB"
    )
    expect(page.get_by_role("textbox", name="Limit in KB")).to_be_hidden()
    expect(page.get_by_label("Filter")).to_be_hidden()
    page.get_by_role("button", name="Save rule").click()
    expect(page.locator(".alert-follows")).to_have_text("Follows budget Light checkout")
    expect(page.locator(".alert-words")).to_contain_text("JavaScript size p75 of /checkout/*")


def a_weekly_report_is_made_and_switched_off(page: Page) -> None:
    page.locator(".primary").get_by_role("link", name="Performance").click()
    page.locator(".tabs").get_by_role("link", name="Reports").click()
    page.get_by_role("link", name="New weekly report").click()
    page.get_by_label("Name").fill("Management")
    page.get_by_label("Every").select_option("Friday")
    page.get_by_label("Time zone").fill("Europe/Prague")
    page.get_by_role("textbox", name="To", exact=True).fill("ada@example.org\nbo@example.org")
    page.get_by_role("button", name="Save report").click()
    row = page.locator("#schedules tbody tr")
    expect(row).to_contain_text("Friday, 08:00")
    page.get_by_role("button", name="Turn off: Management").click()
    expect(row).to_contain_text("turned off")


def a_hole_is_drawn_in_red(page: Page) -> None:
    page.get_by_role("link", name="Delivery").click()
    expect(page.locator(".verdict h2")).to_contain_text("1 gap, 50 B missing on web-1")
    colour = page.locator(".byte-bar .bytes-missing").evaluate("hole => getComputedStyle(hole).fill")
    assert colour == page.locator(".losses").evaluate("words => getComputedStyle(words).color")
    page.get_by_label("Files", exact=True).select_option("missing")
    page.wait_for_url("**files=missing*")
    expect(page.locator("table.files tbody tr")).to_have_count(1)


def nothing_is_wider_than_a_telephone(watched: Watched) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 844})
    watched.go("/projects/shop/issues?status=all")
    issue = watched.page.locator("a.issue-title").first.get_attribute("href") or ""
    watched.go("/projects/shop/users")
    user = watched.page.locator("a.user-name").first.get_attribute("href") or ""
    for path in (
        "/projects",
        "/projects/shop/issues",
        "/projects/shop/performance",
        "/projects/shop/performance/resources",
        "/projects/shop/performance/recommendations",
        "/projects/shop/performance/page?page=/checkout",
        "/projects/shop/performance/page?page=/checkout&tab=resources",
        "/computed/resource_metrics",
        "/computed/issues_listed?of=/projects/shop/issues",
        "/projects/shop/performance/budgets",
        "/projects/shop/performance/budgets/new",
        "/projects/shop/performance/reports",
        "/projects/shop/performance/reports/schedules/new",
        "/projects/shop/performance/trends",
        "/projects/shop/performance/releases",
        "/projects/shop/delivery",
        issue,
        f"{issue}?tab=events",
        "/projects/shop/users",
        user,
    ):
        watched.go(path)
        fits_a_telephone(watched.page)
        assert violations(watched.page) == [], path
    watched.go("/projects/shop/performance/page?page=/checkout&tab=loads")
    waterfall = watched.page.get_by_role("link", name="Waterfall of a p95 load").get_attribute("href") or ""
    watched.go("/projects/shop/performance?tab=endpoints")
    endpoint = (
        watched.page.locator("#figures a[href*='/performance/endpoint?']").first.get_attribute("href") or ""
    )
    for path in (
        "/projects/shop",
        "/projects/shop/alerts",
        "/projects/shop/alerts/new",
        "/projects/shop/replays",
        "/projects/shop/settings",
        "/projects/shop/settings/erasure",
        "/projects/shop/settings/filtering",
        "/projects/shop/settings/grouping",
        "/projects/shop/settings/integrations",
        "/projects/shop/settings/retention",
        "/projects/shop/settings/source-maps",
        "/settings",
        "/settings/usage",
        "/settings/usage?tab=limits",
        "/settings/usage?tab=service",
        "/api/docs",
        waterfall,
        endpoint,
        f"{issue}?tab=grouping",
        f"{issue}?tab=activity",
    ):
        watched.go(path)
        fits_a_telephone(watched.page)


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_the_page_of_the_api_is_read_in_dark_colors(watched: Watched) -> None:
    watched.page.emulate_media(color_scheme="dark")
    watched.go("/api/docs")
    assert violations(watched.page) == []


def fits_a_telephone(page: Page) -> None:
    """As it is opened there, and at once when a wide window becomes as narrow."""
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 390, page.url
    page.set_viewport_size({"width": 1280, "height": 900})
    # Charts have been drawn as wide.
    page.wait_for_function(
        "() => [...document.querySelectorAll('.chart .main-svg')].every("
        "drawing => drawing.clientWidth === drawing.closest('.chart').clientWidth)"
    )
    for width in (1280, 1000, 768):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(HEADER_HEIGHT) < 60, (page.url, width)
        assert page.evaluate(wide) <= width, page.url
        assert out_of_sight(page) == [], (page.url, width)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(wide) <= 390, f"{page.url} once it was wider"
    assert page.evaluate(HEADER_HEIGHT) < 60, page.url
    assert out_of_sight(page) == [], page.url

"""The overview says what the pages that it leads to say."""

import json
import re
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

import pytest
from playwright.sync_api import expect

from api.overview_figures import Figure
from dashboards.shared.metrics import figure
from errata.warehouse.queries.performance.unended import Unended
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

LINK = re.compile(r'href="(/projects/shop[^"]*)"')


def delivered(site: Site, warehouse: WarehouseProcess) -> None:
    site.deliver(event_lines("javascript_errors", since_capture())[:30])
    site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)


@pytest.mark.slow
def test_every_tile_has_the_figure_of_its_page(live_site: Site, warehouse: WarehouseProcess) -> None:
    client = live_site.sign_in()
    # A project without data opens on the steps to its first event.
    assert client.get("/", follow_redirects=True).url.path == "/projects/shop/issues"
    delivered(live_site, warehouse)
    live_site.tell("host=web-1; file=errata-2026-11-21.log; from=50; to=90; size=99")
    text = client.get("/", follow_redirects=True).text
    told = client.get("/api/projects/shop/overview?period=14d").json()
    pages = client.get("/api/projects/shop/performance/pages?period=14d").json()["pages"]
    loads = [row["view_count"] for row in pages if row["navigation_type"] == "navigate"]
    assert told["loads"]["view_count"] == sum(loads)
    shown = client.get("/projects/shop/performance?period=14d").text
    for metric in ("load_ms", "lcp_ms", "inp_ms", "cls"):
        value = figure(metric, told["loads"][f"{metric}_p75"])
        assert f"<dd>{value}" in shown, metric
        assert value in client.get("/projects/shop?period=14d").text
    listed = client.get(
        "/api/projects/shop/issues?query=is:unresolved+age:-14d&period=14d&sort=events"
    ).json()
    assert told["new_issues"]["count"] == len(listed["issues"])
    assert [one["id"] for one in told["new_issues"]["issues"]] == [one["id"] for one in listed["issues"][:5]]
    assert {host["host"]: host["missing_bytes"] for host in told["hosts"]} == {"web-1": 50}
    steps = [step["name"] for step in told["next_steps"]]
    assert steps[0] == "missing_bytes" and {"unassigned_issues", "no_alert_rules", "no_budgets"} <= set(steps)
    for path in sorted(set(LINK.findall(text))):
        assert client.get(path.replace("&amp;", "&")).status_code == 200, path


@pytest.mark.slow
def test_crash_free_figures_are_of_the_period_and_compared_with_the_one_before(live_site: Site) -> None:
    now = datetime.now(UTC)
    # Of 20 users in either period, 2 crash now and 1 before; a session told twice counts once.
    for days, crashed in ((1, 2), (9, 1)):
        lines = [session_line(now - timedelta(days=days), user, user < crashed) for user in range(20)]
        live_site.deliver([*lines, lines[0]])
    found = live_site.sign_in().get("/api/projects/shop/overview?period=7d").json()
    figures = {one["name"]: one for one in found["figures"]}
    for name in ("crash_free_sessions", "crash_free_users"):
        assert figures[name]["value"] == pytest.approx(0.9), name
        assert figures[name]["change"] == pytest.approx(-0.05), name
        assert figures[name]["is_better"] is False
    text = live_site.sign_in().get("/projects/shop?period=7d").text
    assert "Crash-free users" in text
    assert "▼ 5 points worse" in text


def session_line(at: datetime, user: int, is_crashed: bool) -> bytes:
    payload = {
        "sid": str(uuid5(NAMESPACE_URL, f"{at.isoformat()}{user}")),
        "did": f"user-{user}",
        "init": True,
        "started": at.isoformat(),
        "timestamp": at.isoformat(),
        "status": "crashed" if is_crashed else "exited",
        "attrs": {"release": "shop@1.0.0", "environment": "production"},
    }
    return json.dumps({"type": "session", "logged_at": at.isoformat(), "payload": payload}).encode()


@pytest.mark.slow
def test_before_the_first_build_it_says_that_loads_are_being_counted(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    client = live_site.sign_in()
    text = client.get("/projects/shop").text
    assert "are being counted" not in text and "Add browser tracing" in text
    live_site.deliver(performance_lines(since_capture()))
    text = client.get("/projects/shop").text
    assert "are being counted" in text and "Add browser tracing" not in text
    build_performance(warehouse)
    assert "are being counted" not in client.get("/projects/shop").text


def test_a_change_says_what_it_means_and_a_budget_whether_it_is_kept() -> None:
    slower = Figure("load_ms", 1500.0, 0.25, limit=1000.0)
    fewer_errors = Figure("server_error_ratio", 0.01, -0.005, limit=0.02)
    assert (slower.is_better, slower.is_within) == (False, False)
    unended = Unended(1, 9, (1400.0, None, None), ("p75", "p95"))
    assert Figure("load_ms", 1500.0, 0.25, limit=1600.0, unended=unended).is_within is None
    assert (fewer_errors.is_better, fewer_errors.is_within) == (True, True)
    assert Figure("crash_free_users", 0.99, 0.01).is_better is True
    assert Figure("cls", 0.1, None).is_better is None


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
def test_the_overview_is_one_screen_at_any_width(
    live_site: Site, warehouse: WarehouseProcess, watched: Watched, width: int
) -> None:
    delivered(live_site, warehouse)
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    page = watched.page
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    watched.go("/projects/shop?period=14d")
    expect(page.get_by_role("heading", name="What to do next")).to_be_visible()
    assert page.locator(".tile").count() >= 5
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width > 390:
        page.emulate_media(media="print")
        assert not page.locator(".filters").is_visible() and not page.locator(".primary").is_visible()
        assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
        page.emulate_media(media="screen")
    page.locator(".tile", has_text="p75").first.click()
    page.wait_for_url("**/performance?*period=14d*")
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_url("**/projects/shop")
    assert watched.complaints == []

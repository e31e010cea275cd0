"""What users waited for: a page tells elements and scripts, and one load the frames it was busy in."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import since_capture
from tests.many_loads import many_loads
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

PAGE = "/projects/shop/performance/page?page=%2Fcheckout&period=7d"
CAUSES, IMAGES = f"{PAGE}&tab=causes", f"{PAGE}&tab=images"


@pytest.mark.slow
def test_a_page_tells_what_its_users_waited_for_and_a_load_shows_the_frames(
    watched: Watched, live_site: Site, warehouse: WarehouseProcess
) -> None:
    now = datetime.now(UTC)
    project_id = live_site.store.projects.ids()[0]
    loads = list(many_loads(project_id, 6, since_capture(), now, ("v11",)))
    for number, rows in enumerate(loads):
        for row in rows.get("errata_raw.page_views", []):
            row["country"] = ("DE", "CZ", "")[number % 6 // 2]
    store(warehouse, *loads)
    build_performance(warehouse)
    causes = live_site.sign_in().get("/api/projects/shop/performance/causes?page=/checkout&period=7d").json()
    assert [vital["metric"] for vital in causes["vitals"]] == ["inp_ms", "lcp_ms", "cls"]
    watched.go("/sign-in")
    page = watched.page
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.get_by_role("button", name="Sign in").click()
    watched.go(CAUSES)
    expect(page.get_by_role("heading", name="What users waited for")).to_be_visible()
    for vital in causes["vitals"]:
        table = page.locator(f"#causes-{vital['metric'].removesuffix('_ms')}")
        if vital["load_count"] < 20:
            expect(table).to_have_count(0)
            continue
        expect(table.locator("tbody tr")).to_have_count(len(vital["causes"]))
    inp = causes["vitals"][0]
    unknown = inp["load_count"] - inp["known_count"]
    assert 0 < unknown < inp["load_count"]
    expect(page.locator("#frames-not-sent")).to_contain_text(f"{unknown} of {inp['load_count']} interactions")
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    shot(page, "causes")
    watched.go(IMAGES)
    expect(page.locator("#images tbody tr").first).to_contain_text("not sent")
    expect(page.locator("#images")).to_contain_text("43,200 px")
    watched.go(PAGE)
    countries = page.get_by_role("region", name="Countries")
    expect(countries.locator("dt")).to_have_text(["Unknown", "CZ", "DE"])
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    shot(page, "page")
    page.get_by_label("Country").select_option("DE")
    expect(page.locator(".overview .card").first).to_contain_text("20")
    watched.go(f"/projects/shop/performance/waterfall/{with_frames(live_site)}")
    expect(page.locator(".wf-lane .wf-frame").first).to_be_visible()
    expect(page.get_by_text("INP", exact=True).first).to_be_visible()
    assert violations(page) == []
    shot(page, "waterfall")
    assert watched.complaints == []


def with_frames(site: Site) -> str:
    """A load whose interaction waited for a frame."""
    loads = site.client.get("/api/projects/shop/performance/loads?page=/checkout&period=7d").json()["loads"]
    for load in loads:
        found = site.client.get(f"/api/page-views/{load['view_id']}/waterfall").json()
        if found["inp_frame"] and found["lcp_parts"]["render_delay_ms"] is not None:
            return str(load["view_id"])
    raise AssertionError("no load with a frame")


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

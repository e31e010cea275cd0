"""Pages of monitors in a browser: readable by everyone, at each width, in light and dark."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboards.browser import Watched, out_of_sight, violations
from tests.dashboards.conftest import Site
from tests.dashboards.monitors.test_monitors import HOURLY, hours, run

pytestmark = pytest.mark.slow


def test_monitors_can_be_read_by_everyone(live_site: Site, watched: Watched) -> None:
    common = {"environment": "production", "monitor_config": HOURLY, "release": "jobs@2.0"}
    lines = [one for hour in range(40, 3, -1) for one in run("nightly-export", hours(hour), "ok", **common)]
    lines += run("nightly-export", hours(3), "error", **common)
    lines += run("invoices", hours(0.7), "in_progress", **common)
    lines += run("a-job-with-a-very-long-name-that-goes-on-and-on-50", hours(0.5), "ok")
    live_site.deliver(lines)
    page = watched.page
    watched.sign_in("/projects/shop/monitors", live_site.account)
    expect(page.get_by_role("heading", name="Monitors")).to_be_visible()
    for name in ("monitors", "monitors/nightly-export"):
        watched.go(f"/projects/shop/{name}")
        for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.set_viewport_size({"width": width, "height": 900})
            if folder := os.environ.get("PICTURES"):
                path = Path(folder) / f"{name.replace('/', '-')}-{scheme}-{width}.png"
                page.screenshot(path=str(path), full_page=True)
            assert violations(page) == [] and out_of_sight(page) == []

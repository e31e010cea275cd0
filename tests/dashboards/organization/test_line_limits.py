"""Limits of projects and services on the page of limits, as an owner sets them in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.delivery.test_services import deliver
from tests.dashboards.organization.test_key_rotation import shot

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def sign_in(live_site: Site, watched: Watched) -> None:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_an_owner_limits_a_service_and_sees_its_use_and_refusals(live_site: Site, watched: Watched) -> None:
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    own = live_site.account.app_key
    worker, web = (
        live_site.store.keys.app.create(owner.organization_id, "shop", service, actor="x").key
        for service in ("worker", "web-frontend")
    )
    deliver(live_site, 1, *[worker] * 12)
    deliver(live_site, 2, *[own] * 5, worker)
    deliver(live_site, 3, *[web] * 7)
    sign_in(live_site, watched)
    page = watched.page
    watched.go("/settings/limits")
    field = page.get_by_label("Lines per minute of Shop, service worker")
    expect(field).to_have_value("")
    field.fill("10")
    with page.expect_navigation():
        page.get_by_role("button", name="Save limit of Shop, service worker").click()
    expect(field).to_have_value("10")
    assert live_site.store.keys.app.routes(owner.organization_id, {worker})[worker].service_limit == 10

    deliver(live_site, 4, *[worker] * 10)
    deliver(live_site, 5, *[worker] * 10, status=429)
    deliver(live_site, 6, *[own] * 3)
    page.reload()
    rows = page.locator("#line-limits tbody tr").all_inner_texts()
    cells = {row.split("\t")[0].strip(): row.split("\t")[1:4] for row in rows}
    assert cells == {
        "Shop": ["38", "0", "0"],
        "web-frontend": ["7", "0", "0"],
        "worker": ["23", "0", "1"],
        "No service": ["8", "0", "0"],
    }
    expect(page.get_by_text("Deliveries over the limit of the service")).to_be_visible()
    assert violations(page) == []
    shot(page, "limits")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})

    page.locator("#line-limits").get_by_role("link", name="worker").click()
    expect(page.get_by_label("Service")).to_have_value("worker")
    expect(page.locator("#log-files tbody tr")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    shot(page, "delivery-of-worker")
    watched.go("/projects/shop/delivery")
    page.wait_for_load_state("networkidle")
    shot(page, "delivery")
    assert watched.complaints == []


def test_a_member_sees_limits_and_cannot_change_them(live_site: Site) -> None:
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    organization_id = owner.organization_id
    live_site.store.line_limits.replace(organization_id, "shop", "", 1_234, actor="x")
    with live_site.store.database.writing() as connection:
        connection.exec_driver_sql("update memberships set role = 'member'")
    client = live_site.sign_in()
    page = client.get("/settings/limits").text
    assert "1,234" in page and "Only an owner can change limits." in page
    assert "/api/projects/shop/limits" not in page

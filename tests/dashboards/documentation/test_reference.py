"""The reference of the API in the frame of the pages."""

import pytest
from playwright.sync_api import expect

from tests.dashboards.browser import CHROMIUM, Watched, out_of_sight, violations
from tests.dashboards.conftest import Site


@pytest.mark.slow
def test_the_reference_has_the_frame_and_leads_to_errors(site: Site) -> None:
    page = site.client.get("/api/docs")
    assert 'href="/docs"' in page.text and "reference.js" not in page.text
    assert '<a href="/docs/errors#project_not_found"><code>project_not_found</code></a>' in page.text
    signed_in = site.sign_in().get("/api/docs").text
    assert "Sign out" in signed_in and 'data-slug="shop"' in signed_in and "reference.js" in signed_in


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_only_reads_is_tried_from_the_reference(live_site: Site, watched: Watched, theme: str) -> None:
    page = watched.page
    page.context.add_cookies([{"name": "errata_theme", "value": theme, "url": watched.address}])
    watched.go("/settings/people")
    page.fill("input[name=email]", live_site.account.email)
    page.fill("input[name=password]", live_site.account.password)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("People")
    watched.go("/api/docs#operation-project")
    operation = page.locator("#operation-project")
    expect(operation).to_be_visible()
    operation.get_by_role("button", name="Try it").click()
    expect(operation.get_by_role("status")).to_have_text("GET /api/projects/shop: 200")
    expect(operation.locator(".answer pre")).to_contain_text('"slug": "shop"')
    page.evaluate("document.querySelectorAll('.group')[1].open = true")
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert violations(page) == [] == out_of_sight(page), width
    assert watched.complaints == []

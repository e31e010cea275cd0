"""A captured error of a minified bundle on its page, before and after its source maps were uploaded."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser_builds import browser_errors, extract_builds
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.dashboards.uploads import upload_build, uploading_to

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds"))


def issue_of(site: Site, culprit: str) -> str:
    """The page of the issue that source maps place there."""
    found = uploading_to(site).get("/api/projects/shop/issues", limit=100)["issues"]
    (issue,) = [one["id"] for one in found if one["culprit"] == culprit]
    return f"/projects/shop/issues/{issue}"


def frames(page: Page, form: str = "original") -> list[str]:
    return page.locator(f".{form}-frames .frame-place:visible").all_inner_texts()


def test_minified_frames_say_what_is_missing_and_become_original(
    live_site: Site, watched: Watched, builds: Path
) -> None:
    api, page = uploading_to(live_site), watched.page
    api.deliver(browser_errors(("1.1.0",)))
    upload_build(api, builds, "1.1.0")
    api.map_variants()
    address = issue_of(live_site, "src/lib/ui.js in formatPrice")
    (upload,) = api.get(f"{api.path}/sourcemaps")["uploads"]
    api.client.delete(f"{api.path}/sourcemaps/{upload['bundle_id']}", headers=api.headers)

    watched.go(address)
    sign_in(page, live_site.account.email, live_site.account.password)
    note = page.locator(".minified-note")
    expect(note).to_contain_text("minified. No source maps have been uploaded for this project.")
    expect(page.get_by_role("group", name="Frames")).to_have_count(0)
    frame = page.locator("#stack .frame").first
    expect(frame).not_to_have_attribute("open", "")
    frame.locator("summary").click()
    expect(frame).to_contain_text("assets/1.1.0/")
    expect(frame.get_by_text("Searched for")).to_be_visible()
    expect(frame.get_by_role("link", name="Source maps")).to_have_attribute(
        "href", "/projects/shop/settings/source-maps"
    )
    shot(page, "frames-minified")
    assert violations(page) == []

    upload_build(api, builds, "1.0.0")
    page.reload()
    # Some files are those of the other build, some are not.
    expect(note).to_contain_text("minified. Open a frame to see why.")
    shot(page, "frames-other-release")

    upload_build(api, builds, "1.1.0")
    page.reload()
    expect(page.locator(".original-frames .failing").first).to_be_visible()
    original = frames(page)
    assert any("src/lib/ui.js" in place for place in original)
    text = page.locator("#event-text").text_content() or ""
    assert "at formatPrice (src/lib/ui.js:" in text
    shot(page, "frames-original")
    assert violations(page) == []
    page.get_by_role("radio", name="Minified").check()
    expect(page.locator(".original-frames").first).to_be_hidden()
    minified = frames(page, "minified")
    assert len(minified) == len(original) and not any("src/" in place for place in minified)
    shot(page, "frames-as-sent")
    page.get_by_role("radio", name="Original").check()
    assert frames(page) == original
    assert watched.complaints == []

"""Uploads of source maps on their page, in a real browser: an owner deletes one, a member only reads, and the
commands that it shows upload."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from errata.state.users import Membership
from tests.browser_builds import browser_errors, extract_builds
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.dashboards.uploads import upload_build, uploading_to
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.source_map_files import SCRIPT, a_map, an_error

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.slow,
    pytest.mark.timeout(240),
]
PATH = "/projects/shop/settings/source-maps"


def test_uploads_are_listed_deleted_by_an_owner_and_missing_ones_named(
    live_site: Site, warehouse: WarehouseProcess, watched: Watched, tmp_path: Path
) -> None:
    api, page = uploading_to(live_site), watched.page
    builds = extract_builds(tmp_path / "builds")
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go(PATH)
    sign_in(page, live_site.account.email, live_site.account.password)
    expect(page.get_by_text("No source maps yet.")).to_be_visible()
    expect(page.get_by_text("All scripts in stack traces have their source maps.")).to_be_visible()
    expect(page.locator("#with-cli")).to_contain_text("export SENTRY_URL=http")
    shot(page, "maps-empty")

    api.deliver(browser_errors())
    api.upload(builds / "1.1.0" / "assets", "shop-web@1.1.0", "~/assets/1.1.0", dist="beta")
    upload_build(api, builds, "1.0.0")
    upload_build(api, builds, "1.1.0")
    api.map_variants()
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals")
    page.reload()
    table = page.get_by_role("table", name="Uploads of source maps by release")
    uploads = table.locator("tbody tr")
    expect(uploads).to_have_count(3)
    # Those of a release together.
    expect(uploads.nth(0)).to_contain_text("6 debug IDs")
    expect(uploads.nth(1)).to_contain_text("dist beta")
    expect(uploads.nth(1)).to_contain_text("never")
    expect(uploads.nth(2)).to_contain_text("shop-web@1.0.0")
    shown = {one["release"]: one for one in api.get(f"{api.path}/sourcemaps")["uploads"] if not one["dist"]}
    variants = uploads.nth(2).get_by_role("cell").nth(3)
    assert shown["shop-web@1.0.0"]["variant_count"] > 0
    expect(variants).to_have_text(str(shown["shop-web@1.0.0"]["variant_count"]))
    missing = page.get_by_role("table", name="Scripts without a source map")
    expect(missing).to_contain_text("/monitor-10-")
    counts = missing.locator("tbody tr td:nth-of-type(2)").all_inner_texts()
    assert [int(count) for count in counts] == sorted(map(int, counts), reverse=True)
    assert int(counts[0]) > 0
    shot(page, "maps")
    assert violations(page) == []

    page.get_by_label("Release", exact=True).fill("shop-web@1.1.0")
    page.keyboard.press("Enter")
    page.wait_for_url("**release=shop-web*")
    expect(uploads).to_have_count(2)
    with page.expect_navigation():
        page.get_by_role("button", name="Delete the upload of shop-web@1.1.0, dist beta").click()
    expect(uploads).to_have_count(1)
    assert len(api.get(f"{api.path}/sourcemaps")["uploads"]) == 2

    for summary in page.locator(".way > summary").all()[1:]:
        summary.click()
    expect(page.locator("#with-curl")).to_contain_text(
        f"{PATH.removesuffix('/settings/source-maps')}/sourcemaps"
    )
    expect(page.locator("#with-vite")).to_contain_text('project: "shop"')
    shot(page, "maps-ways")
    page.get_by_role("link", name="Create an access token for uploads").click()
    expect(page.get_by_label("upload source maps and releases")).to_be_checked()
    expect(page.get_by_label("read the project")).not_to_be_checked()
    page.get_by_label("Used by").fill("CI")
    page.get_by_role("button", name="Create access token").click()
    expect(page.get_by_role("row", name="CI")).to_contain_text("upload source maps and releases")
    shot(page, "maps-token")

    with live_site.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    watched.go(PATH)
    expect(page.get_by_text("Only an owner can delete uploads.")).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    expect(page.get_by_role("link", name="Create an access token for uploads")).to_have_count(0)
    assert watched.complaints == []


def test_the_commands_work_as_they_are_printed(live_site: Site, watched: Watched, tmp_path: Path) -> None:
    """All but the installation of npm packages: `npx @sentry/cli` is the installed sentry-cli here."""
    api, page = uploading_to(live_site), watched.page
    watched.go(PATH)
    sign_in(page, live_site.account.email, live_site.account.password)
    expect(page.locator("#with-cli")).to_be_visible()
    programs, build = Path(sys.executable).parent, tmp_path / "build"
    (build / "dist").mkdir(parents=True)
    for name, content in {"app.js": SCRIPT.encode(), "app.js.map": a_map()}.items():
        (build / "dist" / name).write_bytes(content)
    npx = tmp_path / "npx"
    npx.write_text(f'#!/bin/sh\nshift\nexec {programs}/sentry-cli "$@"\n')
    npx.chmod(0o755)
    environ = {
        "PATH": f"{tmp_path}:{programs}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "SENTRY_DISABLE_UPDATE_CHECK": "1",
        "PYTHONPATH": str(Path.cwd()),
    }
    for id_, count in (("with-curl", 1), ("with-errata", 1), ("with-cli", 2)):
        commands = page.locator(f"#{id_}").text_content() or ""
        assert "errata_token_…" in commands and api.context.base_url in commands
        commands = commands.replace("errata_token_…", api.token())
        commands = commands.replace(api.context.base_url, page.url.partition("/projects/")[0])
        done = subprocess.run(
            ["bash", "-e", "-c", commands],
            cwd=build,
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        uploads = api.get(f"{api.path}/sourcemaps")["uploads"]
        assert len(uploads) == count, done.stdout + done.stderr
        assert {each["release"] for each in uploads} == {"shop@1.0.0"}
        if id_ != "with-cli":  # It injects debug ids, which moves the script's only function.
            event = an_error("https://shop.example/app.js", release="shop@1.0.0", timestamp=time.time())
            api.deliver([event])
            told = api.get(f"{api.path}/events/{event['event_id']}/sourcemaps")
            assert told["mapped_count"] == 1

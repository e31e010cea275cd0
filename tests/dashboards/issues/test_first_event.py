"""A new project: keys, commands, a test event, and the list that appears by itself."""

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.new_host import NewHost

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
WAYS = ("Python", "Node", "Browser", "Any Sentry SDK", "Host with a shipper")


@needs_chromium
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_commands_have_the_keys_and_the_first_event_shows_by_itself(
    live_site: Site, watched: Watched, tmp_path: Path
) -> None:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    page, account = watched.page, live_site.account
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    watched.go("/projects")
    page.get_by_label("Name").fill("Back office")
    page.get_by_role("button", name="Create project").click()
    made = page.get_by_label("Application key", exact=True)
    expect(made).not_to_have_value("")
    app_key = made.input_value()
    assert made.evaluate("field => field.scrollWidth <= field.clientWidth")
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("heading", name="Send your first event")).to_be_visible()
    dsn = page.locator("#dsn").inner_text()
    public_key, number = dsn.removeprefix("http://").split("@testserver/")
    expect(page.get_by_role("tab")).to_have_count(len(WAYS))
    assert [tab.inner_text() for tab in page.get_by_role("tab").all()] == list(WAYS)
    for way in WAYS:
        page.get_by_role("tab", name=way, exact=True).click()
        if way == WAYS[-1]:
            # The key made a moment ago is already in every command.
            page.get_by_label("API key", exact=True).fill(account.api_key)
        key = app_key if way == WAYS[-1] else public_key
        shown = page.locator(".choices .snippet pre:visible").all_inner_texts()
        assert any(key in text for text in shown), way
        assert not any("…" in text for text in shown), way
        assert violations(page) == []
    # What the page says is what works: curl against this very server, and the configuration.
    command = page.locator("#curl-try").inner_text().replace("http://testserver", watched.address)
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert f"/api/{number}/store/" in command
    assert len(json.loads(run.stdout)["id"]) == 32
    host = NewHost(tmp_path, watched.address)
    for step in ("download", "check", "install"):
        shown_step = page.locator(f"#shipper-{step}").text_content()
        assert shown_step is not None
        found = host.run(shown_step)
        assert found.returncode == 0, found.stderr
    assert found.stdout.count("ok  ") == 5
    expect(page.locator("table.issues tbody tr")).to_have_count(1)
    expect(page.locator("[data-facets] .facet").first).to_be_visible()
    # The list that took the place of the commands goes on refreshing itself.
    again = subprocess.run(
        ["bash", "-c", command.replace("It works", "Once more")], capture_output=True, text=True, check=True
    )
    assert len(json.loads(again.stdout)["id"]) == 32
    expect(page.locator("table.issues tbody tr")).to_have_count(2)
    expect(page.locator("[data-events]")).to_contain_text("2 error events", timeout=20_000)
    page.get_by_role("link", name="It works").click()
    expect(page.locator("h1")).to_contain_text("It works")
    assert watched.complaints == []


@pytest.mark.slow
def test_a_test_event_takes_the_way_of_all_events(live_site: Site) -> None:
    client = live_site.sign_in()
    token = client.get("/api/auth/session").json()["csrf_token"]
    answer = client.post("/api/projects/shop/test-event", headers={"X-CSRF-Token": token})
    assert answer.status_code == 201
    event = client.get(f"/api/events/{answer.json()['event_id']}").json()
    assert event["project"] == "shop"
    assert "Test event" in client.get("/projects/shop/issues").text
    assert client.post("/api/projects/shop/test-event").status_code == 403
    assert client.post("/api/projects/other/test-event", headers={"X-CSRF-Token": token}).status_code == 404

"""Settings of an organization and of a project in a real browser, as an owner uses them."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import update
from starlette.testclient import TestClient

import api.app
from api.settings import ApiSettings
from dashboards.app import create_app
from errata.settings import load
from errata.state import Store
from errata.state.users import Membership
from errata.warehouse.roles import Role
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.processes import WarehouseProcess

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
PAGES = ("api-keys", "people", "limits", "activity", "account")


@pytest.fixture
def signed_in(live_site: Site, watched: Watched) -> Iterator[Watched]:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]
    watched.page.on("dialog", lambda dialog: dialog.accept())
    yield watched
    assert watched.complaints == []


def shown_once(page: Page, label: str) -> str:
    field = page.get_by_label(label, exact=True)
    expect(field).not_to_have_value("")
    return field.input_value()


@needs_chromium
@pytest.mark.slow
def test_an_owner_makes_renames_and_deletes_a_project(live_site: Site, signed_in: Watched) -> None:
    page = signed_in.page
    signed_in.go("/projects")
    page.get_by_label("Name").fill("Back office")
    page.get_by_role("button", name="Create project").click()
    app_key = shown_once(page, "Application key")
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_label("Name").fill("Office")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".project-menu summary")).to_contain_text("Office")
    page.get_by_label("Add a key").fill("worker")
    page.get_by_role("button", name="Add a key").click()
    worker_key = page.locator("[data-made]:not([hidden]) input").first
    expect(worker_key).to_have_value(re.compile("^errata_app_worker_"))
    (organization_id,) = {organization for organization, _ in live_site.store.projects.all()}
    keys = [app_key, worker_key.input_value()]
    assert set(live_site.store.keys.app.routes(organization_id, keys)) == set(keys)
    page.reload()
    row = page.get_by_role("row").filter(has_text="worker")
    row.get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    assert set(live_site.store.keys.app.routes(organization_id, keys)) == {app_key}
    page.get_by_role("button", name="Delete project").click()
    page.wait_for_url("**/projects")
    expect(page.get_by_role("link", name="Office")).to_have_count(0)
    assert live_site.store.keys.app.routes(organization_id, keys) == {}


@needs_chromium
@pytest.mark.slow
def test_the_new_api_key_is_shown_once_and_the_old_one_fails(live_site: Site, signed_in: Watched) -> None:
    page = signed_in.page
    signed_in.go("/settings")
    page.get_by_role("button", name="Regenerate key").click()
    key = shown_once(page, "New API key")

    def verified(key: str) -> int:
        answer = live_site.client.get("/api/auth/verify", headers={"Authorization": f"Bearer {key}"})
        return answer.status_code

    assert (verified(key), verified(live_site.account.api_key)) == (200, 401)
    page.reload()
    expect(page.locator("main")).to_contain_text("api_key.regenerated")
    assert key not in page.content()


@needs_chromium
@pytest.mark.slow
def test_a_person_changes_the_password_and_ends_other_sessions(live_site: Site, signed_in: Watched) -> None:
    page, account = signed_in.page, live_site.account
    signed_in.go("/settings/account")
    expect(page.get_by_text("this session")).to_have_count(1)
    for current in ("wrong", account.password):
        page.get_by_label("Current password").fill(current)
        page.get_by_label("New password").fill("a new long password")
        page.get_by_role("button", name="Change password").click()
        said = page.locator("[data-said]").first
        expect(said).to_have_class(re.compile("wrong") if current == "wrong" else re.compile("^small$"))
    # Chromium reports the refusal of the wrong password.
    assert len(signed_in.complaints) == 1 and "401" in signed_in.complaints.pop()
    expect(said).to_have_text("Password changed. Your other sessions have ended.")
    assert live_site.store.sessions.sign_in(account.email, account.password) is None
    assert live_site.store.sessions.sign_in(account.email, "a new long password") is not None
    page.reload()
    page.get_by_role("button", name="Sign out everywhere else").click()
    expect(page.get_by_role("button", name="Sign out everywhere else")).to_have_count(0)


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
def test_every_page_of_settings_can_be_read_at_any_width(signed_in: Watched, width: int) -> None:
    page = signed_in.page
    page.set_viewport_size({"width": width, "height": 844})
    for path in (*(f"/settings/{name}" for name in PAGES), "/projects/shop/settings", "/projects"):
        signed_in.go(path)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator(".side-nav a[aria-current]").count() == (path != "/projects")


def test_a_member_is_offered_nothing_that_only_an_owner_may(live_site: Site) -> None:
    client = live_site.sign_in()
    with live_site.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    for path, words in {
        "/projects": "Create project",
        "/projects/shop/settings": "Delete project",
        "/settings/api-keys": "Regenerate key",
    }.items():
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (200, False)
    token = client.get("/api/auth/session").json()["csrf_token"]
    answer = client.delete("/api/projects/shop", headers={"X-CSRF-Token": token})
    assert answer.status_code == 403


@pytest.mark.slow
def test_limits_tell_their_use_and_what_was_refused(store: Store, warehouse: WarehouseProcess) -> None:
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@shop.example")
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    settings = load(ApiSettings, {"ERRATA_API_LINES_PER_MINUTE": "10"})
    mounted = api.app.create_app(settings, store, ingest, read, base_url="http://testserver")
    with TestClient(create_app(mounted), raise_server_exceptions=False) as client:
        site = Site(client, store, account)
        headers = {"Authorization": f"Bearer {account.api_key}", "X-Errata-App-Key": account.app_key}

        def deliver(count: int, batch: str) -> int:
            lines = [
                json.dumps({"type": "event", "payload": {"message": f"{batch} {n}"}}) for n in range(count)
            ]
            answer = client.post(
                "/api/ingest",
                content="\n".join([*lines, "{"]),
                headers=headers | {"X-Errata-Batch-Id": batch},
            )
            return answer.status_code

        began = datetime.now(UTC)
        assert [deliver(5, "a"), deliver(8, "b"), deliver(8, "c"), deliver(2, "d")] == [200, 429, 429, 200]
        told = client.get("/api/limits", headers=headers).json()
        assert [(hour["delivery_count"], hour["accepted_count"]) for hour in told["hours"][-1:]] == [(2, 7)]
        busiest = told["hours"][-1]["busiest_minute"]
        # Deliveries on both sides of a full minute are of two.
        assert busiest in ({9} if began.minute == datetime.now(UTC).minute else {6, 9})
        assert {(one["item_type"], one["reason"]): one["refused_count"] for one in told["refusals"]} == {
            ("line", "invalid_json"): 2,
            ("delivery", "rate_limited"): 2,
        }
        values = {limit["name"]: limit["value"] for limit in told["limits"]}
        assert values["lines_per_minute"] == 10
        page = site.sign_in().get("/settings/usage?tab=limits").text
        assert "Deliveries over the lines per minute" in page
        assert f"{busiest} lines" in page and f"{busiest}0%" in page
        # Deliveries refused are no change to what was stored.
        assert "rate_limited" not in client.get("/projects/shop/delivery").text
    ingest.close()
    read.close()

"""Finding by name over the real warehouse: everything of a project, as JSON, as a page and by keyboard."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect
from sqlalchemy import insert
from starlette.testclient import TestClient

from errata.state import Store
from errata.state.organization import Organization
from errata.state.project import ProjectRow
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

HOSTILE = ("%", "_", "' or 1=1 --", '"', "\\", "*", "<b>x</b>", "{{7*7}}", "is:nonsense OR", "\u202e", "🙂")


@pytest.fixture
def filled(live_site: Site, warehouse: WarehouseProcess) -> Site:
    live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture()))
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    return live_site


def found(client: TestClient, text: str, project: str = "/projects/shop") -> list[dict[str, str]]:
    answer = client.get(f"/api{project}/find", params={"text": text})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, str]] = answer.json()["results"]
    return results


def key_of(site: Site) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.account.api_key}"}


def of_kind(client: TestClient, kind: str, text: str) -> list[dict[str, str]]:
    return [one for one in found(client, text) if one["kind"] == kind]


def others_have_a_project(store: Store, name: str) -> None:
    now = datetime.now(UTC)
    with store.database.writing() as connection:
        connection.execute(insert(Organization).values(id=99, name="Other Ltd", created_at=now))
        theirs = {"id": 99, "organization_id": 99, "slug": "theirs", "name": name, "platform": ""}
        connection.execute(insert(ProjectRow).values(**theirs, created_at=now))


@pytest.mark.slow
def test_each_kind_is_found_by_name_and_leads_to_its_page(filled: Site, warehouse: WarehouseProcess) -> None:
    client, store = filled.client, filled.store
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, timedelta(0))
    builder.close()
    made = client.post("/api/projects", json={"name": "Web checkout"}, headers=key_of(filled))
    assert made.status_code == 201, made.text
    others_have_a_project(store, "Checkout of others")

    issues = of_kind(client, "issue", "keyerror")
    assert issues and all("KeyError" in issue["title"] for issue in issues)
    issue_id = issues[0]["address"].rpartition("/")[2]
    assert issue_id in {one["address"].rpartition("/")[2] for one in of_kind(client, "issue", issue_id[:8])}
    assert of_kind(client, "page", "CHECK")[0]["title"] == "/checkout"
    assert of_kind(client, "endpoint", "get products")
    assert "/performance/release?version=shop-web" in of_kind(client, "release", "shop-web@1.2")[0]["address"]
    assert "/issues?release=shop%402.14.0" in of_kind(client, "release", "shop@2.14.0")[0]["address"]
    assert [one["title"] for one in of_kind(client, "project", "checkout")] == ["Web checkout"]
    assert of_kind(client, "place", "scrubbing")[0]["title"] == "Filtering"
    assert client.get("/api/projects/theirs/find", params={"text": ""}).status_code == 404

    texts = ("", "shop", "checkout", "keyerror", "products", "settings", "@")
    # One of each kind of page.
    shapes = {
        re.sub(r"=[^&]*|[0-9a-f]{16}", "", one["address"]): one
        for text in texts
        for one in found(client, text)
    }
    for one in shapes.values():
        assert client.get(one["address"]).status_code == 200, one
    assert {one["kind"] for one in found(client, "", "")} == {"place", "project"}


@pytest.mark.slow
def test_hostile_text_finds_nothing_and_harms_nothing(filled: Site) -> None:
    client = filled.client
    for text in (*HOSTILE, "x" * 200):
        # As any other text: what is named so, and nothing else.
        assert all(text in one["title"] + one["detail"] for one in found(client, text)), text
        page = client.get("/projects/shop/find", params={"text": text})
        assert page.status_code == 200
        assert "<b>x</b>" not in page.text
    assert client.get("/api/projects/shop/find", params={"text": "x" * 201}).status_code == 400
    assert client.get("/projects/shop/find", params={"text": "x" * 9000}).status_code == 200
    assert "Nothing is named “no-such-name”" in client.get("/projects/shop/find?text=no-such-name").text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_keyboard_alone_finds_an_issue_and_a_page(filled: Site, watched: Watched) -> None:
    page = watched.page
    watched.sign_in("/projects/shop/issues", filled.account)
    expect(page.locator("h1")).to_have_text("Issues")

    dialog, options = page.locator("dialog.find"), page.locator("dialog.find [role=option]")
    marked = page.locator("dialog.find [aria-selected=true]")
    page.locator("#query").focus()
    page.keyboard.press("Control+k")
    expect(options.first).to_have_text("Overview")
    assert violations(page) == []
    page.keyboard.press("ArrowDown")
    expect(marked).to_have_text("Issues")
    box = page.locator("dialog.find input")
    assert box.get_attribute("aria-activedescendant") == marked.get_attribute("id")
    page.keyboard.type("no-such-name")
    expect(dialog.locator("[role=status]")).to_contain_text("Nothing is named")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#query")).to_be_focused()

    page.keyboard.press("Control+k")
    # Enter comes before the results.
    page.keyboard.type("/checkout")
    page.keyboard.press("Enter")
    page.wait_for_url("**/performance/page?page=*checkout")
    expect(page.locator("h1")).to_contain_text("/checkout")

    # Without a search box on the page, its key is free.
    page.keyboard.press("/")
    page.keyboard.type("keyerror")
    expect(marked).to_contain_text("KeyError")
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/issues/*")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Find issues, pages")
    assert watched.complaints == []

"""Someone is given some projects, joins a second organization and switches; a token is made and revoked."""

import re

import httpx2
import pytest
from playwright.sync_api import Page, expect

from errata.state.users import Role
from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.people import joins

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
ADA = "ada@shop.example"


def other_browser(page: Page, site: Site, path: str, email: str) -> Page:
    assert page.context.browser is not None
    found = page.context.browser.new_context(base_url=re.sub(r"(?<=\d)/.*", "", page.url)).new_page()
    found.goto(path)
    sign_in(found, email, site.account.password)
    return found


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_projects_are_chosen_and_organizations_switched(live_site: Site, watched: Watched) -> None:
    store, page = live_site.store, watched.page
    store.projects.create(1, "Docs", actor="test")
    joins(store, 1, ADA, Role.MEMBER)
    watched.go("/settings/people")
    sign_in(page, live_site.account.email, live_site.account.password)
    theirs = other_browser(page, live_site, "/projects", ADA)
    expect(theirs.get_by_role("link", name="Shop").first).to_be_visible()

    cell = page.locator("tr", has_text=ADA).locator("td", has=page.locator("details"))
    cell.locator("summary").click()
    cell.get_by_label("All projects, including future ones").uncheck()
    cell.get_by_label("Docs").check()
    shot(page, "projects")
    with page.expect_navigation():
        cell.get_by_role("button", name="Save").click()
    expect(cell.locator("summary")).to_have_text("docs")
    theirs.reload()
    expect(theirs.get_by_role("link", name="Docs").first).to_be_visible()
    expect(theirs.get_by_role("link", name="Shop")).to_have_count(0)
    answer = theirs.goto("/projects/shop/issues")
    assert answer is not None and answer.status == 404
    answer = theirs.goto("/settings/activity")
    assert answer is not None and answer.status == 403
    shot(theirs, "not-all")
    theirs.goto("/settings/people")
    expect(theirs.get_by_role("link", name="Activity")).to_have_count(0)

    other_id = store.accounts.create("Beta Ltd", actor="test")[0].id
    store.projects.create(other_id, "Shop", actor="test")
    invited = store.one_time_links.invite(other_id, ADA, Role.VIEWER, actor="owner@beta.example")
    theirs.goto(f"/link/{invited.token}")
    expect(theirs.get_by_text("the password of your existing account")).to_be_visible()
    shot(theirs, "joins")
    theirs.get_by_label("Password").fill("not the password")
    theirs.get_by_role("button", name="Join").click()
    expect(theirs.get_by_role("alert")).to_contain_text("Wrong password.")
    theirs.get_by_label("Password").fill(live_site.account.password)
    theirs.get_by_role("button", name="Join").click()
    theirs.wait_for_url(re.compile("/projects"))
    theirs.goto("/settings/account")
    expect(theirs.get_by_role("button", name="Switch to Beta Ltd")).to_have_count(0)
    shot(theirs, "organizations")
    theirs.get_by_role("button", name=f"Switch to {live_site.account.organization}").click()
    theirs.wait_for_url(re.compile("/projects"))
    expect(theirs.get_by_role("link", name="Docs").first).to_be_visible()
    theirs.context.close()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_token_is_made_used_and_revoked(live_site: Site, watched: Watched) -> None:
    page = watched.page
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go("/projects/shop/settings")
    sign_in(page, live_site.account.email, live_site.account.password)
    page.get_by_label("Used by").fill("CI of the shop")
    page.get_by_role("button", name="Create access token").click()
    made = page.get_by_label("New access token")
    expect(made).to_have_value(re.compile(r"^errata_token_\w{40}$"))
    expect(page.get_by_role("button", name="Revoke CI of the shop")).to_be_visible()
    shot(page, "token")

    headers = {"Authorization": f"Bearer {made.input_value()}"}
    address = page.url.partition("/projects/")[0]

    def asked(path: str) -> int:
        return httpx2.get(address + path, headers=headers).status_code

    assert asked("/api/projects/shop/performance/budgets") == 200
    assert asked("/api/projects/shop/issues") == 403
    with page.expect_navigation():
        page.get_by_role("button", name="Revoke CI of the shop").click()
    expect(page.get_by_text("No access tokens.")).to_be_visible()
    assert asked("/api/projects/shop/performance/budgets") == 401

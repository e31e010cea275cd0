"""Someone is invited, joins, gets another role and is removed, with two real browsers."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.test_live_pages import event_lines, since_capture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
BOB = "bob@shop.example"
PASSWORD = "correct horse battery"


def sign_in(page: Page, email: str, password: str) -> None:
    page.get_by_label("Email").first.fill(email)
    page.get_by_label("Password").first.fill(password)
    page.keyboard.press("Enter")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_someone_is_invited_joins_gets_another_role_and_is_removed(live_site: Site, watched: Watched) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    page = watched.page
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go("/settings/people")
    shot(page, "sign-in")
    sign_in(page, live_site.account.email, live_site.account.password)
    expect(page.get_by_role("heading", name="Invitations")).to_be_visible()
    page.wait_for_load_state("load")
    with live_site.store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")
    page.get_by_label("Email").fill(BOB)
    page.get_by_label("Role", exact=True).select_option("viewer")
    page.get_by_role("button", name="Create invitation").click()
    page.locator("#confirm-password").fill(live_site.account.password)
    page.get_by_role("button", name="Confirm").click()
    link = page.get_by_label("Invitation link")
    expect(link).to_have_value(re.compile(r"/link/\w{40}$"))
    expect(page.get_by_role("button", name=f"Revoke the invitation of {BOB}")).to_be_visible()
    shot(page, "invited")
    token = link.input_value().rpartition("/")[2]

    assert page.context.browser is not None
    theirs = page.context.browser.new_context(base_url=page.url.removesuffix("/settings/people")).new_page()
    theirs.goto(f"/link/{token}")
    shot(theirs, "link")
    theirs.get_by_label("Password").fill(PASSWORD)
    theirs.get_by_role("button", name="Join").click()
    theirs.wait_for_url(re.compile("/projects"))
    theirs.goto(f"/link/{token}")
    expect(theirs.get_by_role("heading", name="This link no longer works")).to_be_visible()
    shot(theirs, "ended")
    theirs.goto("/projects/shop/issues")
    theirs.locator(".issue-title").first.click()
    theirs.wait_for_url("**/issues/*")
    expect(theirs.get_by_role("button", name="Resolve", exact=True)).to_be_hidden()
    shot(theirs, "viewer")
    theirs.goto("/settings/people")
    expect(theirs.get_by_role("button", name="Remove")).to_have_count(0)
    shot(theirs, "viewer-people")
    theirs.goto("/projects/shop/issues")
    theirs.locator(".issue-title").first.click()
    theirs.wait_for_url("**/issues/*")

    page.reload()
    role = page.get_by_label(f"Role of {BOB}")
    expect(role).to_have_value("viewer")
    role.select_option("member")
    with page.expect_navigation():
        page.locator("tr", has=role).get_by_role("button", name="Save").click()
    expect(page.get_by_label(f"Role of {BOB}")).to_have_value("member")
    theirs.reload()
    resolve = theirs.get_by_role("button", name="Resolve", exact=True)
    expect(resolve).to_be_visible()

    own = page.locator("tr", has=page.get_by_label(f"Role of {live_site.account.email}"))
    own.get_by_role("button", name="Remove").click()
    expect(own.get_by_text("is the only owner")).to_be_visible()
    page.get_by_role("button", name=f"Password link for {BOB}").click()
    expect(page.get_by_label("Password link", exact=True).first).to_have_value(re.compile("/link/"))
    shot(page, "people")
    with page.expect_navigation():
        page.get_by_role("button", name=f"Remove {BOB}").click()
    expect(page.get_by_text(BOB)).to_have_count(0)
    theirs.reload()
    expect(theirs.get_by_role("heading", name="Sign in")).to_be_visible()
    theirs.context.close()

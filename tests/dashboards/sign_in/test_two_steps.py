"""Two-factor authentication is set up, used, required and turned off, in a real browser."""

import re
import time

import pyotp
import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.people import joins

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def code(secret: str, steps: int = 0) -> str:
    return pyotp.TOTP(secret).at(int(time.time()) + 30 * steps)


def accept_code(page: Page, secret: str) -> None:
    """Of the last step but one, so that the present one can be used next."""
    page.get_by_label("Code", exact=True).fill(code(secret, -1))
    page.get_by_role("button", name="Turn on").click()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_two_step_sign_in_is_set_up_used_and_turned_off(live_site: Site, watched: Watched) -> None:
    page, account = watched.page, live_site.account
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go("/settings/account")
    sign_in(page, account.email, account.password)
    expect(page.get_by_role("heading", name="Two-factor authentication")).to_be_visible()
    page.wait_for_load_state("load")
    with live_site.store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")
    page.get_by_role("button", name="Set up").click()
    page.locator("#confirm-password").fill(account.password)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("img", name="QR code with the secret below")).to_be_visible()
    secret = page.get_by_label("Or enter this secret in the app").input_value()
    assert pyotp.TOTP(secret).digits == 6 and len(secret) == 32
    assert violations(page) == []
    shot(page, "two-steps-setting-up")
    page.get_by_label("Code", exact=True).fill("000000")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("This code is wrong or already used.")).to_be_visible()
    accept_code(page, secret)
    codes = page.get_by_label("Recovery codes")
    expect(codes).to_have_value(re.compile(r"^([A-Z0-9]{4}-){3}[A-Z0-9]{4}(\n|$)"))
    recovery = codes.input_value().splitlines()
    assert len(recovery) == 10
    expect(page.get_by_role("button", name="Turn on")).to_be_hidden()
    shot(page, "two-steps-recovery-codes")
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("10 of 10 recovery codes left.")).to_be_visible()
    shot(page, "two-steps-on")
    assert violations(page) == []
    watched.go("/settings/people")
    expect(page.get_by_role("cell", name="On", exact=True)).to_be_visible()
    shot(page, "two-steps-people")

    page.context.clear_cookies()
    watched.go("/settings/account")
    sign_in(page, account.email, account.password)
    page.wait_for_url(re.compile("/sign-in/code"))
    assert violations(page) == []
    shot(page, "two-steps-code")
    page.get_by_label("Code").fill("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong")
    shot(page, "two-steps-wrong-code")
    page.get_by_label("Code").fill(code(secret))
    page.keyboard.press("Enter")
    page.get_by_label("Code or recovery code").fill(recovery[0])
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("button", name="Set up")).to_be_visible()
    page.context.clear_cookies()
    watched.go("/sign-in/code")
    expect(page.get_by_role("heading", name="Sign-in expired")).to_be_visible()
    # The browser says so of every refusal.
    assert [said for said in watched.complaints if "Failed to load resource" not in said] == []


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_who_lacks_a_required_second_step_is_led_to_it(live_site: Site, watched: Watched) -> None:
    page, account = watched.page, live_site.account
    watched.go("/settings/people")
    sign_in(page, account.email, account.password)
    page.get_by_label("Require two-factor authentication for everyone.").check()
    page.locator("form", has=page.get_by_label("Require two-step")).get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile("/sign-in/two-steps"))
    expect(page.get_by_role("heading", name="Set up two-factor authentication")).to_be_visible()
    for path in ("/projects", "/settings/account", "/account/notifications"):
        watched.go(path)
        page.wait_for_url(re.compile("/sign-in/two-steps"))
    shot(page, "two-steps-required")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("img", name="QR code with the secret below")).to_be_visible()
    shot(page, "two-steps-required-setting-up")
    assert violations(page) == []
    accept_code(page, page.get_by_label("Or enter this secret in the app").input_value())
    expect(page.get_by_label("Recovery codes")).to_be_visible()
    page.get_by_role("link", name="Done").click()
    page.wait_for_url("**/account/notifications")
    assert watched.complaints == []


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_who_lacks_a_second_step_can_switch_to_another_organization(
    live_site: Site, watched: Watched
) -> None:
    page, account, store = watched.page, live_site.account, live_site.store
    beta = store.accounts.create("Beta", actor="test")[0]
    joins(store, beta.id, account.email)
    store.two_steps.require(beta.id, True, actor="test")
    watched.go("/projects")
    sign_in(page, account.email, account.password)
    page.wait_for_url(re.compile("/sign-in/two-steps"))
    assert violations(page) == []
    page.get_by_role("button", name=f"Switch to {account.organization}").click()
    page.wait_for_url("**/projects")
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()
    assert watched.complaints == []

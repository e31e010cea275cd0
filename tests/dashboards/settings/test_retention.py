"""An owner keeps fewer days of a project, in a real browser; a member only reads."""

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from errata.state.users import Membership
from errata.warehouse.retention import DataKind
from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
PATH = "/projects/shop/settings/retention"


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_days_are_changed_and_only_by_an_owner(live_site: Site, watched: Watched) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    live_site.deliver(performance_lines(since_capture()))
    page = watched.page
    page.on("dialog", lambda dialog: dialog.accept())
    watched.go(PATH)
    sign_in(page, live_site.account.email, live_site.account.password)
    days = page.get_by_label("Spans of waterfalls")
    expect(days).to_have_value("30")
    errors = page.get_by_role("row", name="Error events")
    expect(errors.get_by_role("cell").nth(1)).to_have_text("3")
    days.fill("3")
    page.get_by_role("button", name="Save").click()
    # The browser itself says the bounds.
    assert days.evaluate("field => field.validity.rangeUnderflow")
    days.fill("14")
    with page.expect_navigation():
        page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"by {live_site.account.email}")).to_be_visible()
    shot(page, "retention")
    assert live_site.store.retention.get(1, "shop").retention.own == {DataKind.TRACES: 14}

    with live_site.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    page.reload()
    expect(page.get_by_text("Only an owner can change the retention.")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)

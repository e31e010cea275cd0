"""The bell and the page of notifications in a real browser, where forms alone do the work."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from errata.state.notifications import Kind, NewNotification
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture

HERE = "/account/notifications"


def notify(site: Site, issue_id: str, count: int) -> None:
    user = site.store.users.find(site.account.email)
    assert user is not None
    (project,) = site.store.projects.of_organization(user.organization_id)
    site.store.notifications.add(
        [
            NewNotification(
                user.email,
                project.id,
                Kind.COMMENTED,
                f"comment/{number}",
                datetime.now(UTC) - timedelta(minutes=number),
                issue_id,
                actor="ada@shop.example",
                title="<i>KeyError</i>",
            )
            for number in range(count)
        ]
    )


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_notification_leads_to_its_issue_and_is_read_by_that(live_site: Site, watched: Watched) -> None:
    client, page = live_site.sign_in(), watched.page
    live_site.deliver(event_lines("python_errors", since_capture())[:5])
    issue_id = client.get("/api/projects/shop/issues").json()["issues"][0]["id"]
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in client.cookies.jar
    ]
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    watched.go(HERE)
    expect(page.locator(".empty")).to_contain_text("No notifications yet")

    notify(live_site, issue_id, 52)
    watched.go("/projects/shop/issues")
    bell, unread = page.locator("a.bell"), page.locator(".notifications .unread")
    expect(bell).to_contain_text("52 unread")
    bell.click()
    expect(unread).to_have_count(50)
    expect(unread.first).to_contain_text("<i>KeyError</i>")
    assert violations(page) == []
    page.get_by_role("link", name="Older").click()
    expect(unread).to_have_count(2)

    watched.go(HERE)
    unread.first.get_by_role("link").click()
    page.wait_for_url(f"**/projects/shop/issues/{issue_id}?tab=activity")
    expect(bell).to_contain_text("51 unread")
    bell.click()
    unread.first.get_by_role("button").click()
    expect(bell).to_contain_text("50 unread")
    page.get_by_role("button", name="Mark all as read").click()
    expect(unread).to_have_count(0)
    expect(bell).not_to_contain_text("unread")
    assert client.get(f"{HERE}/999999").status_code == 404
    assert watched.complaints == []

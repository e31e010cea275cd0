"""Share links, from the menu of an issue to what a stranger sees."""

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from api.context import SHARE_LINK_VISITS, SHARED_SEGMENTS
from errata.errors import RateLimited
from errata.state.share_links import ShareLink
from tests.dashboards.conftest import CLIENT, Site
from tests.dashboards.issue.test_different import an_event, issues, moment_of

FRAME = {
    "function": "pay",
    "filename": "pay.py",
    "lineno": 3,
    "in_app": True,
    "vars": {"card": "4111-secret"},
}


def an_error(number: int) -> bytes:
    error = {"type": "PayError", "value": "ada@shop.example", "stacktrace": {"frames": [FRAME]}}
    return an_event(
        "PayError",
        number,
        exception={"values": [error]},
        user={"id": "u1", "email": "ada@shop.example", "ip_address": "10.9.8.7"},
        request={"url": "https://shop/pay", "method": "POST", "data": {"gift": "DE-secret"}},
        event_id=f"{number:032x}",
    )


@pytest.fixture
def issue_id(live_site: Site) -> str:
    live_site.sign_in()
    live_site.deliver([an_error(number) for number in range(1, 4)])
    return issues(live_site)["PayError"]


def made(site: Site, issue_id: str, **wanted: Any) -> dict[str, Any]:
    key = {"Authorization": f"Bearer {site.account.api_key}"}
    answer = site.client.post(f"/api/issues/{issue_id}/share-links", json=wanted, headers=key)
    assert answer.status_code == 201, answer.text
    link: dict[str, Any] = answer.json()
    return link


def path(link: dict[str, Any]) -> str:
    return str(link["url"]).removeprefix("http://testserver")


def stranger(site: Site) -> TestClient:
    return TestClient(site.client.app, raise_server_exceptions=False, follow_redirects=False)


def revoke(site: Site, link: dict[str, Any]) -> None:
    key = {"Authorization": f"Bearer {site.account.api_key}"}
    address = f"/api/projects/shop/share-links/{link['id']}/revoke"
    assert site.client.post(address, headers=key).json()["state"] == "revoked"


@pytest.mark.slow
def test_a_stranger_sees_what_was_shared_and_nothing_else(live_site: Site, issue_id: str) -> None:
    page = stranger(live_site).get(path(made(live_site, issue_id)))
    assert page.status_code == 200
    assert "PayError" in page.text and "pay.py" in page.text and "[email]" in page.text
    for hidden in ("ada@", "10.9.8.7", "secret", "owner@shop.example", "/projects/"):
        assert hidden not in page.text, hidden
    # Nothing leads elsewhere: its own anchors, styles and scripts are all it refers to.
    assert set(re.findall(r'href="(?!/static/|#)([^"]*)"', page.text)) == set()
    assert "data-live" not in page.text and "csrf" not in page.text
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["X-Robots-Tag"].startswith("noindex")
    assert page.headers["Cache-Control"] == "no-store"


@pytest.mark.slow
def test_the_dialog_says_what_a_stranger_sees_and_begins_with_the_event_shown(
    live_site: Site, issue_id: str
) -> None:
    issue = f"/projects/shop/issues/{issue_id}"
    for address, is_of_event in ((issue, False), (f"{issue}?event={2:032x}", True)):
        page = live_site.client.get(address).text
        choices = re.findall(r'<input type="radio" id="(share-\w+)" name="event_id"[^>]*?( checked)?>', page)
        checked = {"share-event": " checked" if is_of_event else "", "share-issue": ""}
        assert dict(choices) == checked | ({} if is_of_event else {"share-issue": " checked"})
        assert "headers such as Referer and User-Agent" in page and "Not included by default" in page
    link = made(live_site, issue_id)
    said = re.search(r'<p class="shared-note">(.*?)</p>', stranger(live_site).get(path(link)).text)
    assert said
    left_out = "user data, email and IP addresses, request bodies, cookies, local variables, source lines"
    assert (
        f"Read-only. Left out: {left_out}, extra data, and the application's tags, headers and contexts."
        in said[1]
    )
    # To the minute.
    assert re.search(r"until <time[^>]*>\w+ \d+ \w+ \d{4}, \d\d:\d\d UTC</time>", said[1])


@pytest.mark.slow
def test_what_was_chosen_is_shown_and_one_event_is_that_event(live_site: Site, issue_id: str) -> None:
    link = made(live_site, issue_id, event_id=f"{2:032x}", with_user=True, with_values=True)
    page = stranger(live_site).get(path(link)).text
    assert "ada@shop.example" in page and "DE-secret" in page and "4111-secret" in page
    assert "This event" in page and "Events over time" not in page


@pytest.mark.slow
def test_a_range_shows_the_events_of_that_range(live_site: Site, issue_id: str) -> None:
    since, until = moment_of(2), moment_of(3)
    link = made(live_site, issue_id, since=since.isoformat(), until=until.isoformat())
    page = stranger(live_site).get(path(link)).text
    assert re.search(r"<dt>Events</dt><dd>1</dd>", page)
    empty = made(
        live_site,
        issue_id,
        since=(since - timedelta(days=3)).isoformat(),
        until=(since - timedelta(days=2)).isoformat(),
    )
    assert "No stored events in this range" in stranger(live_site).get(path(empty)).text


def test_a_revoked_link_is_gone_and_an_unknown_one_was_never_there(live_site: Site, issue_id: str) -> None:
    link = made(live_site, issue_id)
    revoke(live_site, link)
    gone = stranger(live_site).get(path(link))
    assert gone.status_code == 410 and "PayError" not in gone.text
    assert gone.headers["Referrer-Policy"] == "no-referrer"
    assert stranger(live_site).get("/shared/" + "x" * 40).status_code == 404


@pytest.mark.slow
def test_links_are_listed_with_their_use_and_can_be_revoked_there(live_site: Site, issue_id: str) -> None:
    link = made(live_site, issue_id, expires="never")
    stranger(live_site).get(path(link))
    page = live_site.client.get("/projects/shop/settings/integrations").text
    assert link["prefix"] in page and ">never<" in page
    assert f"/share-links/{link['id']}/revoke" in page
    assert link["url"].rpartition("/")[2] not in page
    (listed,) = live_site.client.get("/api/projects/shop/share-links").json()["share_links"]
    assert (listed["opened_count"], listed["state"]) == (1, "open")
    of_issue = live_site.client.get(f"/api/issues/{issue_id}/share-links").json()["share_links"]
    assert of_issue == [listed]
    assert link["prefix"] in live_site.client.get(f"/projects/shop/issues/{issue_id}").text


@pytest.mark.parametrize(
    ("wanted", "parameter"),
    [
        ({"expires": "2 weeks"}, "expires"),
        ({"expires": "2020-01-01"}, "expires"),
        ({"expires": ""}, "expires"),
        ({"since": "2026-01-02T00:00:00Z"}, "until"),
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "until"),
        ({"event_id": "nonsense"}, "event_id"),
    ],
)
def test_what_cannot_be_shared_so_is_refused_with_the_reason(
    live_site: Site, issue_id: str, wanted: dict[str, str], parameter: str
) -> None:
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    answer = live_site.client.post(f"/api/issues/{issue_id}/share-links", json=wanted, headers=key)
    assert answer.status_code == 400 and answer.json()["message"].startswith(parameter)


def test_an_event_of_another_issue_cannot_be_shared_as_one_of_this(live_site: Site, issue_id: str) -> None:
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    body = {"event_id": "f" * 32}
    answer = live_site.client.post(f"/api/issues/{issue_id}/share-links", json=body, headers=key)
    assert answer.status_code == 404 and answer.json()["error"] == "event_not_found"


@pytest.mark.slow
def test_a_real_event_of_another_issue_is_not_shared_as_one_of_this(live_site: Site, issue_id: str) -> None:
    live_site.deliver([an_event("OtherError", 9, event_id="9" * 32)])
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    other = issues(live_site)["OtherError"]
    for issue, status in ((issue_id, 404), (other, 201)):
        address = f"/api/issues/{issue}/share-links"
        answer = live_site.client.post(address, json={"event_id": "9" * 32}, headers=key)
        assert answer.status_code == status, answer.text


def test_an_address_that_asks_too_often_is_refused(live_site: Site) -> None:
    context = live_site.client.app.state.context  # type: ignore[attr-defined]
    with pytest.raises(RateLimited):
        for _ in range(2 * SHARE_LINK_VISITS.most):
            context.share_link_rate.take(CLIENT)
    answer = live_site.client.get(f"/shared/{'x' * 43}")
    assert answer.status_code == 429 and int(answer.headers["Retry-After"]) >= 1
    context.share_link_rate.take("another address")


def test_segments_asked_for_too_often_are_refused(live_site: Site) -> None:
    context = live_site.client.app.state.context  # type: ignore[attr-defined]
    context.shared_segment_rate.take(CLIENT, SHARED_SEGMENTS.most)
    with pytest.raises(RateLimited):
        for _ in range(SHARED_SEGMENTS.most):
            context.shared_segment_rate.take(CLIENT)
    answer = live_site.client.get(f"/shared/{'x' * 43}/segments/0")
    assert answer.status_code == 429 and int(answer.headers["Retry-After"]) >= 1


@pytest.mark.slow
def test_a_title_has_no_address_and_an_event_split_off_since_is_not_shown(
    live_site: Site, issue_id: str
) -> None:
    link = made(live_site, issue_id, event_id=f"{2:032x}")
    page = stranger(live_site).get(path(link))
    assert page.status_code == 200 and "PayError" in page.text and "ada@" not in page.text
    live_site.deliver([an_event("OtherError", 9, event_id="9" * 32)])
    # As if it had been an event of the issue when the link was made.
    with live_site.store.database.writing() as connection:
        connection.execute(update(ShareLink).values(event_id="9" * 32))
    gone = stranger(live_site).get(path(link))
    assert gone.status_code == 410 and "OtherError" not in gone.text


@pytest.mark.slow
def test_colleagues_are_sent_a_range_by_its_address(live_site: Site, issue_id: str) -> None:
    since, until = moment_of(2), moment_of(3)
    page = f"/projects/shop/issues/{issue_id}?tab=range"
    moments = f"&since={since:%Y-%m-%dT%H:%M:%S}&until={until:%Y-%m-%dT%H:%M:%S}"
    shown = live_site.client.get(page + moments).text
    assert "1 event from 1 user." in shown and f"event={2:032x}" in shown
    assert live_site.client.get(page + "&since=yesterday&until=today").status_code == 400

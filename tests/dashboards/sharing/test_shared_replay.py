"""Share links of replays, from the menu of a replay to what a stranger sees and hears."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from errata.state.share_links import ShareLink
from tests.captured_replays import CapturedReplay, Event, captured_replays
from tests.dashboards.conftest import Site

EMAIL = "ada@shop.example"


def custom(tag: str, payload: Event) -> Event:
    return {"type": 5, "data": {"tag": tag, "payload": payload}}


ADDED = [
    custom("breadcrumb", {"category": "console", "message": "console-secret", "level": "error"}),
    custom(
        "breadcrumb", {"category": "ui.click", "message": f"body > a[title='{EMAIL}']", "data": {"node": 1}}
    ),
    custom("performanceSpan", {"op": "resource.fetch", "description": "https://shop/fetch-secret"}),
    custom("performanceSpan", {"op": "memory", "description": "memory-secret"}),
    custom("options", {"sessionSampleRate": 1}),
    {"type": 6, "data": {"plugin": "rrweb/console@1", "payload": "plugin-secret"}},
    {"type": 3, "data": {"source": 11, "payload": ["log-secret"]}},
]
SECRETS = ("console-secret", "fetch-secret", "memory-secret", "plugin-secret", "log-secret")


@pytest.fixture
def replay(live_site: Site) -> CapturedReplay:
    """The captured one with most errors, whose first segment has more in it, and whose user is known."""
    found = max(captured_replays(datetime.now(UTC)), key=lambda one: len(one.errors))
    events = found.segments[0]
    at = events[-1]["timestamp"]
    events += [{**added, "timestamp": at} for added in ADDED]
    for description in found.descriptions.values():
        description["user"] = {"id": "u1", "email": EMAIL}
    for error in found.errors:
        error["exception"]["values"][-1]["value"] = f"failed for {EMAIL}"
    live_site.sign_in()
    live_site.deliver(found.lines())
    return found


def key(site: Site) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.account.api_key}"}


def links(replay: CapturedReplay) -> str:
    return f"/api/projects/shop/replays/{replay.replay_id}/share-links"


def made(site: Site, replay: CapturedReplay, **wanted: Any) -> dict[str, Any]:
    answer = site.client.post(links(replay), json=wanted, headers=key(site))
    assert answer.status_code == 201, answer.text
    link: dict[str, Any] = answer.json()
    return link


def path(link: dict[str, Any]) -> str:
    return str(link["url"]).removeprefix("http://testserver").partition("?")[0]


def stranger(site: Site) -> TestClient:
    return TestClient(site.client.app, raise_server_exceptions=False, follow_redirects=False)


def segment(site: Site, link: dict[str, Any], number: int = 0) -> list[Event]:
    answer = stranger(site).get(f"{path(link)}/segments/{number}")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    events: list[Event] = json.loads(answer.content)
    return events


@pytest.mark.slow
def test_a_stranger_sees_the_replay_without_its_user_and_without_a_way_elsewhere(
    live_site: Site, replay: CapturedReplay
) -> None:
    page = stranger(live_site).get(path(made(live_site, replay)))
    assert page.status_code == 200 and "frame-src 'self'" in page.headers["Content-Security-Policy"]
    for hidden in (EMAIL, "owner@shop.example", "/projects/", replay.replay_id, ">Network<", ">Console<"):
        assert hidden not in page.text, hidden
    assert set(re.findall(r'href="(?!/static/|#)([^"]*)"', page.text)) == set()
    told = re.search(r'data-errors="([^"]*)"', page.text)
    assert told
    errors = json.loads(html.unescape(told[1]))
    assert len(errors) == len(replay.errors)
    assert {error["issue"] + error["event"] for error in errors} == {""}
    assert all("failed for [email]" in error["title"] + error["text"] for error in errors)
    assert (
        "Left out: requests, console lines, user data, email and IP addresses outside of pages." in page.text
    )
    assert page.headers["Referrer-Policy"] == "no-referrer" and page.headers["Cache-Control"] == "no-store"


@pytest.mark.slow
def test_a_segment_is_as_recorded_less_what_the_link_leaves_out(
    live_site: Site, replay: CapturedReplay
) -> None:
    recorded = replay.segments[0]
    narrow = segment(live_site, made(live_site, replay))
    text = json.dumps(narrow)
    assert [secret for secret in SECRETS if secret in text] == []
    assert EMAIL not in text and "[email]" in text
    pages = [one for one in recorded if one["type"] in range(4) and one["data"].get("source") != 11]
    assert [one for one in narrow if one["type"] in range(4)] == pages
    shown = {
        one["data"]["payload"].get("category") or one["data"]["payload"]["op"]
        for one in narrow
        if one["type"] == 5
    }
    assert "ui.click" in shown and not any(name.startswith(("console", "resource")) for name in shown)

    detailed = json.dumps(segment(live_site, made(live_site, replay, with_values=True)))
    assert [secret for secret in SECRETS if secret not in detailed] == [] and EMAIL not in detailed
    named = json.dumps(segment(live_site, made(live_site, replay, with_user=True)))
    assert [secret for secret in SECRETS if secret in named] == [] and EMAIL in named
    assert segment(live_site, made(live_site, replay, with_user=True, with_values=True)) == recorded


def test_segments_stop_with_the_link_and_only_its_own_are_shown(
    live_site: Site, replay: CapturedReplay
) -> None:
    other = next(one for one in captured_replays(datetime.now(UTC)) if one.replay_id != replay.replay_id)
    live_site.deliver(other.lines())
    link = made(live_site, replay)
    last = max(replay.segments)
    assert segment(live_site, link, last) is not None
    client = stranger(live_site)
    assert client.get(f"{path(link)}/segments/{last + 1}").status_code == 404
    assert client.get(f"{path(link)}/segments/-1").status_code in (404, 422, 400)
    assert client.get(f"/shared/{'x' * 40}/segments/0").status_code == 404
    # The link is no session: what else there is asks for one.
    for place in (f"/api/projects/shop/replays/{replay.replay_id}/segments/0", links(replay)):
        assert client.get(place).status_code == 401

    revoked = live_site.client.post(
        f"/api/projects/shop/share-links/{link['id']}/revoke", headers=key(live_site)
    )
    assert revoked.json()["state"] == "revoked" and revoked.json()["replay_id"] == replay.replay_id
    for place in (path(link), f"{path(link)}/segments/0"):
        gone = client.get(place)
        assert gone.status_code == 410 and "Link no longer available" in gone.text


def test_segments_stop_when_the_link_expires(live_site: Site, replay: CapturedReplay) -> None:
    link = made(live_site, replay, expires="1d")
    assert segment(live_site, link)
    with live_site.store.database.writing() as connection:
        connection.execute(update(ShareLink).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    for place in (path(link), f"{path(link)}/segments/0"):
        gone = stranger(live_site).get(place)
        assert gone.status_code == 410 and "Link no longer available" in gone.text, place


@pytest.mark.slow
def test_links_that_the_administrator_turns_off_show_nothing(live_site: Site, replay: CapturedReplay) -> None:
    listed = live_site.client.get("/api/projects/shop/issues", headers=key(live_site)).json()["issues"]
    of_issue = f"/api/issues/{listed[0]['id']}/share-links"
    link = made(live_site, replay)
    other = live_site.client.post(of_issue, json={}, headers=key(live_site)).json()
    places = (path(link), f"{path(link)}/segments/0", path(other))
    settings = live_site.client.app.state.context.settings  # type: ignore[attr-defined]
    for is_on, status, created in ((False, 404, 403), (True, 200, 201)):
        object.__setattr__(settings, "share_links", is_on)
        assert {place: stranger(live_site).get(place).status_code for place in places} == dict.fromkeys(
            places, status
        )
        for address in (links(replay), of_issue):
            assert live_site.client.post(address, json={}, headers=key(live_site)).status_code == created


@pytest.mark.slow
def test_segments_are_no_visits_and_the_link_is_listed_where_others_are(
    live_site: Site, replay: CapturedReplay
) -> None:
    link = made(live_site, replay, at_ms=1500, expires="1d")
    assert link["url"].endswith("?at=1500")
    stranger(live_site).get(path(link))
    segment(live_site, link)
    listed = live_site.client.get(links(replay), headers=key(live_site)).json()["share_links"]
    assert [(one["id"], one["opened_count"], one["issue_id"]) for one in listed] == [(link["id"], 1, "")]
    assert live_site.client.get("/api/projects/shop/share-links").json()["share_links"] == listed
    settings = live_site.client.get("/projects/shop/settings/integrations").text
    assert f"/projects/shop/replays/{replay.replay_id}" in settings and link["prefix"] in settings
    assert link["prefix"] in live_site.client.get(f"/projects/shop/replays/{replay.replay_id}").text
    activity = live_site.client.get("/api/activity", headers=key(live_site)).text
    assert f"replay {replay.replay_id}" in activity
    # The links of an issue are found beside those of replays.
    issue = live_site.client.get("/api/projects/shop/issues", headers=key(live_site)).json()["issues"][0][
        "id"
    ]
    of_issue = live_site.client.get(f"/api/issues/{issue}/share-links", headers=key(live_site))
    assert of_issue.json()["share_links"] == []


@pytest.mark.slow
def test_a_link_of_an_issue_opens_no_segment(live_site: Site, replay: CapturedReplay) -> None:
    issue = live_site.client.get("/api/projects/shop/issues", headers=key(live_site)).json()["issues"][0][
        "id"
    ]
    link = live_site.client.post(f"/api/issues/{issue}/share-links", json={}, headers=key(live_site)).json()
    assert stranger(live_site).get(f"{path(link)}/segments/0").status_code == 404


def test_a_replay_that_is_not_stored_cannot_be_shared(live_site: Site) -> None:
    answer = live_site.client.post(
        f"/api/projects/shop/replays/{'e' * 32}/share-links", json={}, headers=key(live_site)
    )
    assert (answer.status_code, answer.json()["error"]) == (404, "replay_not_found")


def test_the_dialog_warns_of_text_that_is_not_masked(live_site: Site) -> None:
    live_site.sign_in()
    replays = captured_replays(datetime.now(UTC))
    (unmasked,) = [one for one in replays if not one.is_masked]
    masked = next(one for one in replays if one.is_masked)
    warning = "Text isn't masked: the recipient can read what the visitor saw"
    for one, is_warned in ((unmasked, True), (masked, False)):
        live_site.deliver(one.lines())
        page = live_site.client.get(f"/projects/shop/replays/{one.replay_id}").text
        assert (warning in page) is is_warned and "nothing else in them is redacted" in page
    page = stranger(live_site).get(path(made(live_site, unmasked))).text
    assert "Text isn't masked" in page

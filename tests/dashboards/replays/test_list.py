"""The list of replays: whom it finds, what its filters say, and the pictures that it shows."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from tests.captured_replays import captured_replays
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site


@pytest.mark.slow
def test_replays_are_found_by_any_name_of_their_user(live_site: Site) -> None:
    ours, theirs, nobodys = captured_replays(datetime.now(UTC))[:3]
    users: tuple[dict[str, str | int], ...] = (
        # Other SDKs send numbers.
        {"id": 4711, "email": "Ada@shop.example", "username": "Ada Lovelace", "ip_address": "10.9.8.7"},
        {"id": "u2", "email": "eve@shop.example"},
        {},
    )
    for replay, user in zip((ours, theirs, nobodys), users, strict=True):
        for description in replay.descriptions.values():
            description["user"] = user
        live_site.deliver(replay.lines())
    client = live_site.sign_in()
    for words, found in (
        ("4711", {ours.replay_id}),
        ("ada@shop", {ours.replay_id}),
        ("lovelace ADA", {ours.replay_id}),
        ("10.9.8", {ours.replay_id}),
        ("shop.example", {ours.replay_id, theirs.replay_id}),
        ("ada eve", set()),
        ("", {ours.replay_id, theirs.replay_id, nobodys.replay_id}),
    ):
        listed = client.get("/api/projects/shop/replays", params={"user_query": words}).json()["replays"]
        assert {one["id"] for one in listed} == found, words
        page = client.get("/projects/shop/replays", params={"user_query": words}).text
        shown = {one for one in (ours.replay_id, theirs.replay_id, nobodys.replay_id) if one in page}
        assert shown == found and f'name="user_query" value="{words}"' in page, words
    (hers,) = client.get("/api/projects/shop/replays", params={"user_query": "4711"}).json()["replays"]
    assert (hers["user_id"], hers["user_email"], hers["user_name"]) == (
        "4711",
        "Ada@shop.example",
        "Ada Lovelace",
    )
    exported = client.get("/api/projects/shop/replays", params={"user_query": "4711", "format": "csv"}).text
    assert len(exported.splitlines()) == 2


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.slow
def test_replays_in_sight_have_a_picture_and_others_load_nothing(live_site: Site, watched: Watched) -> None:
    replays = captured_replays(datetime.now(UTC))
    for replay in replays:
        live_site.deliver(replay.lines())
    page, asked = watched.page, list[str]()
    page.on("request", lambda request: asked.append(request.url) if "/segments/" in request.url else None)
    watched.go("/projects/shop/replays")
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.set_viewport_size({"width": 1280, "height": 400})
    page.keyboard.press("Enter")
    pictures = page.locator("[data-thumb]")
    expect(pictures).to_have_count(len(replays))
    expect(pictures.first).to_have_attribute("data-state", "ready")
    assert 0 < len(asked) < len(replays) and pictures.last.locator("iframe").count() == 0
    shown = pictures.first.locator("iframe").element_handle().content_frame()
    assert shown is not None and shown.evaluate("() => document.body.innerText.trim()")
    assert violations(page) == []
    pictures.last.scroll_into_view_if_needed()
    expect(pictures.last).to_have_attribute("data-state", "ready")
    expect(pictures.first.locator("iframe")).to_have_count(0)
    # It is part of the link.
    pictures.last.click(force=True)
    page.wait_for_url(re.compile("/replays/[0-9a-f]{32}$"))
    assert watched.complaints == []

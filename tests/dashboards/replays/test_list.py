"""The list of replays: whom it finds, and what its filters say."""

from datetime import UTC, datetime

import pytest

from tests.captured_replays import captured_replays
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

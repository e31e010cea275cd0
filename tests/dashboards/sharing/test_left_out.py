"""What a link leaves out of events and recordings, without a service."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest

from dashboards.replay.view import ReplayView
from dashboards.sharing import replay as replay_page
from dashboards.sharing.recording import shared_recording
from dashboards.sharing.redaction import redacted
from errata.deflated import deflated
from errata.state.share_links import Shared
from errata.warehouse.queries.replays.errors import ReplayError
from errata.warehouse.queries.replays.replay import Replay
from tests.cases import each

EMAIL = "ada@shop.example"
CLICK = {"category": "ui.click", "message": f"a[title='{EMAIL}']"}
RECORDED: list[dict[str, Any]] = [
    {"type": 4, "timestamp": 1, "data": {"href": f"https://shop.example/?of={EMAIL}"}},
    {"type": 3, "timestamp": 2, "data": {"source": 2, "x": 1}},
    {"type": 3, "timestamp": 3, "data": {"source": 11, "payload": ["log-secret"]}},
    {"type": 3, "timestamp": 4, "data": {"source": "11", "payload": ["text-secret"]}},
    {"type": 3, "timestamp": 5, "data": {"source": None, "payload": ["null-secret"]}},
    {"type": 5, "timestamp": 6, "data": {"tag": "breadcrumb", "payload": CLICK}},
    {"type": 5, "timestamp": 7, "data": {"tag": "breadcrumb", "payload": {"category": "console-secret"}}},
    {"type": 6, "timestamp": 8, "data": {"plugin": "plugin-secret"}},
]
SECRETS = ("log-secret", "text-secret", "null-secret", "console-secret", "plugin-secret")


@each("with_user", [False, True])
@each("with_values", [False, True])
def test_a_recording_shows_what_its_link_includes(with_user: bool, with_values: bool) -> None:
    recording = deflated(iter([json.dumps(RECORDED).encode()]))
    shown = shared_recording(recording, Shared(with_user=with_user, with_values=with_values))
    text = b"".join(shown.chunks()).decode()
    assert (EMAIL in text) is with_user
    assert all((secret in text) is with_values for secret in SECRETS), text
    assert {1, 2, 6} <= {event["timestamp"] for event in json.loads(text)}


@each("name", ["user", "user.id", "user_id", "USER_NAME", "email", "ip_address", "username"])
def test_no_tag_of_a_user_is_left(name: str) -> None:
    for tags in ({name: "u-17", "plan": "gold"}, [[name, "u-17"], ["plan", "gold"]]):
        text = json.dumps(redacted({"tags": tags}, with_user=False, with_values=True))
        assert "u-17" not in text and "gold" in text


@each("depth", [1, 59, 61, 200])
def test_no_address_is_left_in_a_name_or_at_any_depth(depth: int) -> None:
    value: Any = {EMAIL: EMAIL}
    for _ in range(depth):
        value = {"in": [value]}
    text = json.dumps(redacted({"extra": value}, with_user=False, with_values=True))
    assert "ada@" not in text


@each("part", ["exception", "threads", "stacktrace"])
def test_no_variable_is_left(part: str) -> None:
    frames = {"frames": [{"function": "pay", "vars": {"card": "secret"}}]}
    stack = frames if part == "stacktrace" else {"values": [{"stacktrace": frames}]}
    text = json.dumps(redacted({part: stack}, with_user=True, with_values=False))
    assert "secret" not in text and "pay" in text


@each("inner", [{"deep": "own"}, ["own"], {"own": 1}])
def test_only_plain_parameters_of_a_query_are_shown(inner: Any) -> None:
    for query in ({"page": "2", "filter": inner}, [["page", "2"], ["filter", inner]]):
        shown = redacted({"request": {"query_string": query}}, with_user=False, with_values=False)
        assert shown == {"request": {"query_string": [["page", "2"]]}}


@pytest.mark.parametrize("with_user", [False, True])
def test_a_page_of_a_replay_names_addresses_with_its_user_alone(
    monkeypatch: pytest.MonkeyPatch, with_user: bool
) -> None:
    now, replay_id = datetime.now(UTC), uuid4()
    texts = {name: EMAIL for name, kind in Replay.__annotations__.items() if kind is str}
    fields: dict[str, Any] = (
        dict.fromkeys(Replay.__annotations__, 0)
        | texts
        | {"replay_id": replay_id, "began_at": now, "ended_at": now, "error_ids": []}
        | {"urls": [f"https://shop.example/?of={EMAIL}"] * 2}
    )
    replay = Replay(**fields)
    error = ReplayError(uuid4(), 1, now, 0, "Refused", f"no cart of {EMAIL}", "error")
    view = ReplayView(replay, [error], 0, False)
    monkeypatch.setattr(replay_page, "replay_view", lambda *_: view)
    render = Mock(return_value="")
    monkeypatch.setattr(replay_page, "render", render)
    link = SimpleNamespace(project_id=1, shared=Shared(replay_id=replay_id.hex, with_user=with_user))
    replay_page.shared_replay(Mock(), Mock(), link, "token", "")  # type: ignore[arg-type]
    shown = render.call_args.kwargs
    of_replay = [shown["replay"].urls, *(getattr(shown["replay"], name) for name in replay_page.NAMED)]
    for part in (of_replay, shown["address"], shown["errors"]):
        assert (EMAIL in str(part)) is with_user

"""Messages as other services take them, held against stand-ins that check what their documentation says."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from errata.alerts.channel import KINDS, checked, recipient, send
from errata.alerts.channels import pagerduty
from errata.alerts.content import trial_content
from errata.alerts.errors import NotDelivered, Undeliverable
from errata.errors import InvalidParameter
from errata.outgoing import Outgoing, Policy
from errata.outgoing.policy import parsed_networks
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.messages import Message
from tests.cases import each
from tests.errata.outgoing.servers import Asked, HttpServer, Reply, serving

CHATS = ("discord", "google_chat", "slack", "teams")
KEY = "0123456789abcdef0123456789abcdef"
HOSTILE = ["<users/all>", "@everyone", "[x](https://evil.example)", "<b>&amp;", "`" * 3, "*_~|\\", "語" * 400]
TEXTS = st.sampled_from(HOSTILE) | st.text(max_size=600).filter(str.strip)
ADDRESS = "https://errata.example/projects/web-shop/issues/00000000000000a1"

evidence = st.fixed_dictionaries(
    {
        "level": st.sampled_from(["fatal", "error", "warning", "info", ""]),
        "environment": TEXTS,
        "release": TEXTS,
        "event_count": st.integers(0, 10**9),
        "user_count": st.integers(0, 10**9),
        "frames": st.lists(
            st.fixed_dictionaries({"function": TEXTS, "place": TEXTS, "source": TEXTS | st.just("")}),
            max_size=3,
        ),
        "steps": st.lists(st.integers(0, 9), min_size=24, max_size=24),
        "steps_begin_at": st.just("2026-11-20T11:00:00Z"),
        "step_minutes": st.just(60),
    }
)
issues = st.builds(
    lambda issue, found: {**issue, **({"evidence": found} if found else {})},
    st.fixed_dictionaries(
        {
            "id": st.just("00000000000000a1"),
            "title": TEXTS,
            "culprit": TEXTS | st.just(""),
            "reason": TEXTS,
            "rule": TEXTS,
            "outcome": st.just(""),
            "url": st.just(ADDRESS),
            "resolve_url": st.sampled_from(["", f"{ADDRESS}/decide?action=resolve"]),
            "ignore_url": st.just(f"{ADDRESS}/decide?action=ignore"),
        }
    ),
    st.none() | evidence,
)
contents = st.builds(
    lambda text, listed, more: {
        **trial_content("Ops", "https://errata.example", "ada@example.org"),
        "text": text,
        "project": {
            "slug": "web-shop",
            "name": "Web shop",
            "url": "https://errata.example/projects/web-shop",
        },
        "issues": listed,
        "more": more,
        "rules": [{"name": issue["rule"], "kind": "new"} for issue in listed],
    },
    TEXTS,
    st.lists(issues, max_size=10),
    st.sampled_from([0, 390]),
)


def discord(asked: dict[str, Any]) -> Reply:
    """https://docs.discord.com/developers/resources/message#embed-object-embed-limits"""
    embeds = asked["embeds"]
    assert 0 < len(asked["content"]) <= 2000 and len(embeds) <= 10
    assert asked["allowed_mentions"] == {"parse": []}
    for embed in embeds:
        assert 0 < len(embed["title"]) <= 256 and 0 < len(embed["description"]) <= 4096
        assert len(embed["footer"]["text"]) <= 2048 and 0 <= embed["color"] <= 0xFFFFFF
        assert embed["description"].count("```") in (0, 2)
        text = re.sub(r"```.*?```", "", embed["description"], flags=re.DOTALL)
        assert set(re.findall(r"(?<!\\)\[(\w+)\]\(", text)) in ({"Open"}, {"Open", "Resolve", "Ignore"})
    together = sum(len(e["title"]) + len(e["description"]) + len(e["footer"]["text"]) for e in embeds)
    assert together <= 6000
    return Reply(204, {}, b"")


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)


def google_chat(asked: dict[str, Any]) -> Reply:
    """https://developers.google.com/workspace/chat/api/reference/rest/v1/cards"""
    assert len(json.dumps(asked)) <= 32_000
    assert not re.search(r"<users/|<https?:", asked["text"])
    cards = asked.get("cardsV2", [])
    assert len({card["cardId"] for card in cards}) == len(cards) <= 100
    for card in cards:
        [section] = card["card"]["sections"]
        *paragraphs, buttons = section["widgets"]
        assert {*_Tags("".join(one["textParagraph"]["text"] for one in paragraphs)).names} <= {"br"}
        assert buttons["buttonList"]["buttons"][0]["onClick"]["openLink"]["url"] == ADDRESS
    return Reply(200, {}, b'{"name": "spaces/A/messages/B"}')


def slack(asked: dict[str, Any]) -> Reply:
    """https://docs.slack.dev/messaging/formatting-message-text: `<!channel>` and `<@U1>` call people."""
    for text in (asked["text"], *(one[name] for one in asked["attachments"] for name in ("title", "footer"))):
        assert not re.search(r"<[!@#]|@(?!\u200b)", text)
    return Reply(200, {}, b"ok")


def teams(asked: dict[str, Any]) -> Reply:
    """https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook"""
    assert len(json.dumps(asked)) <= 28_000 and asked["type"] == "message"
    [attachment] = asked["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4") and "msteams" not in card
    for element in card["body"]:
        if element["type"] == "TextBlock":
            assert element["text"] and not re.search(r"(?<!\\)(?:\\\\)*[\[*_`]", element["text"])
        else:
            assert element["type"] == "ActionSet" and element["actions"][0]["url"] == ADDRESS
    return Reply(202, {}, b"")


def events_api(asked: dict[str, Any]) -> Reply:
    """https://developer.pagerduty.com/docs/events-api-v2/trigger-events/"""
    if asked["routing_key"] != KEY:
        return Reply(400, {}, b'{"status":"invalid event","errors":["Invalid routing key"]}')
    assert asked["event_action"] in ("trigger", "resolve") and 0 < len(asked["dedup_key"]) <= 255
    payload = asked["payload"]
    assert 0 < len(payload["summary"]) <= 1024 and payload["source"]
    assert payload["severity"] in ("critical", "error", "warning", "info")
    assert len(json.dumps(asked)) <= 512_000
    assert all({*link} == {"href", "text"} for link in asked["links"])
    return Reply(202, {}, b'{"status":"success","message":"Event processed"}')


STAND_INS: dict[str, Callable[[dict[str, Any]], Reply]] = {
    "discord": discord,
    "google_chat": google_chat,
    "slack": slack,
    "teams": teams,
    "pagerduty": events_api,
}


def checked_by_stand_in(asked: Asked) -> Reply:
    """Refused with the reason where the documentation is not kept."""
    assert asked.headers["content-type"] == "application/json"
    try:
        return STAND_INS[asked.path.strip("/")](json.loads(asked.body))
    except (AssertionError, LookupError, ValueError) as error:
        return Reply(400, {}, repr(error).encode())


@pytest.fixture(scope="module")
def server() -> Iterator[HttpServer]:
    with serving(checked_by_stand_in) as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def _addresses(server: HttpServer) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pagerduty, "ADDRESSES", {"us": f"{server.url}/pagerduty", "eu": "https://eu.example"})
        yield


OUTGOING = Outgoing(Policy(parsed_networks("127.0.0.0/8, ::1"), allows_http=True))


def channel(kind: str) -> Channel:
    settings = {"region": "us"} if kind == "pagerduty" else {}
    return Channel(
        id="c" * 32,
        organization_id=1,
        kind=kind,
        name="Ops",
        settings=settings,
        secret_id="s" * 32,
        secret_ending="abcd",
        hourly_limit=10,
        created_at=datetime.now(UTC),
    )


def message(content: dict[str, Any]) -> Message:
    now = datetime.now(UTC)
    return Message(
        id="m" * 32,
        organization_id=1,
        project_id=1,
        channel_id="c" * 32,
        channel_name="Ops",
        kind="fired",
        subject="",
        content=content,
        recipient="",
        created_at=now,
        next_attempt_at=now,
    )


def secret_of(kind: str, server: HttpServer) -> SecretStr:
    return SecretStr(KEY if kind == "pagerduty" else f"{server.url}/{kind}")


@each("kind", [*CHATS, "pagerduty"])
def test_a_test_message_is_taken(kind: str, server: HttpServer) -> None:
    content = trial_content("Ops", "https://errata.example", "ada@example.org")
    said = send(channel(kind), secret_of(kind, server), message(content), OUTGOING, None)
    assert said.startswith("20")


@each("kind", [*CHATS, "pagerduty"])
def test_whatever_an_application_said_is_taken_and_calls_nobody(kind: str, server: HttpServer) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(contents)
    def holds(content: dict[str, Any]) -> None:
        send(channel(kind), secret_of(kind, server), message(content), OUTGOING, None)

    holds()


def test_an_issue_is_one_incident_until_its_budget_is_kept() -> None:
    issue = {
        "id": "a1",
        "title": "ValueError",
        "culprit": "",
        "reason": "New issue",
        "rule": "R",
        "outcome": "",
        "url": ADDRESS,
    }
    content = {**trial_content("Ops", "https://errata.example", "ada"), "more": 0}
    (first,), (again,) = (pagerduty.events({**content, "issues": [issue]}) for _ in range(2))
    assert first["dedup_key"] == again["dedup_key"] and first["event_action"] == "trigger"
    breached, kept = (
        pagerduty.events({**content, "issues": [{**issue, "id": "", "outcome": outcome}]})[0]
        for outcome in ("breached", "kept")
    )
    assert breached["dedup_key"] == kept["dedup_key"] != first["dedup_key"]
    assert (breached["event_action"], kept["event_action"]) == ("trigger", "resolve")


def test_a_key_that_pagerduty_does_not_know_is_not_tried_again() -> None:
    content = trial_content("Ops", "https://errata.example", "ada")
    with pytest.raises(Undeliverable, match=r"400 .*Invalid routing key"):
        send(channel("pagerduty"), SecretStr("f" * 32), message(content), OUTGOING, None)


def test_an_address_that_cannot_be_reached_is_tried_again(server: HttpServer) -> None:
    content = trial_content("Ops", "https://errata.example", "ada")
    with pytest.raises(NotDelivered) as failed:
        send(channel("discord"), SecretStr("http://127.0.0.1:9/x"), message(content), OUTGOING, None)
    assert not isinstance(failed.value, Undeliverable)


@each("kind", [*CHATS, "pagerduty"])
def test_a_channel_needs_its_secret_and_keeps_it_on_a_change(kind: str, server: HttpServer) -> None:
    outgoing = Outgoing(Policy())
    with pytest.raises(InvalidParameter, match="secret"):
        checked(NewChannel(kind, "Ops"), outgoing, None)
    with pytest.raises(InvalidParameter, match="unknown"):
        checked(NewChannel(kind, "Ops", {"unknown": "x"}, KEY), outgoing, None)
    before = channel(kind)
    assert checked(NewChannel(kind, "Ops 2"), outgoing, None, before).secret == ""
    assert recipient(kind, before.settings, "abcd").startswith("…abcd")


def test_every_kind_stands_in_the_documentation_with_what_it_needs() -> None:
    text = (Path(__file__).parents[3] / "docs" / "alert-channels.md").read_text()
    for name, kind in KINDS.items():
        assert f"| `{name}` | {kind.settings} | {kind.secret} |" in text, name
    with pytest.raises(InvalidParameter, match=re.escape(", ".join(KINDS))):
        checked(NewChannel("pager", "Ops"), Outgoing(Policy()), None)

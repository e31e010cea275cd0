"""Chats that take messages at a secret address, and what all of them show of an issue."""

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import SecretStr

from errata.alerts.bar_chart import text_bars
from errata.alerts.channel_kind import SECRET, ChannelKind, Surroundings
from errata.alerts.field import Field
from errata.alerts.posting import post_json
from errata.alerts.rule import KINDS
from errata.alerts.rule_kind import USUAL_COLOR
from errata.alerts.wording import counts_words, facts_words, steps_words
from errata.errors import InvalidParameter
from errata.shortened import shortened
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message

Card = TypeVar("Card")

LONGEST_TEXT = 300


class IncomingWebhook(ChannelKind):
    """The address is the secret: whoever knows it may post there."""

    fields: ClassVar[Sequence[Field]] = (
        Field(SECRET, "Incoming webhook URL", "https://…", is_required=True),
    )
    chat: ClassVar[str]

    def checked(
        self, settings: Mapping[str, Any], secret: str, before: Channel | None, by: Surroundings
    ) -> tuple[dict[str, Any], str]:
        self.require_known(settings)
        if not secret and before is None:
            raise InvalidParameter("secret", f"the webhook URL from {self.chat}")
        if secret:
            by.outgoing.check(secret)
        return {}, secret

    def recipient(self, settings: Mapping[str, Any], secret_ending: str) -> str:
        return secret_ending and f"…{secret_ending}"

    def send(self, channel: Channel, secret: SecretStr, message: Message, by: Surroundings) -> str:
        return post_json(by.outgoing, secret.get_secret_value(), self.payload(message.content))

    @abstractmethod
    def payload(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The message as the chat takes it."""


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text, at most so long."""
    return shortened(text, longest)


def fitting(cards: Iterable[Card], most_bytes: int) -> Iterator[Card]:
    """The first cards, whose JSON is together at most so long."""
    size = 0
    for card in cards:
        size += len(json.dumps(card))
        if size > most_bytes:
            return
        yield card


def color_of(content: Mapping[str, Any], issue: Mapping[str, Any]) -> str:
    """By the kind of the issue's rule, as `#rrggbb`."""
    kinds = {rule["name"]: rule["kind"] for rule in content["rules"]}
    kind = KINDS.get(kinds.get(issue["rule"], ""))
    return kind.color if kind else USUAL_COLOR


def summary(content: Mapping[str, Any]) -> list[str]:
    """The message in lines: what happened, how many more issues there are, what was held back."""
    more = content["more"] and f"and {content['more']:,} more: {content['project']['url']}"
    return [line for line in (content["text"], more, content["held_back"]) if line]


def facts(issue: Mapping[str, Any]) -> list[str]:
    """What is known of an issue, in lines without markup."""
    lines = [words for words in (issue["culprit"], issue["reason"]) if words]
    if found := issue.get("evidence"):
        bars = f"{text_bars(found['steps'])} {steps_words(found)}"
        lines += [words for words in (facts_words(found), counts_words(found), bars) if words]
    return lines


def frames(issue: Mapping[str, Any]) -> list[str]:
    """Up to three frames, each with its line of source below it where there is one."""
    found = issue.get("evidence") or {"frames": ()}
    return [
        "\n  > ".join(filter(None, (f"{frame['function']} ({frame['place']})", frame["source"])))
        for frame in found["frames"]
    ]


def links(issue: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Words and addresses; those that decide something lead to a page that asks."""
    if not issue.get("resolve_url"):
        return [("Open", issue["url"])]
    return [("Open", issue["url"]), ("Resolve", issue["resolve_url"]), ("Ignore", issue["ignore_url"])]

"""Incoming webhooks of Google Chat: https://developers.google.com/workspace/chat/quickstart/webhooks."""

from collections.abc import Mapping
from html import escape
from typing import Any

from errata.alerts.incoming_webhook import IncomingWebhook, cut, facts, fitting, frames, links, summary

# Of 32,000 bytes that a message with its cards may have.
CARDS_BYTES = 24_000


class GoogleChat(IncomingWebhook):
    kind = "google_chat"
    label = "Google Chat"
    chat = "Google Chat"
    example = "Errors"
    secret = "the incoming webhook URL of a Google Chat space"

    def payload(self, content: Mapping[str, Any]) -> dict[str, Any]:
        numbered = enumerate(map(_card, content["issues"]))
        made = ({"cardId": f"issue-{number}", "card": card} for number, card in numbered)
        cards = [*fitting(made, CARDS_BYTES)]
        text = "\n".join(_plain(line) for line in summary(content))
        return {"text": text, "cardsV2": cards} if cards else {"text": text}


def _card(issue: Mapping[str, Any]) -> dict[str, Any]:
    """Cards read a part of HTML."""
    text = "<br>".join(escape(cut(line)) for line in facts(issue))
    paragraphs = [text, *(escape(cut(frame)).replace("\n", "<br>") for frame in frames(issue))]
    buttons = [{"text": word, "onClick": {"openLink": {"url": url}}} for word, url in links(issue)]
    widgets: list[dict[str, Any]] = [{"textParagraph": {"text": one}} for one in paragraphs if one]
    return {
        "header": {"title": cut(issue["title"]), "subtitle": cut(issue["rule"])},
        "sections": [{"widgets": [*widgets, {"buttonList": {"buttons": buttons}}]}],
    }


def _plain(text: str) -> str:
    """`<users/all>` in a text calls everybody of the space."""
    return cut(text).replace("<", "<\u200b")


KIND = GoogleChat()

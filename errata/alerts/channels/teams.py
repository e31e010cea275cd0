"""Microsoft Teams: a workflow "When a Teams webhook request is received", which takes Adaptive Cards.

https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook describes the request,
https://adaptivecards.io/explorer/ the elements of a card.
"""

import re
from collections.abc import Mapping
from typing import Any

from errata.alerts.incoming_webhook import IncomingWebhook, cut, facts, fitting, frames, links, summary

CARD = "application/vnd.microsoft.card.adaptive"
# Of 28 KB that a message may have, with room for what JSON escapes.
CARD_BYTES = 20_000
MARKUP = re.compile(r"([\\*_\[\]()#`~>|-])")


class Teams(IncomingWebhook):
    kind = "teams"
    label = "Microsoft Teams"
    chat = "a workflow of Microsoft Teams"
    example = "Errors"
    secret = "the URL of a workflow that starts when a Teams webhook request is received"

    def payload(self, content: Mapping[str, Any]) -> dict[str, Any]:
        body = [_text(line) for line in summary(content)]
        for shown in fitting(map(_issue, content["issues"]), CARD_BYTES):
            body += shown
        return {
            "type": "message",
            "attachments": [
                {
                    "contentType": CARD,
                    "contentUrl": None,
                    "content": {
                        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                        "type": "AdaptiveCard",
                        "version": "1.4",
                        "body": body,
                        "actions": [_link("Alerts", content["url"])],
                    },
                }
            ],
        }


def _issue(issue: Mapping[str, Any]) -> list[dict[str, Any]]:
    shown = [
        {**_text(issue["title"]), "weight": "Bolder", "separator": True},
        *({**_text(line), "spacing": "None"} for line in facts(issue)),
        *({**_text(frame), "fontType": "Monospace", "spacing": "Small"} for frame in frames(issue)),
    ]
    return [*shown, {"type": "ActionSet", "actions": [_link(word, url) for word, url in links(issue)]}]


def _link(word: str, url: str) -> dict[str, Any]:
    return {"type": "Action.OpenUrl", "title": word, "url": url}


def _text(text: str) -> dict[str, Any]:
    """Text blocks read a part of Markdown; only an entity of the card can mention anybody."""
    return {"type": "TextBlock", "text": MARKUP.sub(r"\\\1", cut(text)), "wrap": True}


KIND = Teams()

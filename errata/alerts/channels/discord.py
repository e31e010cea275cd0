"""Webhooks of Discord: https://docs.discord.com/developers/resources/webhook#execute-webhook."""

import re
from collections.abc import Mapping
from typing import Any

from errata.alerts.incoming_webhook import IncomingWebhook, color_of, cut, facts, frames, links, summary

# https://docs.discord.com/developers/resources/message#embed-object-embed-limits
CONTENT_MAX, TITLE_MAX, DESCRIPTION_MAX, EMBEDS_MAX = 2_000, 256, 4_096, 10
# Characters of all embeds of a message.
TOGETHER_MAX = 6_000
RULE_MAX = 80
MARKUP = re.compile(r"([\\*_~|`>#\[\]()<:-])")


class Discord(IncomingWebhook):
    kind = "discord"
    label = "Discord"
    chat = "Discord"
    example = "#errors"
    secret = "a Discord webhook URL"

    def payload(self, content: Mapping[str, Any]) -> dict[str, Any]:
        issues = content["issues"][:EMBEDS_MAX]
        return {
            "content": cut("\n".join(_plain(line) for line in summary(content)), CONTENT_MAX),
            "embeds": [_embed(content, issue, TOGETHER_MAX // len(issues)) for issue in issues],
            # Whatever an error says, it calls nobody.
            "allowed_mentions": {"parse": []},
        }


def _embed(content: Mapping[str, Any], issue: Mapping[str, Any], most: int) -> dict[str, Any]:
    """At most `most` characters."""
    title, footer = cut(issue["title"], min(TITLE_MAX, most // 3)), cut(issue["rule"], RULE_MAX)
    ends = " · ".join(f"[{word}]({url})" for word, url in links(issue))
    lines = [_plain(line) for line in facts(issue)]
    if told := frames(issue):
        lines.append("```\n" + "\n".join(cut(frame).replace("`", "'") for frame in told) + "\n```")
    left = min(DESCRIPTION_MAX, most - len(title) - len(footer)) - len(ends) - 1
    kept = list[str]()
    for line in lines:
        # A part of a line would leave its markup open.
        if len(line) + 1 > left:
            break
        kept.append(line)
        left -= len(line) + 1
    if left >= 0:
        kept.append(ends)
    return {
        "title": title,
        "url": issue["url"],
        "color": int(color_of(content, issue)[1:], 16),
        "description": "\n".join(kept),
        "footer": {"text": footer},
    }


def _plain(text: str) -> str:
    return MARKUP.sub(r"\\\1", cut(text))


KIND = Discord()

"""Incoming webhooks of Slack and Mattermost: https://api.slack.com/messaging/webhooks."""

from collections.abc import Iterator, Mapping
from typing import Any

from errata.alerts.bar_chart import text_bars
from errata.alerts.incoming_webhook import IncomingWebhook, color_of, cut, frames, links, summary
from errata.alerts.wording import counts_words, facts_words, steps_words


class Slack(IncomingWebhook):
    kind = "slack"
    label = "Slack or Mattermost"
    chat = "Slack or Mattermost"
    example = "#errors"
    secret = "an incoming webhook URL of Slack or Mattermost"

    def payload(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Attachments rather than blocks: Mattermost knows only those."""
        attachments = [
            {
                "fallback": _plain(f"{issue['title']} {issue['url']}"),
                "color": color_of(content, issue),
                "title": _plain(issue["title"]),
                "title_link": issue["url"],
                "text": "\n".join(_card(issue)),
                "mrkdwn_in": ["text"],
                "footer": _plain(issue["rule"]),
            }
            for issue in content["issues"]
        ]
        # What follows is our own: an address in it stays whole.
        said, *others = summary(content)
        return {"text": "\n".join((_plain(said), *others)), "attachments": attachments}


def _card(issue: Mapping[str, Any]) -> Iterator[str]:
    yield from (_plain(words) for words in (issue["culprit"], issue["reason"]) if words)
    if found := issue.get("evidence"):
        yield _plain(facts_words(found))
        yield _plain(counts_words(found))
        yield f"`{text_bars(found['steps'])}` {_plain(steps_words(found))}"
        if told := frames(issue):
            yield "```\n" + "\n".join(_plain(frame).replace("`", "'") for frame in told) + "\n```"
    if issue.get("resolve_url"):
        yield " · ".join(f"<{url}|{word}>" for word, url in links(issue))


def _plain(text: str) -> str:
    """As Slack wants it; what an application's error says must not call a whole channel."""
    escaped = cut(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("@", "@\u200b")


KIND = Slack()

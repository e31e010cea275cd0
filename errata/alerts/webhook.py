"""Webhooks: our own, signed by the Standard Webhooks convention, and those that Slack and Mattermost take."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from errata.alerts.bar_chart import text_bars
from errata.alerts.errors import NotDelivered, Undeliverable
from errata.alerts.wording import counts_words, facts_words, steps_words
from errata.errors import InvalidParameter
from errata.outgoing import Outgoing, Response
from errata.outgoing.errors import AddressRefused, OutgoingFailed
from errata.state.database import utc_now

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
SHORTEST_SECRET_BYTES = 24
SECONDS = 10.0
ANSWER_BYTES = 2_000
LONGEST_TEXT = 300
# Of the answers that blame the request those that time mends: a timeout, too early, too many.
PASSING = (408, 425, 429)
COLOR_OF_KIND = {"new": "#d9730d", "regressed": "#c4554d", "escalating": "#c4554d", "budget": "#c4554d"}


def new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def check_secret(secret: str) -> None:
    if len(_key(secret)) < SHORTEST_SECRET_BYTES:
        raise InvalidParameter(
            "secret", f"{SECRET_PREFIX} and at least {SHORTEST_SECRET_BYTES} bytes in base64, or empty"
        )


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Over the id and the time too: a repeat is known by its id, an old one by its time."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def send_webhook(
    outgoing: Outgoing,
    url: str,
    secret: str,
    message_id: str,
    kind: str,
    created_at: datetime,
    content: Mapping[str, Any],
) -> str:
    """What the server said. Raises NotDelivered."""
    body = json.dumps(
        {
            "type": f"alert.{kind}",
            "id": message_id,
            "created_at": created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "data": content,
        }
    ).encode()
    timestamp = int(utc_now().timestamp())
    headers = {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, timestamp, body),
    }
    return _posted(outgoing, url, headers, body)


def send_slack(outgoing: Outgoing, url: str, content: Mapping[str, Any]) -> str:
    """What the server said. Raises NotDelivered."""
    return _posted(outgoing, url, {}, json.dumps(slack_payload(content)).encode())


def slack_payload(content: Mapping[str, Any]) -> dict[str, Any]:
    """Attachments rather than blocks: Mattermost knows only those."""
    colors = {rule["name"]: COLOR_OF_KIND.get(rule["kind"], "#8b6f00") for rule in content["rules"]}
    attachments = [
        {
            "fallback": _plain(f"{issue['title']} {issue['url']}"),
            "color": colors.get(issue["rule"], "#8b6f00"),
            "title": _plain(issue["title"]),
            "title_link": issue["url"],
            "text": "\n".join(_card(issue)),
            "mrkdwn_in": ["text"],
            "footer": _plain(issue["rule"]),
        }
        for issue in content["issues"]
    ]
    more = f"\nand {content['more']:,} more: {content['project']['url']}" if content["more"] else ""
    held_back = f"\n{content['held_back']}" if content["held_back"] else ""
    return {"text": _plain(content["text"]) + more + held_back, "attachments": attachments}


def _card(issue: Mapping[str, Any]) -> Iterator[str]:
    yield from (_plain(words) for words in (issue["culprit"], issue["reason"]) if words)
    if found := issue.get("evidence"):
        yield _plain(facts_words(found))
        yield _plain(counts_words(found))
        yield f"`{text_bars(found['steps'])}` {_plain(steps_words(found))}"
        frames = [
            "\n  > ".join(filter(None, (f"{frame['function']} ({frame['place']})", frame["source"])))
            for frame in found["frames"]
        ]
        if frames:
            yield "```\n" + "\n".join(_plain(frame).replace("`", "'") for frame in frames) + "\n```"
    if issue.get("resolve_url"):
        links = (("Open", issue["url"]), ("Resolve", issue["resolve_url"]), ("Ignore", issue["ignore_url"]))
        yield " · ".join(f"<{url}|{word}>" for word, url in links)


def _plain(text: str) -> str:
    """As Slack wants it; what an application's error says must not call a whole channel."""
    cut = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    escaped = cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("@", "@\u200b")


def _posted(outgoing: Outgoing, url: str, headers: Mapping[str, str], body: bytes) -> str:
    sent = {"Content-Type": "application/json", **headers}
    try:
        answer = outgoing.request(
            "POST", url, headers=sent, body=body, seconds=SECONDS, answer_max_bytes=ANSWER_BYTES
        )
    except AddressRefused as error:
        raise Undeliverable(str(error)) from error
    except OutgoingFailed as error:
        raise NotDelivered(str(error)) from error
    said = f"{answer.status} {' '.join(answer.text.split())[:200]}".strip()
    if 400 <= answer.status < 500 and answer.status not in PASSING:
        raise Undeliverable(said)
    if not answer.is_success:
        raise NotDelivered(said, _retry_after(answer))
    return said


def _retry_after(answer: Response) -> float:
    given = answer.headers.get("retry-after", "")
    if given.isdigit():
        return float(given)
    try:
        return max(0.0, (parsedate_to_datetime(given) - utc_now()).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except ValueError:  # binascii.Error is one; characters beyond ASCII are another
        return b""

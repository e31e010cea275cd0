"""PagerDuty's Events API v2: https://developer.pagerduty.com/docs/events-api-v2/trigger-events/.

Each issue is an event of its own. Its key is the same at every attempt and every firing: a repeat opens no
second incident, and an incident that is open gets the further firings. A budget that is kept again, or a
monitor that has recovered, resolves its incident.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import SecretStr

from errata.alerts.channel_kind import SECRET, ChannelKind, Surroundings
from errata.alerts.field import Field
from errata.alerts.incoming_webhook import cut, facts, frames, links
from errata.alerts.posting import post_json
from errata.alerts.rule import KINDS
from errata.errors import InvalidParameter
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message

ADDRESSES = {
    "us": "https://events.pagerduty.com/v2/enqueue",
    "eu": "https://events.eu.pagerduty.com/v2/enqueue",
}
KEY_LENGTH = 32
RECOVERIES = frozenset(kind.recovery for kind in KINDS.values() if kind.recovery)
SUMMARY_MAX, DEDUP_KEY_MAX = 1_024, 255
SEVERITIES = {"fatal": "critical", "error": "error", "warning": "warning"}


class PagerDuty(ChannelKind):
    kind = "pagerduty"
    label = "PagerDuty"
    example = "On call"
    fields: ClassVar[Sequence[Field]] = (
        Field(SECRET, "Integration key", is_required=True),
        Field("region", "Service region", choices=(("us", "US"), ("eu", "EU"))),
    )
    settings = "`region`: `us`, `eu`"
    secret = "the integration key of a service (Events API v2)"

    def checked(
        self, settings: Mapping[str, Any], secret: str, before: Channel | None, by: Surroundings
    ) -> tuple[dict[str, Any], str]:
        self.require_known(settings)
        region = settings.get("region") or "us"
        if not isinstance(region, str) or region not in ADDRESSES:
            raise InvalidParameter("settings.region", f"one of {', '.join(ADDRESSES)}")
        is_key = len(secret) == KEY_LENGTH and secret.isascii() and secret.isalnum()
        if not is_key and (secret or before is None):
            raise InvalidParameter("secret", f"the integration key: {KEY_LENGTH} letters and digits")
        return {"region": region}, secret

    def recipient(self, settings: Mapping[str, Any], secret_ending: str) -> str:
        region = str(settings.get("region", "")).upper()
        return f"…{secret_ending} ({region})" if secret_ending else region

    def send(self, channel: Channel, secret: SecretStr, message: Message, by: Surroundings) -> str:
        address = ADDRESSES[channel.settings["region"]]
        said = ""
        for event in events(message.content):
            said = post_json(by.outgoing, address, {"routing_key": secret.get_secret_value(), **event})
        return said


def events(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One for each issue that the message names; of a test message one."""
    return [_of_issue(content, issue) for issue in content["issues"]] or [
        _event(content, "test", content["text"], "info", {}, [("Open", content["url"])])
    ]


def _of_issue(content: Mapping[str, Any], issue: Mapping[str, Any]) -> dict[str, Any]:
    found = issue.get("evidence") or {}
    about = f"[{content['project']['name']}] {issue['reason']}: {issue['title']}"
    details = {
        "rule": cut(issue["rule"]),
        "facts": [cut(line) for line in facts(issue)],
        "frames": [cut(frame) for frame in frames(issue)],
        **({"further issues": content["more"]} if content["more"] else {}),
    }
    severity = SEVERITIES.get(found.get("level", ""), "error")
    event = _event(content, _key(issue), about, severity, details, links(issue))
    return {**event, "event_action": "resolve"} if issue["outcome"] in RECOVERIES else event


def _key(issue: Mapping[str, Any]) -> str:
    """Of the issue, or of the monitor in its environment; else the rule has one incident."""
    if monitor := issue.get("monitor"):
        return "/".join(filter(None, ("monitors", monitor, issue["environment"])))
    return str(issue["id"] or issue["rule"])


def _event(
    content: Mapping[str, Any],
    key: str,
    about: str,
    severity: str,
    details: Mapping[str, Any],
    addresses: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    project = content["project"]
    return {
        "event_action": "trigger",
        "dedup_key": cut(f"errata/{project['slug']}/{key}", DEDUP_KEY_MAX),
        "client": "Errata",
        "client_url": content["url"],
        "links": [{"href": url, "text": word} for word, url in addresses],
        "payload": {
            "summary": cut(about, SUMMARY_MAX),
            "source": project["name"],
            "severity": severity,
            "custom_details": dict(details),
        },
    }


KIND = PagerDuty()

"""What a message says, in the one form that every kind of channel makes its own of."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from errata.alerts.rule import KINDS
from errata.state.alerts.notices import Notice

ISSUES_SHOWN = 10
DECISIONS = ("resolve", "ignore")
HELD_BACK_AFTER = timedelta(minutes=2)


def alert_content(
    notices: Sequence[Notice], base_url: str, hourly_limit: int, now: datetime
) -> dict[str, Any]:
    """`notices` are of one project; of many issues the ones with most events are named."""
    first = notices[0]
    project = {
        "slug": first.project_slug,
        "name": first.project_name,
        "url": f"{base_url}/projects/{first.project_slug}/issues",
    }
    rules = {notice.rule_id: notice for notice in notices}
    ranked = sorted(notices, key=lambda notice: (-notice.value, notice.fired_at, notice.firing_id))
    held_back = now - first.found_at > HELD_BACK_AFTER and len(notices) > 1
    return {
        "text": _summary(notices),
        "project": project,
        "rules": [
            {
                "id": rule_id,
                "name": notice.rule_name,
                "kind": notice.kind,
                "summary": KINDS[notice.kind].words(notice.condition),
                "query": notice.query,
                "priorities": list(notice.priorities),
            }
            for rule_id, notice in rules.items()
        ],
        "issues": [_issue(notice, base_url) for notice in ranked[:ISSUES_SHOWN]],
        "total": len(notices),
        "more": max(0, len(notices) - ISSUES_SHOWN),
        "url": f"{base_url}/projects/{first.project_slug}/alerts",
        "held_back": f"Combined: this channel is limited to {hourly_limit} messages per hour."
        if held_back
        else "",
    }


def trial_content(channel_name: str, base_url: str, by: str) -> dict[str, Any]:
    """What a Test button sends."""
    return {
        "text": f"Test message for channel {channel_name}, sent by {by}",
        "project": {"slug": "", "name": "Errata", "url": base_url},
        "rules": [],
        "issues": [],
        "total": 0,
        "more": 0,
        "url": base_url,
        "held_back": "",
    }


def _summary(notices: Sequence[Notice]) -> str:
    if len(notices) == 1:
        [only] = notices
        about = f": {only.title}" if only.title else ""
        return f"[{only.project_name}] {_headline(only)}{about}"
    kinds = {notice.kind for notice in notices}
    word = KINDS[kinds.pop()].plural if len(kinds) == 1 else "alerts"
    return f"[{notices[0].project_name}] {len(notices)} {word}"


def _headline(notice: Notice) -> str:
    return KINDS[notice.kind].headline(notice.condition, notice.value, notice.outcome)


def _issue(notice: Notice, base_url: str) -> Mapping[str, Any]:
    project = f"{base_url}/projects/{notice.project_slug}"
    address = f"{project}/{KINDS[notice.kind].page(notice.issue_id or notice.monitor_slug)}"
    return {
        "id": notice.issue_id,
        "monitor": notice.monitor_slug,
        "environment": notice.environment,
        "title": notice.title or "All issues combined",
        "culprit": notice.culprit,
        "reason": _headline(notice),
        "rule": notice.rule_name,
        "value": notice.value,
        "outcome": notice.outcome,
        "measured": notice.measured,
        "fired_at": notice.fired_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "url": address,
        **_decisions(address if notice.issue_id else ""),
    }


def _decisions(address: str) -> dict[str, str]:
    """Pages that ask before anything is decided: mail programs follow links by themselves."""
    return {f"{action}_url": address and f"{address}/decide?action={action}" for action in DECISIONS}

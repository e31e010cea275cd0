"""The evidence of an issue in words, for every kind of channel."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from errata.reports.formats import plural


def facts_words(evidence: Mapping[str, Any]) -> str:
    return " · ".join(filter(None, (evidence[name] for name in ("level", "environment", "release"))))


def counts_words(evidence: Mapping[str, Any]) -> str:
    events, users = plural(evidence["event_count"], "event"), plural(evidence["user_count"], "user")
    return f"{events} and {users} in the last 24 hours"


def steps_words(evidence: Mapping[str, Any]) -> str:
    """What the chart shows."""
    steps = evidence["steps"]
    step = timedelta(minutes=evidence["step_minutes"])
    each = "hour" if step == timedelta(hours=1) else f"{evidence['step_minutes']} minutes"
    highest = max(steps, default=0)
    if not highest:
        return f"Events per {each} in the last 24 hours: none"
    at = datetime.fromisoformat(evidence["steps_begin_at"]) + steps.index(highest) * step
    return f"Events per {each} in the last 24 hours: at most {highest:,}, at {at:%H:%M} UTC"

"""The evidence of issues for the messages about them, read when a message is written."""

import logging
from collections.abc import Mapping
from typing import Any

from api.context import Context
from errata.alerts.evidence import PERIOD, evidence
from errata.errors import ErrataError
from errata.period import Period
from errata.warehouse.queries.issue.events import newest_event
from errata.warehouse.queries.issue.head import issue_head

log = logging.getLogger("api.jobs")

# Of a message about more, the others are named alone.
MOST_ISSUES = 3


def with_evidence(context: Context, project_id: int, content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message with the evidence of its first issues. An alert never waits for it: without
    the warehouse it goes out as it is."""
    issues = list(content["issues"])
    for place, issue in enumerate(issues[:MOST_ISSUES]):
        try:
            found = issue["id"] and evidence_of(context, project_id, issue["id"])
        except ErrataError as error:
            log.warning("An alert is sent without evidence: %s", error)
            break
        if found:
            issues[place] = {**issue, "evidence": found}
    return {**content, "issues": issues}


def evidence_of(context: Context, project_id: int, issue_id: str) -> dict[str, Any] | None:
    """None of an issue that is gone."""
    period = Period(PERIOD).of_events(context.state.now())
    head = issue_head(context.read, project_id, int(issue_id, 16), period)
    event = newest_event(context.read, head.merged, head.counts) if head else None
    if head is None or event is None:
        return None
    lines = [counts for _environment, counts in head.history.lines]
    return evidence(
        event.payload,
        {"level": event.level, "environment": event.environment, "release": event.release},
        {"event_count": head.event_count, "user_count": head.user_count},
        [sum(counts) for counts in zip(*lines, strict=True)],
        head.history.bucket_starts[0],
        period.bucket,
    )

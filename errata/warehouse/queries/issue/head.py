"""The head of an issue's page, the same above every tab."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import all_three, both
from errata.warehouse.client import Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.counting import ALL
from errata.warehouse.queries.issue.counts import (
    PRIORITY_PERIODS,
    History,
    IssueCounts,
    history_of,
    issue_counts,
)
from errata.warehouse.queries.issue.merged_issue import MergedIssue, merged_issue
from errata.warehouse.queries.issue.state import NEVER, IssueState, state_of_issue
from errata.warehouse.queries.vocabulary import Status, issue_text
from errata.workflow.priority import Facts

LATEST_EVENTS = 1000
VALUES_A_TAG = 20


@dataclass(frozen=True)
class TagValues:
    """`event_count` of the latest events have the tag; `values` are the most frequent ones, with counts."""

    tag: str
    event_count: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class IssueHead:
    """An issue, its state, and its counts in the period and of all time."""

    issue_id: int
    title: str
    culprit: str
    type: str
    level: str
    platform: str
    status: Status
    first_seen: datetime
    last_seen: datetime
    event_count: int
    user_count: int
    total_event_count: int
    total_user_count: int
    first_release: str
    last_release: str
    variant_count: int
    acted_at: datetime | None
    actor: str
    merged_into: int
    """Not 0: the issue in the address is merged into this one, or is empty and most of its events are here.
    All other fields describe this issue."""
    state: IssueState
    tags: Sequence[TagValues]
    history: History
    counts: IssueCounts = field(repr=False)
    merged: MergedIssue = field(repr=False)

    @property
    def id(self) -> str:
        return issue_text(self.issue_id)


def issue_head(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, environment: str = ""
) -> IssueHead | None:
    """The head of an issue; None if the project does not have it. An emptied issue leads to its successor."""
    with one_snapshot():
        return _issue_head(warehouse, project_id, issue_id, period, environment)


def _issue_head(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange, environment: str
) -> IssueHead | None:
    counts, merged = both(
        lambda: issue_counts(warehouse, project_id, issue_id, period),
        lambda: merged_issue(warehouse, project_id, issue_id),
    )
    if merged is None:
        return None
    if merged.issue_id != issue_id:
        counts = issue_counts(warehouse, project_id, merged.issue_id, period)
    history, state, tags = all_three(
        lambda: history_of(warehouse, project_id, merged.issue_id, period, counts),
        lambda: state_of_issue(warehouse, merged),
        lambda: issue_tags(warehouse, merged, counts),
    )
    return _head(merged, counts, state, tags, history, period, environment or None)


def _head(
    merged: MergedIssue,
    counts: IssueCounts,
    state: IssueState,
    tags: Sequence[TagValues],
    history: History,
    period: TimeRange,
    environment: str | None,
) -> IssueHead:
    first = merged.variants[0]
    chosen, lives = counts.counted_in(period.text, environment), counts.counted_in(ALL)
    cut = dict(merged.deleted.cuts)
    recorded = [variant.first_seen_at for variant in merged.variants if variant.variant_hash not in cut]
    seen = [*recorded, *([lives.first_seen] if lives.first_seen else [])]
    first_seen = min(seen or [first.first_seen_at])
    return IssueHead(
        issue_id=merged.issue_id,
        title=first.title,
        culprit=first.culprit,
        type=first.type,
        level=first.level,
        platform=first.platform,
        status=Status(state.status),
        first_seen=first_seen,
        last_seen=lives.last_seen or first_seen,
        event_count=chosen.event_count,
        user_count=chosen.user_count,
        total_event_count=lives.event_count,
        total_user_count=lives.user_count,
        first_release=lives.first_release,
        last_release=lives.last_release,
        variant_count=len(merged.variants),
        acted_at=state.acted_at if state.acted_at > NEVER else None,
        actor=state.actor,
        merged_into=merged.merged_into,
        state=state,
        tags=tags,
        history=history,
        counts=counts,
        merged=merged,
    )


def issue_tags(warehouse: Warehouse, merged: MergedIssue, counts: IssueCounts) -> Sequence[TagValues]:
    """Tags of the latest 1,000 events, the most frequent tag first."""
    since = counts.moment_of(LATEST_EVENTS)
    return warehouse.cached((_tags, merged, since, counts.marks), lambda: _tags(warehouse, merged, since))


def _tags(warehouse: Warehouse, merged: MergedIssue, since: datetime) -> tuple[TagValues, ...]:
    rows = merged.rows(
        warehouse, "issue_tags", since=since, event_limit=LATEST_EVENTS, value_limit=VALUES_A_TAG
    )
    return tuple(
        TagValues(row["tag"], row["event_count"], tuple((value, count) for value, count in row["top_values"]))
        for row in rows
    )


def facts_of(head: IssueHead) -> Facts:
    """The facts behind its priority: counts from the beginning of a full hour or day on."""
    handled = {value: count for tag in head.tags if tag.tag == "handled" for value, count in tag.values}
    day, week, fortnight = (head.counts.counted_in(period) for period in PRIORITY_PERIODS)
    return Facts(
        level=head.level,
        first_seen=head.first_seen,
        day_count=day.event_count,
        week_count=max(0, week.event_count - day.event_count),
        user_count=fortnight.user_count,
        unhandled_count=handled.get("no", 0),
        sampled_count=sum(handled.values()),
    )


def project_of_issue(warehouse: Warehouse, projects: Sequence[int], issue_id: int) -> int | None:
    """The project of an issue, if it is one of these; else None."""
    rows = warehouse.rows(sql.query("project_of_issue"), {"projects": list(projects), "issue_id": issue_id})
    return int(rows[0]["project_id"]) if rows else None

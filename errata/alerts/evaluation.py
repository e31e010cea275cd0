"""What a rule fires for in a span of time: the same for the watch, as events come in, and for history."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from errata.state.alerts.rules import Found
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts import (
    EventFilter,
    Sighting,
    crossings,
    escalations,
    issue_titles,
    mutes,
    new_issues,
    regressions,
)
from errata.warehouse.queries.issues import issue_text
from errata.workflow.escalation import HISTORY_HOURS, LEAST, forecast


@dataclass(frozen=True)
class Question:
    """What a rule looks for, whether it is kept or only tried."""

    project_id: int
    kind: str
    condition: Mapping[str, Any]
    query: str
    cap_minutes: int

    @property
    def cap(self) -> timedelta:
        return timedelta(minutes=self.cap_minutes)


Ask = Callable[[Warehouse, EventFilter, Question, datetime, datetime], list[Sighting]]


def _escalations(
    warehouse: Warehouse, events: EventFilter, _question: Question, since: datetime, until: datetime
) -> list[Sighting]:
    def limit_of(history: Sequence[int]) -> int | None:
        expected = forecast(history)
        return None if expected is None else expected.limit

    return escalations(warehouse, events, since, until, limit_of, HISTORY_HOURS, LEAST)


def _crossings(
    warehouse: Warehouse, events: EventFilter, question: Question, since: datetime, until: datetime
) -> list[Sighting]:
    return crossings(
        warehouse,
        events,
        since,
        until,
        of_users=question.kind == "users",
        over=question.condition["over"],
        window=timedelta(minutes=question.condition["window_minutes"]),
        by_issue=question.condition["scope"] == "issue",
    )


QUESTIONS: Mapping[str, Ask] = {
    "new": lambda warehouse, events, question, since, until: new_issues(warehouse, events, since, until),
    "regressed": lambda warehouse, events, question, since, until: regressions(
        warehouse, events, since, until
    ),
    "escalating": _escalations,
    "events": _crossings,
    "users": _crossings,
}


def sightings(warehouse: Warehouse, question: Question, since: datetime, until: datetime) -> list[Sighting]:
    """In the order of their times; an issue that was ignored at that time is left out."""
    events = EventFilter.of(warehouse, question.project_id, question.query, until)
    found = QUESTIONS[question.kind](warehouse, events, question, since, until)
    muted = mutes(warehouse, question.project_id) if found else {}
    loud = [
        each
        for each in found
        if not any(begin <= each.at < end for begin, end in muted.get(each.issue_id, ()))
    ]
    return sorted(loud, key=lambda each: (each.at, each.issue_id))


def spaced(
    found: Iterable[Sighting],
    cap: timedelta,
    last: Mapping[int, datetime] | None = None,
    known: Collection[tuple[int, str]] = (),
) -> list[Sighting]:
    """Each episode once, and of one issue none sooner than `cap` after the last that fired."""
    fired_at, kept = dict(last or {}), []
    for each in found:
        before = fired_at.get(each.issue_id)
        if (each.issue_id, each.episode) in known or (before is not None and each.at - before < cap):
            continue
        fired_at[each.issue_id] = each.at
        kept.append(each)
    return kept


def named(warehouse: Warehouse, project_id: int, found: Sequence[Sighting]) -> list[Found]:
    issues = sorted({each.issue_id for each in found if each.issue_id})
    titles = issue_titles(warehouse, project_id, issues) if issues else {}
    return [
        Found(
            issue_text(each.issue_id) if each.issue_id else "",
            each.episode,
            each.at,
            each.value,
            *titles.get(each.issue_id, ("", "")),
        )
        for each in found
    ]

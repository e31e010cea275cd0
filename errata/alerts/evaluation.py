"""What a rule fires for in a span of time: the same as events come in, and for history."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from errata.alerts.rule import ISSUE_KINDS
from errata.state.alerts.firings import Found
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.budget import Budget
from errata.warehouse.queries.alerts.events import Events, Sighting
from errata.warehouse.queries.alerts.issues import issue_titles, mutes
from errata.warehouse.queries.alerts.priorities import levels
from errata.warehouse.queries.vocabulary import issue_text


@dataclass(frozen=True)
class Question:
    """What a rule looks for, whether it is kept or only tried."""

    project_id: int
    kind: str
    condition: Mapping[str, Any]
    query: str
    cap_minutes: int
    priorities: Sequence[str] = ()

    @property
    def cap(self) -> timedelta:
        return timedelta(minutes=self.cap_minutes)


def events_of(
    warehouse: Warehouse, question: Question, until: datetime, budget: Budget | None = None
) -> Events:
    return Events.of(warehouse, question.project_id, question.query, until, budget)


def sightings(events: Events, question: Question, since: datetime, until: datetime) -> list[Sighting]:
    """In the order of their times, without issues that were ignored then, or of another priority."""
    found = ISSUE_KINDS[question.kind].found(events, question.condition, since, until)
    muted = mutes(events.warehouse, question.project_id) if found else {}
    loud = [
        each
        for each in found
        if not any(begin <= each.at < end for begin, end in muted.get(each.issue_id, ()))
    ]
    urgent = _of_priorities(events, question.priorities, loud) if question.priorities else loud
    return sorted(urgent, key=lambda each: (each.at, each.issue_id))


def _of_priorities(events: Events, wanted: Sequence[str], found: Sequence[Sighting]) -> list[Sighting]:
    return [each for each, level in zip(found, levels(events, found), strict=True) if level in wanted]


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

"""An issue with far more events in an hour than its history predicts."""

from collections.abc import Iterable
from datetime import datetime

from errata.alerts.rule_kind import URGENT_COLOR, Chance, Condition, IssueKind
from errata.warehouse.client import LimitReached
from errata.warehouse.queries.alerts.busy import BUSY_ISSUES, Step, busy_issues
from errata.warehouse.queries.alerts.days import Span, spans_of_events
from errata.warehouse.queries.alerts.escalations import HOUR, Judgement, escalations
from errata.warehouse.queries.alerts.events import Events, Sighting
from errata.workflow.escalation import HISTORY_HOURS, HOURS_A_CHANCE, LEAST, passed_limit

JUDGEMENT = Judgement(passed_limit, HISTORY_HOURS, LEAST)
EVENTS_AT_ONCE = 3_000_000


class Escalating(IssueKind):
    name = "escalating"
    title = "An issue escalates"
    plural = "escalating issues"
    color = URGENT_COLOR

    def words(self, condition: Condition) -> str:
        return "an issue has far more events in an hour than expected from its history"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return f"Escalating issue, {value:,} events this hour"

    def question(self, condition: Condition) -> str:
        return BUSY_ISSUES

    def found(self, events: Events, condition: Condition, since: datetime, until: datetime) -> list[Sighting]:
        return escalations(events, JUDGEMENT, since, until)

    def spans(self, events: Events, since: datetime, until: datetime) -> Iterable[Span]:
        return spans_of_events(events, since, until, EVENTS_AT_ONCE)

    def chance(self, events: Events, since: datetime, until: datetime, fired_count: int) -> Chance | None:
        """By the issues that had hours to judge."""
        try:
            judged_count = len(busy_issues(events, since, until, Step(HOUR, JUDGEMENT.least)))
        except LimitReached:
            return None
        chance = judged_count * ((until - since) / HOUR) / HOURS_A_CHANCE
        return Chance(chance, _sentence(chance, judged_count, fired_count) if judged_count else "")


def _sentence(chance: float, judged_count: int, fired_count: int) -> str:
    issues = "1 issue" if judged_count == 1 else f"{judged_count:,} issues"
    number = f"about {round(chance):,}" if chance >= 1.5 else "about one" if chance >= 0.5 else "none"
    explains = f"explains {number} of these" if fired_count else f"would explain {number}"
    return (
        f"Chance alone {explains}: {issues} had more than {JUDGEMENT.least} events in an hour, "
        f"and an unchanged issue fires about once in {HOURS_A_CHANCE // 24:,} days."
    )


KIND = Escalating()

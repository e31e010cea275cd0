"""A new issue."""

from datetime import datetime

from errata.alerts.rule_kind import Condition, IssueKind
from errata.warehouse.queries.alerts.events import ARRIVALS, Events, Sighting
from errata.warehouse.queries.alerts.new_issues import new_issues


class New(IssueKind):
    name = "new"
    title = "A new issue"
    plural = "new issues"
    color = "#d9730d"

    def words(self, condition: Condition) -> str:
        return "an issue is seen for the first time"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return "New issue"

    def question(self, condition: Condition) -> str:
        return ARRIVALS

    def found(self, events: Events, condition: Condition, since: datetime, until: datetime) -> list[Sighting]:
        return new_issues(events, since, until)


KIND = New()

"""A resolved issue that recurs."""

from datetime import datetime

from errata.alerts.rule_kind import URGENT_COLOR, Condition, IssueKind
from errata.warehouse.queries.alerts.events import Events, Sighting
from errata.warehouse.queries.alerts.regressions import RECORDED_REGRESSIONS, regressions


class Regressed(IssueKind):
    name = "regressed"
    title = "An issue regresses"
    plural = "regressed issues"
    color = URGENT_COLOR

    def words(self, condition: Condition) -> str:
        return "a resolved issue recurs in its release or a later one"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return "Regressed issue"

    def question(self, condition: Condition) -> str:
        return RECORDED_REGRESSIONS

    def found(self, events: Events, condition: Condition, since: datetime, until: datetime) -> list[Sighting]:
        return regressions(events, since, until)


KIND = Regressed()

"""Kinds that fire when more than a number is counted in a window."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from errata.alerts.field import Field
from errata.alerts.rule_kind import Condition, IssueKind
from errata.errors import InvalidParameter
from errata.warehouse.queries.alerts.crossings import CROSSINGS, Threshold, crossings
from errata.warehouse.queries.alerts.days import Span, spans_of_events
from errata.warehouse.queries.alerts.events import Events, Sighting

WINDOWS: Mapping[int, str] = {
    5: "5 minutes",
    15: "15 minutes",
    60: "1 hour",
    360: "6 hours",
    1440: "24 hours",
}
SCOPES: Mapping[str, str] = {"issue": "one issue", "all": "all issues combined"}
MOST = 1_000_000_000
EVENTS_AT_ONCE = 700_000


class ThresholdKind(IssueKind):
    """More than `over` in `window_minutes`, of each issue or of all of them together."""

    condition_words = "`over`, `window_minutes` (5, 15, 60, 360, 1440), `scope` (`issue`, `all`)"
    group = "threshold"
    fields: ClassVar[Sequence[Field]] = (
        Field("scope", "Scope", choices=tuple(SCOPES.items()), default="issue"),
        Field("over", "More than", is_number=True, default="100"),
        Field(
            "window_minutes",
            "Within",
            is_number=True,
            choices=tuple((str(minutes), words) for minutes, words in WINDOWS.items()),
            default="60",
        ),
    )
    counts_users: ClassVar[bool]

    def checked(self, condition: Condition) -> dict[str, Any]:
        super().checked(condition)
        over, window = condition.get("over"), condition.get("window_minutes", 60)
        scope = condition.get("scope", "issue")
        if not isinstance(over, int) or isinstance(over, bool) or not 0 <= over <= MOST:
            raise InvalidParameter("condition.over", f"a number from 0 to {MOST:,}")
        if not isinstance(window, int) or window not in WINDOWS:
            raise InvalidParameter("condition.window_minutes", f"one of {', '.join(map(str, WINDOWS))}")
        if not isinstance(scope, str) or scope not in SCOPES:
            raise InvalidParameter("condition.scope", "issue or all")
        return {"over": over, "window_minutes": window, "scope": scope}

    def words(self, condition: Condition) -> str:
        subject = "all issues combined have" if condition["scope"] == "all" else "an issue has"
        return f"{subject} {self._over(condition)}"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return self._over(condition).capitalize()

    def question(self, condition: Condition) -> str:
        return CROSSINGS

    def found(self, events: Events, condition: Condition, since: datetime, until: datetime) -> list[Sighting]:
        threshold = Threshold(
            over=condition["over"],
            window=timedelta(minutes=condition["window_minutes"]),
            of_users=self.counts_users,
            by_issue=condition["scope"] == "issue",
        )
        return crossings(events, threshold, since, until)

    def spans(self, events: Events, since: datetime, until: datetime) -> Iterable[Span]:
        return spans_of_events(events, since, until, EVENTS_AT_ONCE)

    def _over(self, condition: Condition) -> str:
        minutes = condition["window_minutes"]
        window = "an hour" if minutes == 60 else WINDOWS[minutes]
        return f"more than {condition['over']:,} {self.counted.lower()} in {window}"

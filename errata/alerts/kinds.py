"""The kinds of alert rules, an entry each; a further one needs a question in evaluation.py beside it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from errata.budgets.limit import limit_of
from errata.budgets.state import State
from errata.budgets.wording import promise
from errata.errors import InvalidParameter
from errata.state.alerts.rule import FOLLOWED

WINDOWS: Mapping[int, str] = {
    5: "5 minutes",
    15: "15 minutes",
    60: "hour",
    360: "6 hours",
    1440: "24 hours",
}
SCOPES = ("issue", "all")
# Not about issues: it is looked at by what was built, and tells of both directions.
BUDGET = "budget"
OUTCOMES = {
    State.BREACHED.value: "Performance budget breached",
    State.KEPT.value: "Performance budget recovered",
}
MOST = 1_000_000_000
BUDGET_ID = re.compile("[0-9a-f]{32}")

Condition = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """`title` is what people choose, `words` says a whole condition, `headline` what has happened, by the
    value and, of a budget, the outcome."""

    name: str
    title: str
    plural: str
    words: Callable[[Condition], str]
    headline: Callable[[Condition, int, str], str]
    check: Callable[[Condition], dict[str, Any]]


def _nothing(condition: Condition) -> dict[str, Any]:
    if unknown := set(condition):
        raise InvalidParameter("condition", f"{min(unknown)} doesn't apply to rules of this kind")
    return {}


def _threshold(condition: Condition) -> dict[str, Any]:
    """More than `over` in `window_minutes`, of each issue or of all of them together."""
    if unknown := set(condition) - {"over", "window_minutes", "scope"}:
        raise InvalidParameter("condition", f"{min(unknown)} doesn't apply to rules of this kind")
    over, window = condition.get("over"), condition.get("window_minutes", 60)
    scope = condition.get("scope", "issue")
    if not isinstance(over, int) or isinstance(over, bool) or not 0 <= over <= MOST:
        raise InvalidParameter("condition.over", f"a number from 0 to {MOST:,}")
    if window not in WINDOWS:
        raise InvalidParameter("condition.window_minutes", f"one of {', '.join(map(str, WINDOWS))}")
    if scope not in SCOPES:
        raise InvalidParameter("condition.scope", "issue or all")
    return {"over": over, "window_minutes": window, "scope": scope}


def _budget(condition: Condition) -> dict[str, Any]:
    """The fields of a limit, or the id of the budget whose limit the rule follows."""
    if FOLLOWED not in condition:
        return limit_of(condition).as_condition()
    if others := set(condition) - {FOLLOWED}:
        raise InvalidParameter("condition", f"{min(others)} is that of the budget; leave it out")
    budget_id = condition[FOLLOWED]
    if not isinstance(budget_id, str) or not BUDGET_ID.fullmatch(budget_id):
        raise InvalidParameter("condition.budget_id", "the id of a budget")
    return {FOLLOWED: budget_id}


def _over(unit: str, condition: Condition) -> str:
    window = WINDOWS[condition["window_minutes"]]
    return f"more than {condition['over']:,} {unit} in {'an' if window == 'hour' else ''} {window}".replace(
        "  ", " "
    )


def _subject(condition: Condition) -> str:
    return "all issues combined have" if condition["scope"] == "all" else "an issue has"


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "new",
            "A new issue",
            "new issues",
            lambda condition: "an issue is seen for the first time",
            lambda condition, value, outcome: "New issue",
            _nothing,
        ),
        Kind(
            "regressed",
            "An issue regresses",
            "regressed issues",
            lambda condition: "a resolved issue recurs in its release or a later one",
            lambda condition, value, outcome: "Regressed issue",
            _nothing,
        ),
        Kind(
            "escalating",
            "An issue escalates",
            "escalating issues",
            lambda condition: "an issue has far more events in an hour than expected from its history",
            lambda condition, value, outcome: f"Escalating issue, {value:,} events this hour",
            _nothing,
        ),
        Kind(
            "events",
            "Many events",
            "issues with many events",
            lambda condition: f"{_subject(condition)} {_over('events', condition)}",
            lambda condition, value, outcome: f"{_over('events', condition).capitalize()}",
            _threshold,
        ),
        Kind(
            "users",
            "Many users",
            "issues with many users",
            lambda condition: f"{_subject(condition)} {_over('users', condition)}",
            lambda condition, value, outcome: f"{_over('users', condition).capitalize()}",
            _threshold,
        ),
        Kind(
            BUDGET,
            "Performance Budget",
            "performance budgets",
            lambda condition: f"a budget is breached or recovers: {promise(limit_of(condition))}",
            lambda condition, value, outcome: OUTCOMES.get(outcome, "Performance budget"),
            _budget,
        ),
    )
}


def kind_of(name: str) -> Kind:
    """Raises InvalidParameter."""
    if name not in KINDS:
        raise InvalidParameter("kind", f"one of {', '.join(KINDS)}")
    return KINDS[name]

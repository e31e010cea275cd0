"""A performance budget that is breached, or kept again: of what was built, in both directions."""

import re
from typing import Any

from errata.alerts.rule_kind import URGENT_COLOR, Condition, RuleKind, Subject
from errata.budgets.limit import limit_of
from errata.budgets.state import State
from errata.budgets.wording import promise
from errata.errors import InvalidParameter
from errata.state.alerts.rule import FOLLOWED

OUTCOMES = {
    State.BREACHED.value: "Performance budget breached",
    State.KEPT.value: "Performance budget recovered",
}
BUDGET_ID = re.compile("[0-9a-f]{32}")


class Budget(RuleKind):
    name = "budget"
    subject = Subject.BUDGET
    title = "Performance Budget"
    plural = "performance budgets"
    color = URGENT_COLOR
    condition_words = (
        "the fields of a performance budget (`metric`, `statistic`, `threshold`, `pattern`, `environment`, "
        "`device`, `window_hours`, `least_samples`), or only `budget_id`: the rule then follows this budget "
        "of the project"
    )
    group = "budget"
    recovery = State.KEPT.value

    def checked(self, condition: Condition) -> dict[str, Any]:
        """The fields of a limit, or the id of the budget whose limit the rule follows."""
        if FOLLOWED not in condition:
            return limit_of(condition).as_condition()
        if others := set(condition) - {FOLLOWED}:
            raise InvalidParameter("condition", f"{min(others)} is that of the budget; leave it out")
        budget_id = condition[FOLLOWED]
        if not isinstance(budget_id, str) or not BUDGET_ID.fullmatch(budget_id):
            raise InvalidParameter("condition.budget_id", "the id of a budget")
        return {FOLLOWED: budget_id}

    def words(self, condition: Condition) -> str:
        return f"a budget is breached or recovers: {promise(limit_of(condition))}"

    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        return OUTCOMES.get(outcome, "Performance budget")

    def page(self, subject_id: str) -> str:
        return "performance/budgets"

    def question(self, condition: Condition) -> str:
        return limit_of(condition).question


KIND = Budget()

"""The question that most tells for what a rule fires."""

from collections.abc import Mapping
from typing import Any

from dashboards.shared.budget_words import question_of_limit
from errata.alerts.kinds import BUDGET
from errata.budgets.limit import limit_of

QUESTIONS = {
    "new": "alert_arrivals",
    "regressed": "recorded_regressions",
    "escalating": "alert_busy_issues",
    "events": "alert_crossings",
    "users": "alert_crossings",
}


def question_of_rule(kind: str, condition: Mapping[str, Any]) -> str:
    return question_of_limit(limit_of(condition)) if kind == BUDGET else QUESTIONS[kind]

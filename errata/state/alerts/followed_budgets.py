"""Alert rules that follow a budget: they store its id, and are read with the limit that it has now."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from errata.errors import InvalidParameter
from errata.state.alerts.rule import FOLLOWED
from errata.state.budgets import Budget
from errata.state.table import objects


def followed(connection: Connection, conditions: Iterable[Mapping[str, Any]]) -> dict[str, Budget]:
    """By id. A budget deleted meanwhile is among them: its rules keep its last limit."""
    ids = {condition[FOLLOWED] for condition in conditions if FOLLOWED in condition}
    if not ids:
        return {}
    found = connection.execute(select(Budget).where(Budget.id.in_(ids)))
    return {budget.id: budget for budget in objects(Budget, found)}


def check_followed(connection: Connection, project_id: int, condition: Mapping[str, Any]) -> None:
    """Raises InvalidParameter unless the budget is one of the project, or none is followed."""
    if FOLLOWED not in condition:
        return
    query = select(Budget.id).where(
        Budget.id == condition[FOLLOWED],
        Budget.project_id == project_id,
        Budget.deleted_at.is_(None),
    )
    if connection.execute(query).first() is None:
        raise InvalidParameter("condition.budget_id", "the project has no budget with this id")


def with_limit(condition: Mapping[str, Any], known: Mapping[str, Budget]) -> dict[str, Any]:
    """The condition with the fields of the limit in place of the id."""
    if FOLLOWED not in condition:
        return dict(condition)
    return known[condition[FOLLOWED]].limit.as_condition()

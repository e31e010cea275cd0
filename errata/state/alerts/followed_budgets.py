"""Alert rules that follow a budget: they store its id, and are read with the limit that it has now."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from errata.errors import InvalidParameter
from errata.state.budgets import FOLLOWED, Budget, budget_of
from errata.state.tables import budgets


def followed(connection: Connection, conditions: Iterable[Mapping[str, Any]]) -> dict[str, Budget]:
    """By id. A budget deleted meanwhile is among them: its rules keep its last limit."""
    ids = {condition[FOLLOWED] for condition in conditions if FOLLOWED in condition}
    if not ids:
        return {}
    rows = connection.execute(select(budgets).where(budgets.c.id.in_(ids)))
    return {row.id: budget_of(row._mapping) for row in rows}


def check_followed(connection: Connection, project_id: int, condition: Mapping[str, Any]) -> None:
    """Raises InvalidParameter unless the budget is one of the project, or none is followed."""
    if FOLLOWED not in condition:
        return
    query = select(budgets.c.id).where(
        budgets.c.id == condition[FOLLOWED],
        budgets.c.project_id == project_id,
        budgets.c.deleted_at.is_(None),
    )
    if connection.execute(query).first() is None:
        raise InvalidParameter("condition.budget_id", "the project has no budget with this id")


def with_limit(condition: Mapping[str, Any], known: Mapping[str, Budget]) -> dict[str, Any]:
    """The condition with the fields of the limit in place of the id."""
    if FOLLOWED not in condition:
        return dict(condition)
    return known[condition[FOLLOWED]].limit.as_condition()

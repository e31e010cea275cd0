"""All budgets, for a program that writes nothing to the state store."""

from sqlalchemy import select

from errata.state.budgets import Budget
from errata.state.database import Database
from errata.state.project import ProjectRow
from errata.state.table import objects


def every_budget(url: str) -> list[tuple[int, Budget]]:
    """Budgets of all projects, each with its project's id. Raises StateUnavailable."""
    query = (
        select(Budget)
        .join(ProjectRow, ProjectRow.id == Budget.project_id)
        .where(Budget.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
        .order_by(Budget.project_id, Budget.created_at, Budget.id)
    )
    database = Database(url)
    try:
        with database.reading() as connection:
            return [(budget.project_id, budget) for budget in objects(Budget, connection.execute(query))]
    finally:
        database.close()

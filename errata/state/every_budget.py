"""All budgets, for a program that writes nothing to the state store."""

from sqlalchemy import select

from errata.state.budgets import Budget, budget_of
from errata.state.database import Database
from errata.state.project import ProjectRow
from errata.state.tables import budgets


def every_budget(url: str) -> list[tuple[int, Budget]]:
    """Budgets of all projects, each with its project's id. Raises StateUnavailable."""
    query = (
        select(budgets)
        .join(ProjectRow, ProjectRow.id == budgets.c.project_id)
        .where(budgets.c.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
        .order_by(budgets.c.project_id, budgets.c.created_at, budgets.c.id)
    )
    database = Database(url)
    try:
        with database.reading() as connection:
            return [(row["project_id"], budget_of(row)) for row in connection.execute(query).mappings()]
    finally:
        database.close()

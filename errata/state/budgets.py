"""Performance budgets of projects."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, func, insert, select, update

from errata.budgets.limit import Limit
from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.state.activity_actions import Action
from errata.state.errors import BudgetNotFound
from errata.state.repository import Repository
from errata.state.tables import alert_rules, budgets

LONGEST_NAME = 100
MOST_A_PROJECT = 100
# What the condition of an alert rule holds that follows a budget.
FOLLOWED = "budget_id"
OF_LIMIT = tuple(Limit.__dataclass_fields__)


@dataclass(frozen=True)
class Budget:
    """`changed_at`: the moment its limit was set; displayed history is by the present limit."""

    id: str
    name: str
    limit: Limit
    created_at: datetime
    created_by: str
    changed_at: datetime


class Budgets(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[Budget]:
        """Budgets in order of creation."""
        with self._database.reading() as connection:
            return self._budgets(connection, self._project_id(connection, organization_id, slug))

    def get(self, organization_id: int, slug: str, budget_id: str) -> Budget:
        with self._database.reading() as connection:
            return self._budget(connection, organization_id, slug, budget_id)

    def create(self, organization_id: int, slug: str, name: str, limit: Limit, *, actor: str) -> Budget:
        values = {"name": checked_name(name, LONGEST_NAME), **asdict(limit)}
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            counted = select(func.count()).where(
                budgets.c.project_id == project_id, budgets.c.deleted_at.is_(None)
            )
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} budgets")
            budget_id, now = uuid4().hex, self._database.now()
            connection.execute(
                insert(budgets).values(
                    id=budget_id,
                    project_id=project_id,
                    created_at=now,
                    created_by=actor,
                    changed_at=now,
                    **values,
                )
            )
            self._record(
                connection, organization_id, Action.BUDGET_CREATED, actor=actor, subject=values["name"]
            )
            return self._budget(connection, organization_id, slug, budget_id)

    def change(
        self, organization_id: int, slug: str, budget_id: str, name: str, limit: Limit, *, actor: str
    ) -> Budget:
        values = {"name": checked_name(name, LONGEST_NAME), **asdict(limit)}
        with self._database.writing() as connection:
            before = self._budget(connection, organization_id, slug, budget_id)
            changed_at = before.changed_at if before.limit == limit else self._database.now()
            connection.execute(
                update(budgets).where(budgets.c.id == budget_id).values(changed_at=changed_at, **values)
            )
            self._record(
                connection, organization_id, Action.BUDGET_CHANGED, actor=actor, subject=values["name"]
            )
            return self._budget(connection, organization_id, slug, budget_id)

    def delete(self, organization_id: int, slug: str, budget_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            budget = self._budget(connection, organization_id, slug, budget_id)
            connection.execute(
                update(budgets).where(budgets.c.id == budget_id).values(deleted_at=self._database.now())
            )
            # Rules that follow it are turned off, and keep its last limit.
            connection.execute(
                update(alert_rules)
                .where(
                    alert_rules.c.project_id == self._project_id(connection, organization_id, slug),
                    alert_rules.c.condition == json.dumps({FOLLOWED: budget_id}),
                )
                .values(is_on=False, condition=json.dumps(budget.limit.as_condition()))
            )
            self._record(connection, organization_id, Action.BUDGET_DELETED, actor=actor, subject=budget.name)

    def _budget(self, connection: Connection, organization_id: int, slug: str, budget_id: str) -> Budget:
        project_id = self._project_id(connection, organization_id, slug)
        for budget in self._budgets(connection, project_id):
            if budget.id == budget_id:
                return budget
        raise BudgetNotFound(budget_id)

    def _budgets(self, connection: Connection, project_id: int) -> list[Budget]:
        rows = connection.execute(
            select(budgets)
            .where(budgets.c.project_id == project_id, budgets.c.deleted_at.is_(None))
            .order_by(budgets.c.created_at, budgets.c.id)
        )
        return [budget_of(row._mapping) for row in rows]


def budget_of(row: Mapping[Any, Any]) -> Budget:
    limit = Limit(**{name: row[name] for name in OF_LIMIT})
    return Budget(row["id"], row["name"], limit, row["created_at"], row["created_by"], row["changed_at"])

"""Performance budgets of projects."""

from dataclasses import asdict
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.budgets.limit import Limit
from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.state.activity_actions import Action
from errata.state.alerts.rule import FOLLOWED, Rule
from errata.state.errors import BudgetNotFound
from errata.state.repository import Repository
from errata.state.table import Table, objects

LONGEST_NAME = 100
MOST_A_PROJECT = 100


class Budget(Table):
    """`changed_at`: the moment its limit was set; displayed history is by the present limit."""

    __tablename__ = "budgets"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str] = mapped_column(String(LONGEST_NAME))
    metric: Mapped[str] = mapped_column(String(32))
    statistic: Mapped[str] = mapped_column(String(8))
    threshold: Mapped[float]
    pattern: Mapped[str] = mapped_column(String(200))
    environment: Mapped[str] = mapped_column(String(64))
    device: Mapped[str] = mapped_column(String(16))
    window_hours: Mapped[int]
    least_samples: Mapped[int]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    changed_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)

    @property
    def limit(self) -> Limit:
        return Limit(**{name: getattr(self, name) for name in Limit.__dataclass_fields__})


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
            counted = select(func.count()).where(Budget.project_id == project_id, Budget.deleted_at.is_(None))
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} budgets")
            budget_id, now = uuid4().hex, self._database.now()
            connection.execute(
                insert(Budget).values(
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
                update(Budget).where(Budget.id == budget_id).values(changed_at=changed_at, **values)
            )
            self._record(
                connection, organization_id, Action.BUDGET_CHANGED, actor=actor, subject=values["name"]
            )
            return self._budget(connection, organization_id, slug, budget_id)

    def delete(self, organization_id: int, slug: str, budget_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            budget = self._budget(connection, organization_id, slug, budget_id)
            connection.execute(
                update(Budget).where(Budget.id == budget_id).values(deleted_at=self._database.now())
            )
            # Rules that follow it are turned off, and keep its last limit.
            connection.execute(
                update(Rule)
                .where(
                    Rule.project_id == self._project_id(connection, organization_id, slug),
                    Rule.condition == {FOLLOWED: budget_id},
                )
                .values(is_on=False, condition=budget.limit.as_condition())
            )
            self._record(connection, organization_id, Action.BUDGET_DELETED, actor=actor, subject=budget.name)

    def _budget(self, connection: Connection, organization_id: int, slug: str, budget_id: str) -> Budget:
        project_id = self._project_id(connection, organization_id, slug)
        for budget in self._budgets(connection, project_id):
            if budget.id == budget_id:
                return budget
        raise BudgetNotFound(budget_id)

    def _budgets(self, connection: Connection, project_id: int) -> list[Budget]:
        query = (
            select(Budget)
            .where(Budget.project_id == project_id, Budget.deleted_at.is_(None))
            .order_by(Budget.created_at, Budget.id)
        )
        return objects(Budget, connection.execute(query))

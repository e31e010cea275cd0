"""Grouping configurations of projects: numbered, one of them in force."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.grouping import CURRENT_VERSION, parse_rules
from errata.grouping.fingerprint import VERSIONS, version_in_use
from errata.state.activity_actions import Action
from errata.state.errors import ConfigurationNotFound
from errata.state.repository import Repository
from errata.state.table import Table, objects, unique_where


class ConfigurationState(StrEnum):
    """`draft`: never active; `rolled_back`: replaced by an earlier one; `earlier`: replaced by a later
    one."""

    DRAFT = "draft"
    ACTIVE = "active"
    EARLIER = "earlier"
    ROLLED_BACK = "rolled_back"


class NumberedConfiguration(Table):
    """One draft and one in force a project."""

    __tablename__ = "grouping_configurations"
    __table_args__ = (
        unique_where("state = 'active'", "uq_grouping_configurations_project_id_active", "project_id"),
        unique_where("state = 'draft'", "uq_grouping_configurations_project_id_draft", "project_id"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    fingerprint_version: Mapped[int]
    rules: Mapped[str]
    state: Mapped[ConfigurationState]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    applied_at: Mapped[datetime | None] = mapped_column(default=None)
    applied_by: Mapped[str] = mapped_column(String(320))

    @property
    def version(self) -> int:
        return version_in_use(self.fingerprint_version)


IS_DRAFT = NumberedConfiguration.state == ConfigurationState.DRAFT
IS_ACTIVE = NumberedConfiguration.state == ConfigurationState.ACTIVE


class GroupingConfigurations(Repository):
    def of_project(self, project_id: int) -> list[NumberedConfiguration]:
        """Configurations of a project, the newest first."""
        return self._found(project_id)

    def get(self, project_id: int, number: int) -> NumberedConfiguration:
        for found in self._found(project_id, NumberedConfiguration.number == number):
            return found
        raise ConfigurationNotFound(number)

    def active(self, project_id: int) -> NumberedConfiguration:
        [active] = self._found(project_id, IS_ACTIVE)
        return active

    def save_draft(self, project_id: int, version: int, rules: str, *, actor: str) -> NumberedConfiguration:
        """Creates or changes the one draft of the project. RulesNotUnderstood names every wrong line."""
        if version not in VERSIONS:
            known = ", ".join(map(str, VERSIONS))
            raise InvalidParameter("version", f"one of {known}")
        parse_rules(rules)
        now = self._database.now()
        values = {"fingerprint_version": version, "rules": rules, "created_at": now, "created_by": actor}
        with self._database.writing() as connection:
            changed = connection.execute(
                update(NumberedConfiguration)
                .where(
                    NumberedConfiguration.project_id == project_id,
                    IS_DRAFT,
                )
                .values(**values)
                .returning(NumberedConfiguration.number)
            ).scalar_one_or_none()
            number = changed or self._next_number(connection, project_id)
            if changed is None:
                connection.execute(
                    insert(NumberedConfiguration).values(
                        project_id=project_id,
                        number=number,
                        state=ConfigurationState.DRAFT,
                        applied_by="",
                        **values,
                    )
                )
        return self.get(project_id, number)

    def discard_draft(self, project_id: int) -> None:
        with self._database.writing() as connection:
            connection.execute(
                delete(NumberedConfiguration).where(
                    NumberedConfiguration.project_id == project_id,
                    IS_DRAFT,
                )
            )

    def activate(self, organization_id: int, slug: str, project_id: int, number: int, *, actor: str) -> None:
        """Puts a configuration in force for new events; those it replaces become rolled back or earlier
        ones."""
        with self._database.writing() as connection:
            own = NumberedConfiguration.project_id == project_id
            active = connection.execute(
                select(NumberedConfiguration.number).where(own, IS_ACTIVE)
            ).scalar_one()
            if active == number:
                return
            left = ConfigurationState.ROLLED_BACK if number < active else ConfigurationState.EARLIER
            statement = update(NumberedConfiguration).where(own)
            former = statement.where(NumberedConfiguration.number == active)
            connection.execute(former.values(state=left))
            connection.execute(
                statement.where(NumberedConfiguration.number == number).values(
                    state=ConfigurationState.ACTIVE, applied_at=self._database.now(), applied_by=actor
                )
            )
            action = Action.GROUPING_ROLLED_BACK if number < active else Action.GROUPING_APPLIED
            self._record(connection, organization_id, action, actor=actor, subject=f"{slug} {number}")

    def create_first(self, connection: Connection, project_id: int, actor: str) -> None:
        """Creates the first configuration, with the newest version."""
        now = self._database.now()
        connection.execute(
            insert(NumberedConfiguration).values(
                project_id=project_id,
                number=1,
                fingerprint_version=CURRENT_VERSION,
                rules="",
                state=ConfigurationState.ACTIVE,
                created_at=now,
                created_by=actor,
                applied_at=now,
                applied_by=actor,
            )
        )

    def _found(self, project_id: int, *conditions: ColumnElement[bool]) -> list[NumberedConfiguration]:
        own = NumberedConfiguration.project_id == project_id
        newest_first = NumberedConfiguration.number.desc()
        query = select(NumberedConfiguration).where(own, *conditions).order_by(newest_first)
        with self._database.reading() as connection:
            return objects(NumberedConfiguration, connection.execute(query))

    def _next_number(self, connection: Connection, project_id: int) -> int:
        largest = func.max(NumberedConfiguration.number)
        query = select(largest).where(NumberedConfiguration.project_id == project_id)
        return int(connection.execute(query).scalar_one() or 0) + 1

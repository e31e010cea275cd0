"""Grouping configurations of projects: numbered, one of them in force."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, delete, func, insert, select, update

from errata.errors import InvalidParameter
from errata.grouping import CURRENT_VERSION, parse_rules
from errata.grouping.fingerprint import VERSIONS
from errata.state.activity_actions import Action
from errata.state.errors import ConfigurationNotFound
from errata.state.repository import Repository
from errata.state.tables import grouping_configurations

configurations = grouping_configurations.c


class ConfigurationState(StrEnum):
    """`draft` was never in force, `rolled_back` was left for an earlier one, `earlier` for a later one."""

    DRAFT = "draft"
    ACTIVE = "active"
    EARLIER = "earlier"
    ROLLED_BACK = "rolled_back"


@dataclass(frozen=True)
class NumberedConfiguration:
    number: int
    version: int
    rules: str
    state: ConfigurationState
    created_at: datetime
    created_by: str
    applied_at: datetime | None
    applied_by: str


SELECTED = select(
    configurations.number,
    configurations.fingerprint_version,
    configurations.rules,
    configurations.state,
    configurations.created_at,
    configurations.created_by,
    configurations.applied_at,
    configurations.applied_by,
).order_by(configurations.number.desc())


class GroupingConfigurations(Repository):
    def of_project(self, project_id: int) -> list[NumberedConfiguration]:
        """Configurations of a project, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(SELECTED.where(configurations.project_id == project_id))
            return [_configuration(*row) for row in rows]

    def get(self, project_id: int, number: int) -> NumberedConfiguration:
        query = SELECTED.where(configurations.project_id == project_id, configurations.number == number)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise ConfigurationNotFound(number)
        return _configuration(*row)

    def active(self, project_id: int) -> NumberedConfiguration:
        query = SELECTED.where(
            configurations.project_id == project_id, configurations.state == ConfigurationState.ACTIVE
        )
        with self._database.reading() as connection:
            return _configuration(*connection.execute(query).one())

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
                update(grouping_configurations)
                .where(
                    configurations.project_id == project_id, configurations.state == ConfigurationState.DRAFT
                )
                .values(**values)
                .returning(configurations.number)
            ).scalar_one_or_none()
            number = changed or self._next_number(connection, project_id)
            if changed is None:
                connection.execute(
                    insert(grouping_configurations).values(
                        project_id=project_id,
                        number=number,
                        state=ConfigurationState.DRAFT.value,
                        applied_by="",
                        **values,
                    )
                )
        return self.get(project_id, number)

    def discard_draft(self, project_id: int) -> None:
        with self._database.writing() as connection:
            connection.execute(
                delete(grouping_configurations).where(
                    configurations.project_id == project_id, configurations.state == ConfigurationState.DRAFT
                )
            )

    def activate(self, organization_id: int, slug: str, project_id: int, number: int, *, actor: str) -> None:
        """Puts a configuration in force for new events; those it replaces become rolled back or earlier
        ones."""
        with self._database.writing() as connection:
            own = configurations.project_id == project_id
            active = connection.execute(
                select(configurations.number).where(own, configurations.state == ConfigurationState.ACTIVE)
            ).scalar_one()
            if active == number:
                return
            left = ConfigurationState.ROLLED_BACK if number < active else ConfigurationState.EARLIER
            statement = update(grouping_configurations)
            connection.execute(statement.where(own, configurations.number == active).values(state=left.value))
            connection.execute(
                statement.where(own, configurations.number == number).values(
                    state=ConfigurationState.ACTIVE.value, applied_at=self._database.now(), applied_by=actor
                )
            )
            action = Action.GROUPING_ROLLED_BACK if number < active else Action.GROUPING_APPLIED
            self._record(connection, organization_id, action, actor=actor, subject=f"{slug} {number}")

    def create_first(self, connection: Connection, project_id: int, actor: str) -> None:
        """Creates the first configuration, with the newest version."""
        now = self._database.now()
        connection.execute(
            insert(grouping_configurations).values(
                project_id=project_id,
                number=1,
                fingerprint_version=CURRENT_VERSION,
                rules="",
                state=ConfigurationState.ACTIVE.value,
                created_at=now,
                created_by=actor,
                applied_at=now,
                applied_by=actor,
            )
        )

    def _next_number(self, connection: Connection, project_id: int) -> int:
        largest = select(func.max(configurations.number)).where(configurations.project_id == project_id)
        return int(connection.execute(largest).scalar_one() or 0) + 1


def _configuration(
    number: int,
    version: int,
    rules: str,
    state: str,
    created_at: datetime,
    created_by: str,
    applied_at: datetime | None,
    applied_by: str,
) -> NumberedConfiguration:
    return NumberedConfiguration(
        number, version, rules, ConfigurationState(state), created_at, created_by, applied_at, applied_by
    )

"""The first account: made by `errata up` on an empty store."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.state.activity_actions import Action
from errata.state.api_keys import ApiKeys
from errata.state.database import Database
from errata.state.errors import AccountExists
from errata.state.members import Members
from errata.state.password_hashes import generate_password, hash_password
from errata.state.projects import LONGEST_NAME, Projects, slug_of
from errata.state.repository import Repository
from errata.state.tables import organizations
from errata.state.users import Role, Users, normalized_email


@dataclass(frozen=True)
class FirstAccount:
    """The only place where the keys and the password are in clear."""

    organization: str
    project: str
    api_key: str
    app_key: str
    email: str
    password: str


@dataclass(frozen=True)
class Organization:
    id: int
    name: str


class Accounts(Repository):
    def __init__(
        self,
        database: Database,
        secret: bytes,
        users: Users,
        members: Members,
        api_keys: ApiKeys,
        projects: Projects,
    ) -> None:
        super().__init__(database, secret)
        self._users = users
        self._members = members
        self._api_keys = api_keys
        self._projects = projects

    def exist(self) -> bool:
        with self._database.reading() as connection:
            return connection.execute(select(organizations.c.id).limit(1)).one_or_none() is not None

    def organizations(self) -> list[Organization]:
        query = select(organizations.c.id, organizations.c.name).order_by(organizations.c.id)
        with self._database.reading() as connection:
            return [Organization(*row) for row in connection.execute(query)]

    def create_first(
        self,
        organization: str,
        project: str,
        email: str,
        *,
        keep: Callable[[FirstAccount], None] = lambda account: None,
    ) -> FirstAccount:
        """Creates all of it or nothing; AccountExists if there is one. `keep` writes the secrets to a file
        for a person before the account is committed.

        A crash between the two leaves no account, so that the next start makes another one: never one that
        nobody can enter.
        """
        password = generate_password()
        password_hash = hash_password(password)
        with self._database.writing_alone() as connection:
            if connection.execute(select(organizations.c.id).limit(1)).one_or_none() is not None:
                raise AccountExists
            organization_id = self._create(connection, organization, FIRST_START)
            user_id = self._users.create(connection, organization_id, email, password_hash)
            self._members.join(connection, organization_id, user_id, Role.OWNER, actor=FIRST_START)
            api_key = self._api_keys.issue(connection, organization_id, Action.API_KEY_CREATED, FIRST_START)
            created = self._projects.insert(
                connection, organization_id, project, "", slug_of(project), FIRST_START
            )
            account = FirstAccount(
                organization,
                created.project.slug,
                api_key.key,
                created.app_key.key,
                normalized_email(email),
                password,
            )
            keep(account)
        return account

    def create(self, name: str, *, actor: str) -> tuple[Organization, str]:
        """Creates an organization without projects and people, and returns it with its API key. Raises
        InvalidParameter, also for a name that another one has."""
        name = checked_name(name, LONGEST_NAME)
        with self._database.writing_alone() as connection:
            taken = select(organizations.c.id).where(organizations.c.name == name)
            if connection.execute(taken).one_or_none() is not None:
                raise InvalidParameter("name", "choose a name that no other organization has")
            organization_id = self._create(connection, name, actor)
            issued = self._api_keys.issue(connection, organization_id, Action.API_KEY_CREATED, actor)
        return Organization(organization_id, name), issued.key

    def _create(self, connection: Connection, name: str, actor: str) -> int:
        organization_id: int = connection.execute(
            insert(organizations)
            .values(name=name, created_at=self._database.now())
            .returning(organizations.c.id)
        ).scalar_one()
        self._record(connection, organization_id, Action.ORGANIZATION_CREATED, actor=actor, subject=name)
        return organization_id


FIRST_START = "first start"

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
from errata.state.organization import Organization
from errata.state.password_hashes import generate_password, hash_password
from errata.state.projects import LONGEST_NAME, Projects, slug_of
from errata.state.repository import Repository
from errata.state.table import objects
from errata.state.users import Role, Users, normalized_email


@dataclass(frozen=True)
class FirstAccount:
    """The only place where the keys and the password are in clear."""

    organization: str
    project: str
    project_id: int
    api_key: str
    app_key: str
    public_key: str
    email: str
    password: str


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
            return connection.execute(select(Organization.id).limit(1)).one_or_none() is not None

    def organizations(self) -> list[Organization]:
        with self._database.reading() as connection:
            return objects(Organization, connection.execute(select(Organization).order_by(Organization.id)))

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
            if connection.execute(select(Organization.id).limit(1)).one_or_none() is not None:
                raise AccountExists
            organization_id = self._create(connection, organization, FIRST_START).id
            user_id = self._users.create(connection, organization_id, email, password_hash)
            self._members.join(connection, organization_id, user_id, Role.OWNER, actor=FIRST_START)
            api_key = self._api_keys.issue(connection, organization_id, Action.API_KEY_CREATED, FIRST_START)
            created = self._projects.insert(
                connection, organization_id, project, "", slug_of(project), FIRST_START
            )
            account = FirstAccount(
                organization,
                created.project.slug,
                created.project.id,
                api_key.key,
                created.app_key.key,
                created.public_key.key,
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
            taken = select(Organization.id).where(Organization.name == name)
            if connection.execute(taken).one_or_none() is not None:
                raise InvalidParameter("name", "choose a name that no other organization has")
            created = self._create(connection, name, actor)
            issued = self._api_keys.issue(connection, created.id, Action.API_KEY_CREATED, actor)
        return created, issued.key

    def _create(self, connection: Connection, name: str, actor: str) -> Organization:
        new = insert(Organization).values(name=name, created_at=self._database.now()).returning(Organization)
        [created] = objects(Organization, connection.execute(new))
        self._record(connection, created.id, Action.ORGANIZATION_CREATED, actor=actor, subject=name)
        return created


FIRST_START = "first start"

"""Application keys: they name the project of a line, and authenticate nothing."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    case,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from errata.errors import InvalidParameter
from errata.grouping import CURRENT_VERSION
from errata.state.activity_actions import Action
from errata.state.allowed_origins import OriginsRow, origins_of
from errata.state.app_key import CURRENT, AppKey
from errata.state.database import Database
from errata.state.errors import AppKeyExists, AppKeyNotFound, KeyNotKept, SecretUnreadable
from errata.state.grouping import NumberedConfiguration
from errata.state.inbound_filters import FiltersRow
from errata.state.ingest_limits import route_limits
from errata.state.keys import (
    APP_KEY_PREFIX,
    LONGEST_KEY,
    PUBLIC_KEY_PREFIX,
    SERVICE,
    IssuedKey,
    generate_app_key,
    generate_public_key,
    shown_prefix,
)
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.retention import RetentionRow
from errata.state.scrubbing import ScrubbingRules
from errata.state.sealed_secrets import SealedSecrets
from errata.state.table import objects

PURPOSE = "app_key"
REPLACED_ROUTES_FOR = timedelta(days=30)
# Below every database's limit of parameters in one statement.
KEYS_A_READ = 500


@dataclass(frozen=True)
class ProjectRoute:
    project_id: int
    slug: str
    service: str
    # The project's grouping configuration, read with the key: new variants are grouped by it.
    grouping: int = 1
    fingerprint_version: int = CURRENT_VERSION
    rules: str = ""
    # The project's scrubbing rules, read with the key; empty without any.
    scrubbing: str = ""
    # Its retention, read with the key; empty without one of its own.
    retention: str = ""
    # Its inbound filters, read with the key; empty where none is on.
    filters: str = ""
    # Limits of the project and of the key's service (`limits_of`); empty where none is set.
    limits: str = ""


@dataclass(frozen=True)
class Sender:
    """What a key says of a request that comes without a shipper. `origins`: of pages that may send."""

    organization_id: int
    route: ProjectRoute
    origins: tuple[str, ...]


@dataclass(frozen=True)
class PublicKey:
    """`key` is empty if it can't be opened with the service's secret."""

    id: int
    key: str = field(repr=False)
    service: str
    created_at: datetime


# Read with every route: new variants are grouped, events scrubbed and filtered by them.
CONFIGURATION = (
    NumberedConfiguration.number,
    NumberedConfiguration.fingerprint_version,
    NumberedConfiguration.rules,
    func.coalesce(ScrubbingRules.rules, ""),
    func.coalesce(RetentionRow.days, ""),
    func.coalesce(FiltersRow.filters, ""),
)


def _configured(query: Select[Any]) -> Select[Any]:
    """The query of projects joined with what CONFIGURATION reads."""
    is_active = and_(
        NumberedConfiguration.project_id == ProjectRow.id,
        NumberedConfiguration.state == "active",
    )
    return (
        query.join(NumberedConfiguration, is_active)
        .outerjoin(ScrubbingRules, ScrubbingRules.project_id == ProjectRow.id)
        .outerjoin(RetentionRow, RetentionRow.project_id == ProjectRow.id)
        .outerjoin(FiltersRow, FiltersRow.project_id == ProjectRow.id)
    )


OF_KEYS = _configured(
    select(
        AppKey.key_hash,
        ProjectRow.id,
        ProjectRow.slug,
        AppKey.service,
        *CONFIGURATION,
        route_limits(has_service=True),
    ).join(ProjectRow, ProjectRow.id == AppKey.project_id)
).where(
    AppKey.key_hash.in_(bindparam("key_hashes", expanding=True)),
    ProjectRow.deleted_at.is_(None),
    AppKey.revoked_at.is_(None),
    or_(AppKey.replaced_at.is_(None), AppKey.replaced_at > bindparam("replaced_after")),
)
ROUTES = OF_KEYS.where(ProjectRow.organization_id == bindparam("organization_id"))
SENDERS = OF_KEYS.outerjoin(OriginsRow, OriginsRow.project_id == ProjectRow.id).add_columns(
    ProjectRow.organization_id, func.coalesce(OriginsRow.origins, "")
)
ROUTE_OF_PROJECT = _configured(
    select(ProjectRow.id, ProjectRow.slug, literal(""), *CONFIGURATION, route_limits(has_service=False))
)


class AppKeys(Repository):
    def __init__(self, database: Database, secret: bytes, secrets: SealedSecrets) -> None:
        super().__init__(database, secret)
        self._secrets = secrets

    def routes(self, organization_id: int, keys: Collection[str]) -> dict[str, ProjectRoute]:
        """The projects of these keys. Unknown, revoked and foreign ones are left out."""
        by_hash = {self._hash(key): key for key in keys if _is_app_key(key)}
        if not by_hash:
            return {}
        hashes = list(by_hash)
        replaced_after = self._database.now() - REPLACED_ROUTES_FOR
        found: dict[str, ProjectRoute] = {}
        with self._database.reading() as connection:
            for start in range(0, len(hashes), KEYS_A_READ):
                rows = connection.execute(
                    ROUTES,
                    {
                        "key_hashes": hashes[start : start + KEYS_A_READ],
                        "organization_id": organization_id,
                        "replaced_after": replaced_after,
                    },
                )
                found |= {by_hash[key_hash]: ProjectRoute(*rest) for key_hash, *rest in rows}
        return found

    def sender(self, key: str) -> Sender | None:
        """The project of a key, of whichever organization; None if it is unknown or revoked."""
        if not _is_app_key(key):
            return None
        parameters = {
            "key_hashes": [self._hash(key)],
            "replaced_after": self._database.now() - REPLACED_ROUTES_FOR,
        }
        with self._database.reading() as connection:
            row = connection.execute(SENDERS, parameters).one_or_none()
        if row is None:
            return None
        _, *route, organization_id, origins = row
        return Sender(organization_id, ProjectRoute(*route), origins_of(origins))

    def project_of(self, organization_id: int, key: str) -> int:
        """The project of a key, accepted or not; the organization's first for a key that is none of its."""
        of_key = func.max(case((AppKey.key_hash == self._hash(key[:LONGEST_KEY]), ProjectRow.id)))
        query = (
            select(func.coalesce(of_key, func.min(ProjectRow.id)))
            .outerjoin(AppKey, AppKey.project_id == ProjectRow.id)
            .where(ProjectRow.organization_id == organization_id, ProjectRow.deleted_at.is_(None))
        )
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one() or 0

    def route_of_project(self, organization_id: int, slug: str) -> ProjectRoute:
        """The route of what the service itself sends to a project, without a key."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(ROUTE_OF_PROJECT.where(ProjectRow.id == project_id)).one()
        return ProjectRoute(*row)

    def of_project(self, organization_id: int, slug: str, *, is_public: bool = False) -> list[AppKey]:
        query = select(AppKey).order_by(AppKey.service, AppKey.id.desc())
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            own = query.where(AppKey.project_id == project_id, AppKey.is_public == is_public)
            return objects(AppKey, connection.execute(own))

    def public_keys(self, organization_id: int, slug: str) -> list[PublicKey]:
        """The public keys that send: whoever sees the project sees them whole."""
        keys = self.of_project(organization_id, slug, is_public=True)
        return [
            PublicKey(key.id, self._text(organization_id, key), key.service, key.created_at)
            for key in keys
            if key.state == "current"
        ]

    def give_public_keys(self) -> None:
        """Gives projects that never had a public key their first one, so that each has a DSN."""
        with_one = select(AppKey.project_id).where(AppKey.is_public)
        lacking = select(ProjectRow).where(ProjectRow.deleted_at.is_(None), ProjectRow.id.not_in(with_one))
        with self._database.writing_alone() as connection:
            for project in objects(ProjectRow, connection.execute(lacking)):
                where = connection, project.organization_id, project.id, project.slug
                self.issue(*where, "", Action.APP_KEY_CREATED, "", is_public=True)

    def _text(self, organization_id: int, key: AppKey) -> str:
        try:
            return self._secrets.open(organization_id, key.sealed_id).get_secret_value()
        except SecretUnreadable:
            return ""

    def services(self, project_id: int) -> list[str]:
        """The services that any key of the project ever named, by name."""
        query = select(AppKey.service).where(AppKey.project_id == project_id, AppKey.service != "")
        with self._database.reading() as connection:
            return list(connection.execute(query.distinct().order_by(AppKey.service)).scalars())

    def create(
        self, organization_id: int, slug: str, service: str, *, actor: str, is_public: bool = False
    ) -> IssuedKey:
        """Creates a further key for one service; an empty service if the project's own key was revoked."""
        if service and not SERVICE.fullmatch(service):
            raise InvalidParameter(
                "service",
                "1 to 32 lowercase letters, digits and hyphens, not starting or ending with a hyphen",
            )
        try:
            with self._database.writing() as connection:
                project_id = self._project_id(connection, organization_id, slug)
                return self.issue(
                    connection,
                    organization_id,
                    project_id,
                    slug,
                    service,
                    Action.APP_KEY_CREATED,
                    actor,
                    is_public=is_public,
                )
        except IntegrityError as error:
            raise AppKeyExists(service) from error

    def regenerate(self, organization_id: int, slug: str, service: str = "", *, actor: str) -> IssuedKey:
        """Replaces the key; the old value routes lines for 30 more days, while applications are deployed
        again."""
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            replaced = connection.execute(
                update(AppKey)
                .where(
                    AppKey.project_id == project_id,
                    AppKey.service == service,
                    AppKey.is_public == false(),
                    *CURRENT,
                )
                .values(replaced_at=self._database.now())
            ).rowcount
            if not replaced:
                raise AppKeyNotFound(f"for service {service}" if service else "for the whole project")
            return self.issue(
                connection, organization_id, project_id, slug, service, Action.APP_KEY_REGENERATED, actor
            )

    def revoke(self, organization_id: int, slug: str, key_id: int, *, actor: str) -> None:
        """Revokes the key: its lines are refused from now on; a replaced key can be revoked too."""
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(
                update(AppKey)
                .where(
                    AppKey.id == key_id,
                    AppKey.project_id == project_id,
                    AppKey.revoked_at.is_(None),
                )
                .values(revoked_at=self._database.now())
                .returning(AppKey.prefix, AppKey.sealed_id)
            ).one_or_none()
            if row is None:
                raise AppKeyNotFound(f"with ID {key_id}")
            self._secrets.drop(connection, organization_id, row.sealed_id)
            self._record(
                connection,
                organization_id,
                Action.APP_KEY_REVOKED,
                actor=actor,
                subject=slug,
                key_prefix=row.prefix,
            )

    def reveal(self, organization_id: int, slug: str, key_id: int, *, actor: str) -> str:
        """The whole key. Raises AppKeyNotFound for a revoked one, and KeyNotKept for a key of a version that
        kept hashes alone."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            row = connection.execute(
                select(AppKey.prefix, AppKey.sealed_id).where(
                    AppKey.id == key_id,
                    AppKey.project_id == project_id,
                    AppKey.revoked_at.is_(None),
                )
            ).one_or_none()
            if row is None:
                raise AppKeyNotFound(f"with ID {key_id}")
            if not row.sealed_id:
                raise KeyNotKept
        text = self._secrets.open(organization_id, row.sealed_id).get_secret_value()
        with self._database.writing() as connection:
            self._record(
                connection,
                organization_id,
                Action.APP_KEY_VIEWED,
                actor=actor,
                subject=slug,
                key_prefix=row.prefix,
            )
        return text

    def issue(
        self,
        connection: Connection,
        organization_id: int,
        project_id: int,
        slug: str,
        service: str,
        action: Action,
        actor: str,
        is_public: bool = False,
    ) -> IssuedKey:
        key = generate_public_key() if is_public else generate_app_key(service)
        now = self._database.now()
        prefix = shown_prefix(key)
        key_id = connection.execute(
            insert(AppKey)
            .values(
                project_id=project_id,
                service=service,
                key_hash=self._hash(key),
                prefix=prefix,
                created_at=now,
                sealed_id=self._secrets.keep(connection, organization_id, PURPOSE, key),
                is_public=is_public,
            )
            .returning(AppKey.id)
        ).scalar_one()
        self._record(connection, organization_id, action, actor=actor, subject=slug, key_prefix=prefix)
        return IssuedKey(key_id, key, prefix, now)


def _is_app_key(key: str) -> bool:
    return key.startswith((APP_KEY_PREFIX, PUBLIC_KEY_PREFIX)) and len(key) <= LONGEST_KEY

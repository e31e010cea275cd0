"""Organizations made for the matrix, each with its project and its keys."""

from dataclasses import dataclass

from sqlalchemy import insert

from errata.state import Store
from errata.state.database import Database, utc_now
from errata.state.organization import Organization
from tests.service import Service

ACTOR = "bench"


@dataclass
class Tenant:
    """The keys are those that are current."""

    organization_id: int
    project: str
    api_key: str
    app_key: str


class Tenants:
    def __init__(self, service: Service) -> None:
        url = f"sqlite:///{service.directory / 'state.db'}"
        self._database = Database(url)
        self._store = Store.open(url, (service.directory / "secret").read_text().strip().encode())

    def create(self, name: str) -> Tenant:
        with self._database.writing() as connection:
            organization_id = connection.execute(
                insert(Organization).values(name=name, created_at=utc_now()).returning(Organization.id)
            ).scalar_one()
        api_key = self._store.keys.api.regenerate(organization_id, actor=ACTOR).key
        created = self._store.projects.create(organization_id, name, actor=ACTOR)
        return Tenant(organization_id, created.project.slug, api_key, created.app_key.key)

    def rotate_keys(self, tenant: Tenant) -> None:
        """The old API key is refused from now on, the old application key still routes lines."""
        organization_id, project = tenant.organization_id, tenant.project
        tenant.api_key = self._store.keys.api.regenerate(organization_id, actor=ACTOR).key
        tenant.app_key = self._store.keys.app.regenerate(organization_id, project, actor=ACTOR).key

    def close(self) -> None:
        self._store.close()
        self._database.close()

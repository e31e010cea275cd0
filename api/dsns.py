"""The DSNs of a project, as REST and pages show them."""

from dataclasses import dataclass, field
from datetime import datetime

from api.context import Context
from errata.dsn import dsn_of
from errata.state.projects import Project


@dataclass(frozen=True)
class ProjectDsn:
    """`id`: of its public key; an empty `service`: of the whole project."""

    id: int
    dsn: str = field(repr=False)
    service: str
    created_at: datetime


def dsns_of(context: Context, organization_id: int, project: Project) -> list[ProjectDsn]:
    """Those in use, of the whole project first. A key that can't be opened is left out."""
    return [
        ProjectDsn(key.id, dsn_of(context.base_url, key.key, project.id), key.service, key.created_at)
        for key in context.state.keys.app.public_keys(organization_id, project.slug)
        if key.key
    ]

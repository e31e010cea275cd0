"""What the service has received of an organization's hosts, and when it could receive."""

from api.context import Context
from errata.monitors.reception import Reception


def reception_of(context: Context, organization_id: int) -> Reception:
    projects = context.state.projects.of_organization(organization_id)
    return Reception([project.id for project in projects], context.state.uptimes.absences())

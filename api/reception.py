"""What the service has received of an organization's hosts, when it could receive, and what is declared."""

from api.context import Context
from errata.monitors.reception import Reception


def reception_of(context: Context, organization_id: int, project_id: int) -> Reception:
    """Of the monitors of a project."""
    state = context.state
    projects = state.projects.of_organization(organization_id)
    return Reception(
        [project.id for project in projects],
        state.uptimes.absences(),
        state.monitors.declarations(project_id),
    )

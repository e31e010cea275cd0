"""The navigation among the settings of a project."""

from errata.places import SETTINGS, Place
from errata.state.projects import Project


def navigation(project: Project, entry: Place) -> dict[str, object]:
    """The values of navigation.html."""
    return {"entries": SETTINGS, "entry": entry, "project_address": f"/projects/{project.slug}"}

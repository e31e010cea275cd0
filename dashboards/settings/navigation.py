"""The navigation among the settings of a project."""

from dataclasses import dataclass

from errata.state.projects import Project


@dataclass(frozen=True)
class Entry:
    """`path` continues `/projects/{slug}/settings`."""

    title: str
    path: str


# A page of settings is a folder here, and a line in ENTRIES.
GENERAL = Entry("General", "")
INTEGRATIONS = Entry("Integrations and share links", "/integrations")
GROUPING = Entry("Grouping", "/grouping")
FILTERING = Entry("Filtering", "/filtering")
ENTRIES = (GENERAL, INTEGRATIONS, GROUPING, FILTERING)


def navigation(project: Project, entry: Entry) -> dict[str, object]:
    """The values of navigation.html."""
    return {
        "entries": ENTRIES,
        "entry": entry,
        "settings_address": f"/projects/{project.slug}/settings",
    }

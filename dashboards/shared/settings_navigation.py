"""The navigation beside the pages of settings: of a project, and of its organization."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from errata.places import ORGANIZATION, SETTINGS, Place
from errata.state.projects import Project


@dataclass(frozen=True)
class Entry:
    place: Place
    address: str
    is_current: bool


def navigation(current: Place, project: Project | None = None) -> dict[str, object]:
    """The values of settings.html."""
    address = f"/projects/{quote(project.slug, safe='')}" if project else ""
    groups = [("Project", list(_entries(SETTINGS, current, address)))] if project else []
    groups.append(("Organization", list(_entries(ORGANIZATION, current))))
    return {"entry": current, "groups": groups, "project_address": address}


def _entries(places: tuple[Place, ...], current: Place, address: str = "") -> Iterator[Entry]:
    for place in places:
        yield Entry(place, address + place.path, place == current)

"""The navigation among the settings of an organization."""

from errata.places import ORGANIZATION, Place


def navigation(entry: Place) -> dict[str, object]:
    """The values of navigation.html."""
    return {"entries": ORGANIZATION, "entry": entry}

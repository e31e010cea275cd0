"""Time zones by their names in the IANA database, such as Europe/Berlin."""

from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from errata.errors import InvalidParameter

# Zones of places, not their older names, and no zones of the machine itself.
AREAS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


@cache
def time_zones() -> tuple[str, ...]:
    """The names to choose from, UTC first."""
    return ("UTC", *sorted(name for name in available_timezones() if name.startswith(AREAS)))


def zone_of(name: str) -> tzinfo:
    """A name that this machine does not know stands for UTC: another one may have stored it."""
    return ZoneInfo(name) if name in time_zones()[1:] else UTC


def known_zone(name: str) -> str:
    if name not in time_zones():
        raise InvalidParameter("time_zone", "a name such as Europe/Berlin")
    return name

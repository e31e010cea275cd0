"""Services of log files in words, and as choices of the filter."""

from collections.abc import Sequence

from errata.service_names import NO_SERVICE, SEVERAL_SERVICES

NO_SERVICE_WORDS = "No service"
SEVERAL_WORDS = "Several services"


def service_words(service: str) -> str:
    """The service of a row of the ledger, within a line of facts."""
    if service == SEVERAL_SERVICES:
        return SEVERAL_WORDS.lower()
    return service or NO_SERVICE_WORDS.lower()


def service_choices(services: Sequence[str], chosen: str) -> list[tuple[str, str]]:
    """Values and words; none for a project whose keys name no service, unless one is chosen."""
    if not services and not chosen:
        return []
    named = sorted({*services, *([chosen] if chosen else [])} - {NO_SERVICE, SEVERAL_SERVICES})
    return [
        *((name, name) for name in named),
        (NO_SERVICE, NO_SERVICE_WORDS),
        (SEVERAL_SERVICES, SEVERAL_WORDS),
    ]

"""Pages and requests of a developer's own machine."""

from functools import lru_cache
from urllib.parse import urlsplit

from errata.filters.inbound_filter import ALL_TYPES, InboundFilter
from errata.filters.incoming_event import IncomingEvent
from errata.filters.networks import address_of


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    return _is_local(event.ip_address) or _leads_to_this_machine(event.url)


def _is_local(text: str) -> bool:
    address = address_of(text) if text else None
    return address is not None and address.is_loopback


@lru_cache(maxsize=1024)
def _leads_to_this_machine(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return False
    is_named = host == "localhost" or host.endswith(".localhost")
    return parts.scheme == "file" or is_named or _is_local(host)


FILTER = InboundFilter(
    "localhost",
    "Localhost",
    "Events of a developer's machine: the address of the page or request is localhost or a file, or the IP "
    "address is 127.0.0.1 or ::1.",
    ALL_TYPES,
    matches,
)

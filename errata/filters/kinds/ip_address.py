"""Events of some IP addresses, such as those of an office or of a scanner."""

from errata.filters.inbound_filter import ALL_TYPES, EntryList, InboundFilter
from errata.filters.incoming_event import IncomingEvent
from errata.filters.networks import address_of, networks_of, problem_of_network


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    address = address_of(event.ip_address) if event.ip_address else None
    return address is not None and any(address in network for network in networks_of(entries))


FILTER = InboundFilter(
    "ip-address",
    "IP addresses",
    "Events of users with one of these IP addresses, if the SDK sends addresses.",
    ALL_TYPES,
    matches,
    EntryList(
        "Addresses and ranges",
        "IPv4 or IPv6, as an address or a CIDR range.",
        "203.0.113.0/24",
        problem_of_network,
    ),
)

"""IP addresses and CIDR ranges of filters."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network


@lru_cache(maxsize=4096)
def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """The address; an IPv4 address that is written as one of IPv6 is the former. None for other texts."""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


@lru_cache(maxsize=1024)
def networks_of(entries: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    """The ranges; an address is a range of one."""
    return tuple(ip_network(entry.strip(), strict=False) for entry in entries)


def problem_of_network(entry: str) -> str:
    """Why the entry cannot be used; empty: it can."""
    try:
        (network,) = networks_of((entry,))
    except ValueError:
        return "neither an IP address nor a CIDR range"
    return "" if network.prefixlen else "this range holds every address"

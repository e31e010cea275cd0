"""Where a request comes from."""

import ipaddress
from collections.abc import Mapping

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def sender(peer: str, headers: Mapping[str, str], trusted_proxies: int) -> Address | None:
    """The address of the sender behind so many proxies of ours; None if it is unknown.

    Each proxy adds the address it was reached from at the end of X-Forwarded-For; anyone may have written
    what stands before the addresses of our proxies.
    """
    if trusted_proxies:
        hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",")]
        peer = hops[-trusted_proxies] if len(hops) >= trusted_proxies else ""
    return parsed(peer)


def parsed(text: str) -> Address | None:
    """Of an address with or without a port; None if it is none. The zone of an IPv6 address, any text, is
    left out, and an IPv4 address that a socket of both kinds writes as IPv6 is itself again."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network(address: str) -> str:
    """The address, or the /64 network of an IPv6 address: whoever has one of its addresses has them all."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False))

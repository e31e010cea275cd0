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
    try:
        return ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return None


def network(address: str) -> str:
    """The address, or the /64 network of an IPv6 address: whoever has one of its addresses has them all."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False))

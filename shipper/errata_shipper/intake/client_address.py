import ipaddress
from collections.abc import Mapping


def client_address(peer: str, headers: Mapping[str, str], trusted_proxies: int) -> str:
    """Where a request comes from, as far as that tells anything; else empty.

    Each proxy adds the address it was reached from at the end of X-Forwarded-For; what stands before those of
    the proxies that are ours anyone may have written.
    """
    if trusted_proxies:
        hops = [hop.strip() for hop in headers.get("x-forwarded-for", "").split(",")]
        peer = hops[-trusted_proxies] if len(hops) >= trusted_proxies else ""
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return ""
    # A program of this host: its address would make one visitor of all.
    return "" if address.is_loopback else str(address)

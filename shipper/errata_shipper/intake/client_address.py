from collections.abc import Mapping

from errata_wire import address


def client_address(peer: str, headers: Mapping[str, str], trusted_proxies: int) -> str:
    """Where a request comes from, as far as that tells anything; else empty."""
    sender = address.sender(peer, headers, trusted_proxies)
    # A program of this host: its address would make one visitor of all.
    return "" if sender is None or sender.is_loopback else str(sender)

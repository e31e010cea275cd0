"""Which addresses may be connected to: public ones, and the networks that the operator has opened."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from errata.outgoing.errors import AddressRefused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SETTING = "ERRATA_OUTGOING_NETWORKS"
SENDS = "ERRATA_SENDS"
# Everything else in IPv6 is no address of a host in the public internet.
GLOBAL_UNICAST = IPv6Network("2000::/3")
DOCUMENTATION = IPv6Network("3fff::/20")
# IPv6 that carries an IPv4 address: behind a translator it leads there.
LAST_FOUR_BYTES = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
SIX_TO_FOUR = IPv6Network("2002::/16")
TEREDO = IPv6Network("2001::/32")
# Public by their numbers, but inside of Azure and of Oracle's cloud they answer any machine with its secrets.
CLOUD_HOSTS = (IPv4Network("168.63.129.16"), IPv4Network("192.0.0.0/24"))


@dataclass(frozen=True)
class Policy:
    """What the operator has opened beyond HTTPS to public addresses."""

    networks: tuple[Network, ...] = ()
    allows_http: bool = False
    allows_nothing: bool = False

    def require_sending(self, host: str) -> None:
        """Raises AddressRefused where this service sends nothing, before a name is looked up."""
        if self.allows_nothing:
            raise AddressRefused(host, f"this service sends nothing ({SENDS}=false)")

    def check(self, host: str, address: str) -> None:
        """Raises AddressRefused. `host` is what was asked for, `address` where it led."""
        self.require_sending(host)
        parsed = ip_address(address)
        # Whoever sent a message may not learn which machine a name leads to.
        for reached in _reached(parsed):
            if reached.is_multicast or reached.is_unspecified:
                raise AddressRefused(host, "address isn't routable")
            if not _is_public(reached) and not self._is_opened(reached) and not self._is_opened(parsed):
                raise AddressRefused(host, f"private address; allow its network with {SETTING}")

    def _is_opened(self, address: Address) -> bool:
        return any(address.version == network.version and address in network for network in self.networks)


def parsed_networks(text: str) -> tuple[Network, ...]:
    """Of `10.1.0.0/16, 192.168.4.7`; raises ValueError with the part that is neither."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def _reached(address: Address) -> Iterable[Address]:
    """The address, or the IPv4 ones that packets to it may end at."""
    if isinstance(address, IPv4Address):
        return (address,)
    # ::1 and :: lie among those that once carried IPv4 addresses.
    if address.is_loopback or address.is_unspecified:
        return (address,)
    return tuple(_carried(address)) or (address,)


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    if any(address in network for network in LAST_FOUR_BYTES):
        yield IPv4Address(address.packed[-4:])
    if address in SIX_TO_FOUR:
        yield IPv4Address(address.packed[2:6])
    if address in TEREDO and address.teredo is not None:
        yield from address.teredo


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        is_cloud_host = any(address in network for network in CLOUD_HOSTS)
        return address.is_global and not address.is_reserved and not is_cloud_host
    return address in GLOBAL_UNICAST and address not in DOCUMENTATION and address.is_global

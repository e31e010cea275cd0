"""An address typed in by a person, taken apart."""

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from urllib.parse import SplitResult, quote, urlsplit

from errata.outgoing.errors import AddressRefused
from errata.outgoing.policy import Policy

LONGEST_URL = 2_000
DEFAULT_PORTS = {"https": 443, "http": 80}
# What a URL may hold without being escaped, and the sign of what is escaped already.
KEPT = "/?:@!$&'()*+,;=-._~%[]"
NAME = re.compile(
    r"(?=.{1,253}\Z)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII
)
# As a browser has it: what ends in a number is an address in numbers, or nothing.
ENDS_IN_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)", re.ASCII)
# RFC 6761: these names are this machine, whatever a resolver says.
THIS_MACHINE = re.compile(r"(.*\.)?localhost", re.ASCII)


@dataclass(frozen=True)
class Target:
    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parsed(cls, url: str, policy: Policy) -> "Target":
        """Raises AddressRefused for what is not an address of HTTPS, or of HTTP where that is allowed."""
        parts = _split(url)
        if parts.scheme == "http" and not policy.allows_http:
            raise AddressRefused(parts.hostname or url, "only https:// is allowed (see ERRATA_OUTGOING_HTTP)")
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise AddressRefused(url[:100], "not a URL that starts with https://")
        if "@" in parts.netloc:
            raise AddressRefused(parts.hostname, "a URL must not contain a user or password")
        path = quote(parts.path or "/", safe=KEPT) + (
            f"?{quote(parts.query, safe=KEPT)}" if parts.query else ""
        )
        return cls(parts.scheme, canonical_host(parts.hostname), _port(parts), path)

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.path}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    def check(self, policy: Policy) -> None:
        check_host(self.host, policy)


def check_host(host: str, policy: Policy) -> None:
    """Of an address in numbers, in its canonical form; any other name is checked where it is resolved."""
    address = "127.0.0.1" if THIS_MACHINE.fullmatch(host) else host
    try:
        ip_address(address)
    except ValueError:
        return
    policy.check(host, address)


def canonical_host(host: str) -> str:
    """The name in ASCII, or the address as it is usually written: `0x7f.1` is `127.0.0.1` to a resolver.

    Raises AddressRefused for what is neither.
    """
    name = _ascii_host(host).lower().removesuffix(".")
    if ":" in name:
        try:
            return str(ip_address(name))
        except ValueError as error:
            raise AddressRefused(host, "invalid name") from error
    if not NAME.fullmatch(name):
        raise AddressRefused(host, "invalid name")
    return _in_numbers(name) if ENDS_IN_NUMBER.fullmatch(name) else name


def _in_numbers(host: str) -> str:
    """By the resolver's own reading: one to four parts, decimal, octal or hexadecimal."""
    try:
        return str(IPv4Address(socket.inet_aton(host)))
    except OSError as error:
        raise AddressRefused(host, "invalid name") from error


def _split(url: str) -> SplitResult:
    if len(url) > LONGEST_URL or not url.isprintable() or any(character.isspace() for character in url):
        raise AddressRefused(url[:100], f"a URL has at most {LONGEST_URL} characters and no whitespace")
    try:
        return urlsplit(url)
    except ValueError as error:
        raise AddressRefused(url[:100], "not a valid URL") from error


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as error:
        raise AddressRefused(parts.netloc, "invalid port") from error
    if port == 0:
        raise AddressRefused(parts.netloc, "invalid port")
    return DEFAULT_PORTS[parts.scheme] if port is None else port


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    # With httpx comes the newer standard of names; the codec of the standard library keeps to that of 2003.
    import idna

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        raise AddressRefused(host, "invalid name") from error

"""An address typed in by a person, taken apart."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, urlsplit

from errata.outgoing.errors import AddressRefused
from errata.outgoing.policy import Policy

LONGEST_URL = 2_000
DEFAULT_PORTS = {"https": 443, "http": 80}
# What a URL may hold without being escaped, and the sign of what is escaped already.
KEPT = "/?:@!$&'()*+,;=-._~%[]"


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
            raise AddressRefused(url[:100], "not an address that begins with https://")
        if "@" in parts.netloc:
            raise AddressRefused(parts.hostname, "an address may not hold a user or a password")
        path = quote(parts.path or "/", safe=KEPT) + (
            f"?{quote(parts.query, safe=KEPT)}" if parts.query else ""
        )
        return cls(parts.scheme, _ascii_host(parts.hostname), _port(parts), path)

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
        """Of an address in numbers; a name is checked where it is resolved."""
        try:
            ip_address(self.host)
        except ValueError:
            return
        policy.check(self.host, self.host)


def _split(url: str) -> SplitResult:
    if len(url) > LONGEST_URL or not url.isprintable() or any(character.isspace() for character in url):
        raise AddressRefused(url[:100], f"an address has at most {LONGEST_URL} characters and no white space")
    try:
        return urlsplit(url)
    except ValueError as error:
        raise AddressRefused(url[:100], "not an address") from error


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as error:
        raise AddressRefused(parts.netloc, "its port is not one") from error
    return DEFAULT_PORTS[parts.scheme] if port is None else port


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    # With httpx comes the newer standard of names; the codec of the standard library keeps to that of 2003.
    import idna

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError as error:
        raise AddressRefused(host, "its name is not one") from error

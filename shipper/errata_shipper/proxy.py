"""The HTTP proxy on the way to the server: named in errata.yaml, else by the environment as curl takes it."""

import base64
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from errata_shipper.base_url import is_loopback

DIRECT = "none"
_EXAMPLE = "use a URL such as http://proxy.example.com:3128, or none"


class ProxyProblem(ValueError):
    """What is wrong with a proxy's address, with its remedy; never its password."""


@dataclass(frozen=True)
class Proxy:
    # Without user and password.
    url: str
    # `errata.proxy` or the environment variable, for messages.
    named_by: str
    # user:password
    credentials: str | None = field(default=None, repr=False)

    @property
    def is_tls(self) -> bool:
        return self.url.startswith("https:")

    @property
    def headers(self) -> dict[str, str]:
        """What lets the proxy know who asks."""
        if self.credentials is None:
            return {}
        return {"Proxy-Authorization": f"Basic {base64.b64encode(self.credentials.encode()).decode()}"}

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme == "https" else 80)


def proxy_at(address: str, named_by: str) -> Proxy:
    """Raises ProxyProblem if the address is none of an HTTP proxy."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ProxyProblem(f"is not a valid proxy URL; {_EXAMPLE}") from error
    if parts.scheme.startswith("socks"):
        raise ProxyProblem(f"is a SOCKS proxy, but only HTTP proxies are supported; {_EXAMPLE}")
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", address):
        raise ProxyProblem(f"is not a valid proxy URL; {_EXAMPLE}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ProxyProblem(f"must not contain a path; {_EXAMPLE}")
    credentials = None
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Proxy(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", named_by, credentials)


def proxy_of_environment(base_url: str, environment: Mapping[str, str]) -> Proxy | None:
    """What HTTPS_PROXY (HTTP_PROXY for an http server) and NO_PROXY say. Raises ProxyProblem."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    name, address = _variable(environment, f"{parts.scheme}_proxy")
    if not address or is_loopback(host) or _is_exempt(host, _variable(environment, "no_proxy")[1]):
        return None
    # As curl does: a proxy without a scheme is an http one.
    try:
        return proxy_at(address if "://" in address else f"http://{address}", name)
    except ProxyProblem as problem:
        raise ProxyProblem(f"{name} {problem}") from problem


def _variable(environment: Mapping[str, str], name: str) -> tuple[str, str]:
    """The lower-case spelling wins, as it does in curl."""
    for spelling in (name, name.upper()):
        if value := environment.get(spelling, "").strip():
            return spelling, value
    return name, ""


def _is_exempt(host: str, no_proxy: str) -> bool:
    """NO_PROXY: names with all that ends in them, addresses, networks such as 10.0.0.0/8, or *."""
    return any(_covers(entry, host) for entry in re.split(r"[\s,]+", no_proxy) if entry)


def _covers(entry: str, host: str) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        name = entry.lower().lstrip(".")
        return host == name or host.endswith(f".{name}")

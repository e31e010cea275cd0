import ipaddress
import re
from urllib.parse import urlsplit

_EXAMPLE = "use a URL such as https://errata.example.com"


def problem_of_url(url: str, allow_http: bool) -> str | None:
    """What is wrong with a base address, with its remedy."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is not a valid URL ({error}); {_EXAMPLE}"
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", url):
        return f"is not a valid URL; {_EXAMPLE}"
    if parts.query or parts.fragment or parts.username or parts.password:
        return f"must not contain a user, query or fragment; {_EXAMPLE}"
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        return "http sends keys unencrypted; use https, or set allowHttp: true on a private network"
    return None


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

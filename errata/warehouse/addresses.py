"""The addresses of the warehouse: one server, the replicas of one shard, or servers of a cluster."""

from urllib.parse import SplitResult, urlsplit

DEFAULT_PORTS = {"http": 8123, "https": 8443}


def addresses_of(url: str) -> tuple[str, ...]:
    """A URL for each server of `http://user:password@one:8123,two:8123`, in that order, each with this user
    and password. Raises ValueError, which does not tell the password, for anything else."""
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS:
        raise ValueError("must begin with http:// or https://")
    login, at, hosts = parts.netloc.rpartition("@")
    if "," in login.partition("@")[2]:
        raise ValueError("has two users: give one user and password before all addresses")
    places = [_place(parts, host) for host in hosts.split(",")]
    if len(set(places)) < len(places):
        raise ValueError(f"lists {places[0]} twice")
    return tuple(parts._replace(netloc=f"{login}{at}{place}").geturl() for place in places)


def place_of(address: str) -> str:
    """`host:port` of one address, without its user."""
    return urlsplit(address).netloc.rpartition("@")[2]


def _place(parts: SplitResult, host: str) -> str:
    of_host = urlsplit(f"//{host}")
    try:
        port = of_host.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        # It may be the begin of a password with a slash.
        raise ValueError("has an address without a valid port") from None
    if not of_host.hostname or host != host.strip():
        raise ValueError("needs a host for each address, as in http://user:password@one:8123,two:8123")
    name = f"[{of_host.hostname}]" if ":" in of_host.hostname else of_host.hostname
    return f"{name}:{port}"

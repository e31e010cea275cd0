"""A DSN: the address that an SDK sends to, with the key and the number of its project."""

from urllib.parse import urlsplit


def dsn_of(base_url: str, key: str, project_id: int) -> str:
    """Such as `https://errata_public_…@errata.example.com/3829473222`."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{key}@{parts.netloc}{parts.path.rstrip('/')}/{project_id}"


def moved_dsn(dsn: str, base_url: str) -> str:
    """The DSN of the same project and key where the service has another address."""
    parts = urlsplit(dsn)
    return dsn_of(base_url, parts.username or "", int(parts.path.rpartition("/")[2]))

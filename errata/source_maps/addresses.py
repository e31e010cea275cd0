"""The names under which a script's file may have been uploaded."""

from urllib.parse import unquote, urljoin, urlsplit

# Of a bundle's files: any host, as tools that upload artifacts write it.
ANY_HOST = "~"
# Uploads have no longer names.
LONGEST_NAME = 1000


def names_of(url: str) -> tuple[str, ...]:
    """The names of a frame's URL, the most particular first; none of what has no file (`<anonymous>`).
    Browsers encode what files are called, such as `[slug].js`."""
    path = _path(url) if len(url) <= LONGEST_NAME else None
    if path is None:
        return ()
    whole = url.split("?", 1)[0].split("#", 1)[0]
    return tuple(dict.fromkeys((whole, ANY_HOST + path, ANY_HOST + unquote(path))))


def name_of_file(url: str) -> str:
    """The last part of a URL's path, decoded: what a look for something near goes by."""
    return unquote(_path(url) or "").rpartition("/")[2]


def map_name(file_name: str, reference: str) -> str:
    """The name of the map that a file named so refers to, `reference` being relative to it; empty if that is
    no URL."""
    host = ANY_HOST if file_name.startswith(ANY_HOST) else ""
    try:
        return reference if "://" in reference else host + urljoin(file_name.removeprefix(host), reference)
    except ValueError:
        return ""


def _path(url: str) -> str | None:
    if url.startswith("/"):
        return url.split("?", 1)[0].split("#", 1)[0]
    if url.startswith(ANY_HOST + "/"):
        return url[1:]
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if (
        parts.scheme not in ("http", "https", "app", "file", "capacitor", "webpack-internal")
        or len(parts.path) < 2
    ):
        return None
    return parts.path

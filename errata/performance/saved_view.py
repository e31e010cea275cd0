"""The address of a saved view: a performance page with its filters and sort, without the project it is of."""

from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from errata.errors import InvalidParameter

LONGEST = 2000
# Below /projects/{slug}/performance. Pages of one load or budget are left out: what they show ends.
PAGES = {
    "": "Overview",
    "/resources": "Resources",
    "/page": "Page",
    "/endpoint": "Endpoint",
    "/trends": "Trends",
    "/releases": "Releases",
    "/release": "Release",
    "/recommendations": "Recommendations",
    "/budgets": "Budgets",
}
# Of a moment or a request, not of a view.
DROPPED = ("cursor", "csrf_token")


def view_of(address: str, slug: str) -> str:
    """The view that an address of this project shows, the same text for equal views. Raises
    InvalidParameter."""
    path, query = _parts(address)
    start = f"/projects/{slug}/performance"
    if not path.startswith(start):
        raise InvalidParameter("address", "an address of this project's performance pages")
    page = path.removeprefix(start)
    if page not in PAGES:
        raise InvalidParameter("address", "a performance page that can be saved")
    chosen = sorted((name, value) for name, value in parse_qsl(query) if name not in DROPPED)
    view = f"{page}?{urlencode(chosen)}" if chosen else page
    if len(view) > LONGEST:
        raise InvalidParameter("address", f"at most {LONGEST} characters")
    return view


def can_be_saved(address: str, slug: str) -> bool:
    try:
        view_of(address, slug)
    except InvalidParameter:
        return False
    return True


def address_of(view: str, slug: str) -> str:
    """The address of a saved view in a project."""
    return f"/projects/{quote(slug, safe='')}/performance{view}"


def page_words(view: str) -> str:
    page, _, query = view.partition("?")
    if not page and dict(parse_qsl(query)).get("tab") == "endpoints":
        return "API"
    return PAGES.get(page, "")


def _parts(address: str) -> tuple[str, str]:
    """Path and query of an address without a host; empty of every other."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    is_here = not parts.scheme and not parts.netloc and address.isprintable() and len(address) <= 2 * LONGEST
    return (unquote(parts.path), parts.query) if is_here else ("", "")

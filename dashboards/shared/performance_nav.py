"""The tabs of performance: each a page of its own, with the filters of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from dashboards.shared.addresses import View
from errata.performance.filters import FILTERS
from errata.places import PERFORMANCE

CARRIED = ("period", *(one.name for one in FILTERS))


def table_address(slug: str, table: str, view: View, **more: str) -> str:
    """The same rows over HTTP, with the filters of this view: JSON, and with `&format=csv` a file.
    `more`: its own parameters; an empty one leaves a filter out."""
    asked = {name: view[name] for name in CARRIED} | more
    parameters = {name: value for name, value in asked.items() if value}
    return f"/api/projects/{quote(slug, safe='')}/performance/{table}?{urlencode(parameters)}"


def performance_address(slug: str, view: View, page: str, /, **parameters: str) -> str:
    """Another page of performance, such as `/page`, with the filters of this view."""
    given = {name: value for name, value in parameters.items() if value}
    query = urlencode({**given, **_carried(view)})
    return f"/projects/{quote(slug, safe='')}/performance{page}{'?' if query else ''}{query}"


def report_address(slug: str, view: View, form: str) -> str:
    """The report with the same filters, as `pdf` or `html`."""
    return performance_address(slug, view, "/reports/file", format=form)


@dataclass(frozen=True, slots=True)
class TabLink:
    words: str
    address: str
    is_current: bool


def performance_nav(slug: str, view: View, current: str) -> Iterator[TabLink]:
    query = urlencode(_carried(view))
    for place in PERFORMANCE:
        joint = "&" if "?" in place.path else "?"
        address = f"/projects/{quote(slug, safe='')}{place.path}{joint + query if query else ''}"
        yield TabLink(place.title, address, place.name == current)


def _carried(view: View) -> dict[str, str]:
    return {name: view[name] for name in CARRIED if view[name] and view[name] != view.defaults.get(name)}

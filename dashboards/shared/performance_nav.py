"""The tabs of performance: each a page of its own, with the filters of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from dashboards.shared.addresses import View
from errata.performance.filters import FILTERS

# Name, words, what follows /projects/{slug}/performance. A new tab is a line here.
TABS = (
    ("pages", "Pages", ""),
    ("resources", "Resources", "/resources"),
    ("endpoints", "API", "?tab=endpoints"),
    ("budgets", "Budgets", "/budgets"),
    ("trends", "Trends", "/trends"),
    ("releases", "Releases", "/releases"),
    ("recommendations", "Recommendations", "/recommendations"),
    ("reports", "Reports", "/reports"),
)
CARRIED = ("period", *(one.name for one in FILTERS))


def table_address(slug: str, table: str, view: View, **more: str) -> str:
    """The same rows over HTTP, with the filters of this view: JSON, and with `&format=csv` a file."""
    parameters = {name: view[name] for name in CARRIED if view[name]} | more
    return f"/api/projects/{quote(slug, safe='')}/performance/{table}?{urlencode(parameters)}"


def performance_address(slug: str, view: View, page: str, /, **parameters: str) -> str:
    """Another page of performance, such as `/page`, with the filters of this view."""
    given = {name: value for name, value in parameters.items() if value}
    query = urlencode({**given, **_carried(view)})
    return f"/projects/{quote(slug, safe='')}/performance{page}{'?' if query else ''}{query}"


def report_address(slug: str, view: View, form: str) -> str:
    """The report with the same filters, as `pdf` or `html`."""
    return table_address(slug, "report", view, format=form)


@dataclass(frozen=True, slots=True)
class TabLink:
    words: str
    address: str
    is_current: bool


def performance_nav(slug: str, view: View, current: str) -> Iterator[TabLink]:
    query = urlencode(_carried(view))
    for name, words, after in TABS:
        joint = "&" if "?" in after else "?"
        address = f"/projects/{quote(slug, safe='')}/performance{after}{joint + query if query else ''}"
        yield TabLink(words, address, name == current)


def _carried(view: View) -> dict[str, str]:
    return {name: view[name] for name in CARRIED if view[name] and view[name] != view.defaults.get(name)}

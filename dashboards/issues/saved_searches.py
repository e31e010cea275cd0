"""The searches above the issue list: every project's, shared ones, one's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.shared.addresses import View
from errata.search.defaults import DEFAULT_SEARCHES
from errata.state.saved_searches import SavedSearch


@dataclass(frozen=True, slots=True)
class SearchLink:
    """`id` is None for a search that every project has and nobody can delete."""

    id: int | None
    name: str
    query: str
    address: str
    is_shared: bool
    can_delete: bool
    is_current: bool


def search_links(view: View, saved: Sequence[SavedSearch], email: str, is_owner: bool) -> list[SearchLink]:
    current = view["query"].strip()
    links = [
        SearchLink(None, name, query, _address(view, query, ""), True, False, current == query)
        for name, query in DEFAULT_SEARCHES
    ]
    for each in saved:
        can_delete = each.owner == email or (is_owner and each.is_shared)
        address = _address(view, each.query, each.sort)
        is_current = bool(each.query) and current == each.query
        links.append(
            SearchLink(each.id, each.name, each.query, address, each.is_shared, can_delete, is_current)
        )
    return links


def _address(view: View, query: str, sort: str) -> str:
    return view.address(
        query=query, status="" if "is:" in query else "all", environment="", release="", sort=sort
    )

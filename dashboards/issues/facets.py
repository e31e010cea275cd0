"""Facets beside the issue list, ready for their template."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.shared.addresses import View
from errata.search import Search
from errata.search.toggle import has_value, toggled
from errata.warehouse.queries.issues.facets import Facet

OPEN = 4
TITLES = {"os": "Operating system", "server": "Server", "type": "Type"}


@dataclass(frozen=True, slots=True)
class Choice:
    """`share` is of the events that have the facet, for the length of a bar."""

    value: str
    count: int
    share: float
    address: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownFacet:
    title: str
    is_tag: bool
    is_open: bool
    choices: Sequence[Choice]


def shown_facets(view: View, search: Search, facets: Sequence[Facet]) -> list[ShownFacet]:
    shown = []
    for number, facet in enumerate(facets):
        choices = [_choice(view, search, facet, value, count) for value, count in facet.values]
        is_open = number < OPEN or any(choice.is_chosen for choice in choices)
        title = facet.name if facet.is_tag else TITLES.get(facet.name, facet.name.capitalize())
        shown.append(ShownFacet(title, facet.is_tag, is_open, choices))
    return shown


def _choice(view: View, search: Search, facet: Facet, value: str, count: int) -> Choice:
    changed = toggled(search, facet.name, facet.is_tag, value)
    return Choice(
        value=value,
        count=count,
        share=count / max(facet.event_count, 1),
        address=view.address(query=str(changed)),
        is_chosen=has_value(search, facet.name, facet.is_tag, value),
    )

"""Saved views of performance pages, as links."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from errata.performance.saved_view import address_of, can_be_saved, page_words, view_of
from errata.state.saved_searches import SavedSearch


@dataclass(frozen=True, slots=True)
class ViewLink:
    id: int
    name: str
    words: str
    """The name of the page that the view is of."""
    address: str
    is_shared: bool
    owner: str
    can_change: bool
    is_current: bool


def view_links(
    saved: Iterable[SavedSearch], slug: str, address: str, email: str, is_owner: bool
) -> Iterator[ViewLink]:
    """`address` is that of the page that shows the links."""
    current = view_of(address, slug) if can_be_saved(address, slug) else None
    for each in saved:
        yield ViewLink(
            id=each.id,
            name=each.name,
            words=page_words(each.query),
            address=address_of(each.query, slug),
            is_shared=each.is_shared,
            owner=each.owner,
            can_change=each.owner == email or (is_owner and each.is_shared),
            is_current=each.query == current,
        )

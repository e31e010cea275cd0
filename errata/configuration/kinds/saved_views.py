"""Shared views of performance pages."""

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kinds.saved_searches import Saved, SavedOfPage
from errata.performance.saved_view import address_of, view_of
from errata.state.saved_searches import PageKind, SavedSearch


class ViewEntry(Saved):
    address: str = Field(description="Path and query of the page, such as `/projects/shop/performance`.")


class SavedViews(SavedOfPage[ViewEntry]):
    field = "saved_views"
    noun = "saved view"
    description = "Views of performance pages that everyone in the organization sees."
    shape = list[ViewEntry]
    page = PageKind.PERFORMANCE

    def entry(self, context: Context, row: SavedSearch) -> ViewEntry:
        return ViewEntry(
            name=row.name, owner=self.owner(context, row), address=address_of(row.query, context.slug)
        )

    def checked(self, context: Context, entry: ViewEntry) -> ViewEntry:
        address = address_of(view_of(entry.address, context.slug), context.slug)
        return super().checked(context, entry).model_copy(update={"address": address})

    def stored_text(self, context: Context, entry: ViewEntry) -> tuple[str, str]:
        return view_of(entry.address, context.slug), ""


KIND = SavedViews()

"""Shared searches of the issue list. Personal ones belong to their people, and are in no file."""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind
from errata.configuration.kinds import people
from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.search import parse
from errata.state.saved_searches import LONGEST_NAME, MOST_A_PROJECT, PageKind, SavedSearch
from errata.state.users import normalized_email
from errata.warehouse.queries.vocabulary import Sort

LONGEST_QUERY = 2000


class Saved(Entry):
    name: str
    owner: str = Field(default="", description="Email address of who saved it; default: the first owner.")


Value = TypeVar("Value", bound=Saved)


class SavedOfPage(ListKind[Value]):
    """What is saved of one kind of page."""

    page: ClassVar[PageKind]
    most = MOST_A_PROJECT

    @abstractmethod
    def stored_text(self, context: Context, entry: Value) -> tuple[str, str]:
        """Query and sort as they are stored. Raises InvalidParameter."""

    @abstractmethod
    def entry(self, context: Context, row: SavedSearch) -> Value: ...

    def owner(self, context: Context, row: SavedSearch) -> str:
        """Empty if the person has left the organization."""
        return row.owner if row.owner in people.KIND.by_name(context.of("")) else ""

    def name(self, entry: Value) -> str:
        return entry.name

    def stored(self, context: Context) -> list[Value]:
        return [self.entry(context, row) for row in self._rows(context)]

    def checked(self, context: Context, entry: Value) -> Value:
        if entry.owner and normalized_email(entry.owner) not in people.KIND.known(context.of("")):
            raise InvalidParameter("owner", f"{entry.owner} isn't in the organization")
        self.stored_text(context, entry)
        return entry.model_copy(update={"name": checked_name(entry.name, LONGEST_NAME)})

    def differences(self, context: Context, before: Value, after: Value) -> list[str]:
        owner = normalized_email(after.owner) if after.owner else before.owner
        return super().differences(context, before, after.model_copy(update={"owner": owner}))

    def create(self, context: Context, entry: Value) -> None:
        self._save(context, entry, entry.owner or people.KIND.first_owner(context))

    def change(self, context: Context, entry: Value) -> None:
        row = self._row(context, entry.name)
        owner = normalized_email(entry.owner) if entry.owner else row.owner
        if owner != row.owner:
            self.delete(context, entry.name)
        self._save(context, entry, owner)

    def delete(self, context: Context, name: str) -> None:
        row = self._row(context, name)
        context.store.saved_searches.delete(
            context.organization_id, context.slug, row.user_id, row.id, is_owner=True
        )

    def _save(self, context: Context, entry: Value, owner: str) -> None:
        query, sort = self.stored_text(context, entry)
        context.store.saved_searches.save(
            *(context.organization_id, context.slug, people.KIND.id(context, owner)),
            name=entry.name,
            query=query,
            sort=sort,
            is_shared=True,
            page=self.page,
        )

    def _row(self, context: Context, name: str) -> SavedSearch:
        return next(row for row in self._rows(context) if row.name == name)

    def _rows(self, context: Context) -> list[SavedSearch]:
        return context.store.saved_searches.of_project(context.organization_id, context.slug, None, self.page)


class SearchEntry(Saved):
    query: str = Field(default="", description="In the search language.")
    sort: str = Field(default=Sort.LAST_SEEN.value, json_schema_extra={"enum": [each.value for each in Sort]})


class SavedSearches(SavedOfPage[SearchEntry]):
    field = "saved_searches"
    noun = "saved search"
    description = "Searches of the issue list that everyone in the organization sees."
    shape = list[SearchEntry]
    page = PageKind.ISSUES

    def entry(self, context: Context, row: SavedSearch) -> SearchEntry:
        sort = row.sort if row.sort in set(Sort) else Sort.LAST_SEEN.value
        return SearchEntry(name=row.name, owner=self.owner(context, row), query=row.query, sort=sort)

    def stored_text(self, context: Context, entry: SearchEntry) -> tuple[str, str]:
        if len(entry.query) > LONGEST_QUERY:
            raise InvalidParameter("query", f"at most {LONGEST_QUERY:,} characters")
        parse(entry.query)
        if entry.sort not in set(Sort):
            raise InvalidParameter("sort", f"one of {', '.join(Sort)}")
        return entry.query, entry.sort


KIND = SavedSearches()

"""Search: completions, facets, and saved searches."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field, StrictBool

from api.authentication import DECLARED, CallerDependency, SessionDependency
from api.completions import Completer
from api.context import ContextDependency
from api.parameters import Moment, PeriodParameter
from api.problems import responses
from api.shown import Shown
from errata.errors import InvalidParameter
from errata.one_line import NAME
from errata.performance.saved_view import LONGEST, address_of, view_of
from errata.period import Period
from errata.search import parse
from errata.search.defaults import DEFAULT_SEARCHES
from errata.state.saved_searches import LONGEST_NAME, PageKind, SavedSearch
from errata.state.users import Role
from errata.warehouse.queries.issues.facets import search_facets
from errata.warehouse.queries.issues.filters import IssueFilters, query_context
from errata.warehouse.queries.vocabulary import Sort

router = APIRouter(tags=["searches"])

READ_CODES = ("invalid_parameter", "invalid_api_key", "state_unavailable", "project_not_found")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "forbidden")
QueryText = Annotated[str, Query(max_length=2000, description="In the search language (docs/search.md).")]


class SuggestionShown(Shown):
    text: str = Field(description="Replaces the characters from `start` to `end`.")
    label: str
    detail: str = Field(description="Meaning; may be empty.")
    event_count: int | None = Field(description="Recent events; null if not counted.")


class CompletionsShown(Shown):
    start: int
    end: int
    suggestions: list[SuggestionShown]


class FacetShown(Shown):
    name: str
    is_tag: bool
    event_count: int = Field(description="Number of examined events that have it.")
    values: list[tuple[str, int]]


class FacetsShown(Shown):
    facets: list[FacetShown]
    as_of: Moment = Field(description="At most a minute ago.")
    since: Moment = Field(description="Matching events are counted from this time on.")
    is_all: bool = Field(description="Whether the whole period is counted.")
    event_count: int = Field(description="Matching events in the period.")


class SavedSearchShown(Shown):
    id: int | None = Field(description="Null for built-in searches.")
    page: PageKind = Field(description="Page of the search: the issue list, or a performance page.")
    name: str
    query: str = Field(description="Empty for a performance page.")
    sort: Sort = Field(description="Sort order of the issue list; for a performance page it is in `address`.")
    address: str = Field(description="Path and query of a performance page; empty for the issue list.")
    is_shared: bool
    is_own: bool = Field(description="Whether the caller saved it.")


class SavedSearchList(BaseModel):
    searches: list[SavedSearchShown]


class SearchToSave(BaseModel):
    page: PageKind = PageKind.ISSUES
    name: str = Field(min_length=1, max_length=LONGEST_NAME, pattern=NAME)
    query: str = Field("", max_length=2000, description="Query of the issue list.")
    sort: Sort = Field(Sort.LAST_SEEN, description="Query of the issue list.")
    address: str = Field(
        "",
        max_length=LONGEST,
        description="Path and query of a performance page, such as `/projects/shop/performance`.",
    )
    is_shared: StrictBool = Field(False, description="Shared with the organization.")

    def stored(self, slug: str) -> tuple[str, str]:
        """Query and sort as they are stored. Raises SearchError and InvalidParameter."""
        if self.page is PageKind.PERFORMANCE:
            if self.query:
                raise InvalidParameter("query", "empty for a performance page")
            return view_of(self.address, slug), ""
        if self.address:
            raise InvalidParameter("address", "empty for the issue list")
        parse(self.query)
        return self.query, self.sort.value


SearchId = Annotated[int, Path(ge=1, le=(1 << 31) - 1)]


@router.get(
    "/api/projects/{slug}/searches/completions",
    operation_id="search_completions",
    summary="Suggest completions at the cursor of a search",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "warehouse_unavailable"),
)
def completions(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    query: QueryText = "",
    cursor: Annotated[int | None, Query(ge=0, le=2000, description="Default: the end.")] = None,
) -> CompletionsShown:
    """Keys, tag names, and values by recent frequency. Meant to be called while people type."""
    project = asking.project(context, slug)
    completer = Completer(context, asking.organization_id, project.id, datetime.now(UTC))
    found = completer.at(query, len(query) if cursor is None else cursor)
    return CompletionsShown.of(found)


@router.get(
    "/api/projects/{slug}/issues/facets",
    operation_id="issue_facets",
    summary="List filters for an issue search",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "warehouse_unavailable"),
)
def facets(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    query: QueryText = "",
    period: PeriodParameter = Period("14d"),
) -> FacetsShown:
    """Counts the latest 100,000 events, in whole days, that match the search's terms about events."""
    project = asking.project(context, slug)
    email = asking.session.email if asking.session else ""
    filters = IssueFilters(
        period.of_events(datetime.now(UTC)),
        text=query,
        me=email,
        linked=lambda: context.state.tracker_links.issue_ids(asking.organization_id, project.id),
    )
    known = query_context(context.read, project.id, filters)
    found = search_facets(context.read, project.id, filters.search, filters.period, known)
    return FacetsShown.of(found)


@router.get(
    "/api/projects/{slug}/searches",
    operation_id="saved_searches",
    summary="List built-in, shared and your own searches or views",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def searches(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    page: Annotated[
        PageKind, Query(description="Searches of the issue list, or views of performance pages.")
    ] = PageKind.ISSUES,
) -> SavedSearchList:
    session = asking.session
    saved = context.state.saved_searches.of_project(
        asking.organization_id, slug, session.user_id if session else None, page
    )
    known = [
        SavedSearchShown(
            id=None,
            page=page,
            name=name,
            query=query,
            sort=Sort.LAST_SEEN,
            address="",
            is_shared=True,
            is_own=False,
        )
        for name, query in DEFAULT_SEARCHES
        if page is PageKind.ISSUES
    ]
    own = [_shown(each, session.email if session else "", slug) for each in saved]
    return SavedSearchList(searches=[*known, *own])


@router.post(
    "/api/projects/{slug}/searches",
    operation_id="save_search",
    summary="Save a search or a view",
    dependencies=DECLARED,
    status_code=201,
    responses=responses(*CHANGE_CODES),
)
def save(
    slug: str, wanted: SearchToSave, session: SessionDependency, context: ContextDependency
) -> SavedSearchShown:
    """For yourself or the organization. Replaces your own search of the same page and name. Not available
    with an API key."""
    query, sort = wanted.stored(slug)
    saved = context.state.saved_searches.save(
        session.organization_id,
        slug,
        session.user_id,
        page=wanted.page,
        name=wanted.name,
        query=query,
        sort=sort,
        is_shared=wanted.is_shared,
    )
    return _shown(saved, session.email, slug)


@router.put(
    "/api/projects/{slug}/searches/{search_id}",
    operation_id="change_search",
    summary="Rename or overwrite a saved search or view",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "saved_search_not_found", "saved_search_exists"),
)
def change(
    slug: str,
    search_id: SearchId,
    wanted: SearchToSave,
    session: SessionDependency,
    context: ContextDependency,
) -> SavedSearchShown:
    """You can change your own; owners can also change shared ones. The page can't be changed. Not available
    with an API key."""
    query, sort = wanted.stored(slug)
    saved = context.state.saved_searches.change(
        session.organization_id,
        slug,
        session.user_id,
        search_id,
        is_owner=session.role is Role.OWNER,
        page=wanted.page,
        name=wanted.name,
        query=query,
        sort=sort,
        is_shared=wanted.is_shared,
    )
    return _shown(saved, session.email, slug)


@router.delete(
    "/api/projects/{slug}/searches/{search_id}",
    operation_id="delete_search",
    summary="Delete a saved search or view",
    dependencies=DECLARED,
    status_code=204,
    response_class=Response,
    responses=responses(*CHANGE_CODES, "saved_search_not_found"),
)
def delete(
    slug: str,
    search_id: SearchId,
    session: SessionDependency,
    context: ContextDependency,
) -> Response:
    """You can delete your own; owners can also delete shared ones. Not available with an API key."""
    context.state.saved_searches.delete(
        session.organization_id, slug, session.user_id, search_id, is_owner=session.role is Role.OWNER
    )
    return Response(status_code=204)


def _shown(saved: SavedSearch, email: str, slug: str) -> SavedSearchShown:
    is_view = saved.page is PageKind.PERFORMANCE
    return SavedSearchShown.of(
        saved,
        query="" if is_view else saved.query,
        sort=saved.sort if saved.sort in set(Sort) else Sort.LAST_SEEN,
        address=address_of(saved.query, slug) if is_view else "",
        is_own=saved.owner == email,
    )

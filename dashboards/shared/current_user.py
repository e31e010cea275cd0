"""The signed-in user, and the frame of their pages."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from api.authentication import SIGN_IN_PAGE, require_worker, session_of
from api.context import Context, ContextDependency
from api.errors import Forbidden
from api.problems import request_id_of
from dashboards.shared.periods import address_of_fields
from dashboards.shared.rendering import THEMES, Page, SignedIn, utc_now
from dashboards.shared.saved_views import ViewLink, view_links
from errata.errors import ErrataError
from errata.performance.saved_view import can_be_saved
from errata.reports import formats
from errata.state import Store
from errata.state.annotations import Annotation
from errata.state.errors import ProjectNotFound
from errata.state.projects import Project
from errata.state.saved_searches import PageKind
from errata.state.sessions import WebSession
from errata.state.users import Role
from errata.time_zone import zone_of
from errata.warehouse.client import Warehouse

THEME_COOKIE = "errata_theme"


class RangeChosen(Exception):
    """Answered with a redirect: the fields of a form become the period of the address."""

    def __init__(self, address: str) -> None:
        self.address = address


class SignInNeeded(Exception):
    """Answered with the sign-in page, which leads back here."""

    page = SIGN_IN_PAGE


class SecondStepNeeded(SignInNeeded):
    """Signed in, but the organization requires two steps: answered with the page that sets them up."""

    page = f"{SIGN_IN_PAGE}/two-steps"


@dataclass(frozen=True)
class CurrentUser:
    session: WebSession
    projects: list[Project]
    page: Page
    state: Store

    def project(self, slug: str) -> Project:
        """Raises ProjectNotFound, also for a project of another organization."""
        for project in self.projects:
            if project.slug == slug:
                return project
        raise ProjectNotFound(slug)

    def framed(self, request: Request, title: str, section: str, project: Project | None = None) -> Page:
        """The frame of this page, also kept with the request for the page of a failure."""
        page = replace(self.page, title=title, section=section, project=project)
        if section == "performance" and project is not None:
            page = replace(
                page,
                saved_views=self._saved_views(project.slug, page.address),
                can_save_view=can_be_saved(page.address, project.slug),
            )
        request.state.page = page
        return page

    def annotations(self, project: Project) -> list[Annotation]:
        """What people noted on its charts."""
        return self.state.annotations.all_of_project(self.session.organization_id, project.slug)

    def _saved_views(self, slug: str, address: str) -> list[ViewLink]:
        session = self.session
        scope = session.organization_id, slug, session.user_id
        saved = self.state.saved_searches.of_project(*scope, PageKind.PERFORMANCE)
        return list(view_links(saved, slug, address, session.email, session.role is Role.OWNER))


def current_user(request: Request, context: ContextDependency) -> CurrentUser:
    session = session_of(request, context)
    if session is None:
        raise SignInNeeded
    if session.lacks_second_step:
        raise SecondStepNeeded
    return user_of(request, context, session)


def user_of(request: Request, context: Context, session: WebSession) -> CurrentUser:
    projects = context.state.projects.visible(session)
    page = replace(
        bare_page(request),
        user=SignedIn(
            session.email, session.organization, session.role, sees_all=session.project_ids is None
        ),
        csrf_token=session.csrf_token,
        unread_count=context.state.notifications.unread_count(session.organization_id, session.user_id),
        projects=projects,
    )
    request.state.page = page
    return CurrentUser(session, projects, page, context.state)


async def account_user(request: Request, context: ContextDependency) -> CurrentUser:
    """The user, whose zone holds for the whole request: a thread's own copy of the context would lose it."""
    user = await run_in_threadpool(current_user, request, context)
    formats.show_in(zone_of(user.session.time_zone))
    try:
        chosen = address_of_fields(request.url.path, request.query_params.multi_items(), formats.zone())
    except ValueError as error:
        raise HTTPException(400, f"Choose {error}.") from None
    if chosen is not None:
        raise RangeChosen(chosen)
    return user


async def looking_user(request: Request, user: Annotated[CurrentUser, Depends(account_user)]) -> CurrentUser:
    """A user who may do what the request's method says."""
    require_worker(request, user.session.role)
    return user


async def whole_user(user: Annotated[CurrentUser, Depends(looking_user)]) -> CurrentUser:
    """A user who sees all projects, for what concerns the organization."""
    if user.session.project_ids is not None:
        raise Forbidden("access to all projects of the organization")
    return user


def visitor_page(request: Request, context: ContextDependency) -> Page:
    """The frame of whoever is signed in, else a plain one; also while the account store is away."""
    with suppress(ErrataError, SignInNeeded):
        return current_user(request, context).page
    return bare_page(request)


def bare_page(request: Request) -> Page:
    theme = request.cookies.get(THEME_COOKIE, "auto")
    return Page(
        title="Errata",
        now=utc_now(),
        theme=theme if theme in THEMES else "auto",
        request_id=request_id_of(request),
        address=_address(request),
    )


def _address(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return quote(request.url.path) + query


def warehouse_of(context: ContextDependency) -> Warehouse:
    return context.read


# Of any role, for what concerns nobody else.
AccountUserDependency = Annotated[CurrentUser, Depends(account_user)]
CurrentUserDependency = Annotated[CurrentUser, Depends(looking_user)]
WholeUserDependency = Annotated[CurrentUser, Depends(whole_user)]
# For what everybody may read.
VisitorPageDependency = Annotated[Page, Depends(visitor_page)]
WarehouseDependency = Annotated[Warehouse, Depends(warehouse_of)]

"""The users of a project, and one of them."""

import re
from datetime import datetime
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from dashboards.users.view import shown_user
from errata.places import ERASURE
from errata.state.users import Role
from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.grouping import titles_of
from errata.warehouse.queries.issues.choices import choices_of_project
from errata.warehouse.queries.users.list import UserFilters, UserSort, users_of_project

router = APIRouter()

KEY = re.compile("[0-9a-f]{16}")
NO_USER = "No stored event names this user."
FILTERS = ("environment", "release", "period")
DEFAULTS = {"period": "14d", "sort": "last_seen"}
TABS = {
    "timeline": "Timeline",
    "issues": "Issues",
    "loads": "Page loads",
    "sessions": "Sessions",
    "events": "Events",
}


@router.get("/projects/{slug}/users")
def users_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Users of {project.name}", "users", project)
    view = _view(request, (*FILTERS, "query", "issue", "sort", "cursor"), DEFAULTS)
    filters = _filters(view, page.now)
    sort = UserSort(view["sort"]) if view["sort"] in set(UserSort) else UserSort.LAST_SEEN
    (found, issue_title), offered = both(
        lambda: (
            users_of_project(warehouse, project.id, filters, sort, cursor=view["cursor"]),
            _title(warehouse, project.id, view["issue"]),
        ),
        lambda: choices_of_project(warehouse, project.id, filters.period.since),
    )
    state = version(found)

    def body() -> bytes:
        return render(
            "users/users.html",
            page,
            view=view,
            users=found.users,
            issue_title=issue_title,
            next_cursor=found.next_cursor or "",
            environments=list(offered.environments),
            releases=list(offered.releases),
            time_range=periods.shown(filters.period),
            export_address=view.address_at(f"/api/projects/{slug}/users"),
            carried=urlencode({name: view.values[name] for name in FILTERS if view.values[name]}),
            version=state,
        )

    return live_answer(request, state, body)


@router.get("/projects/{slug}/users/{user_key}")
def user_page(
    slug: str, user_key: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, "User", "users", project)
    filtered = _view(request, FILTERS, {"period": DEFAULTS["period"]})
    view = _view(request, (*FILTERS, "tab"), {**filtered.defaults, "tab": "timeline"}).restricted("tab", TABS)
    user_hash = _number(user_key)
    filters = _filters(view, page.now)
    shown, offered = both(
        lambda: shown_user(warehouse, project.id, filters, user_hash) if user_hash else None,
        lambda: choices_of_project(warehouse, project.id, filters.period.since),
    )
    if shown is None:
        raise HTTPException(404, NO_USER)
    state = version(shown)

    def body() -> bytes:
        return render(
            "users/user.html",
            user.framed(request, shown.user.label, "users", project),
            view=view,
            tabs=TABS,
            shown=shown,
            environments=list(offered.environments),
            releases=list(offered.releases),
            time_range=periods.shown(filters.period),
            list_address=filtered.address_at(f"/projects/{slug}/users"),
            export_address=filtered.address_at(f"/api/projects/{slug}/users/{user_key}"),
            issue_query=f"?{urlencode({'period': filters.period.text})}",
            version=state,
            erasure_address=_erasure_address(user, slug, user_key),
        )

    return live_answer(request, state, body)


def _title(warehouse: Warehouse, project_id: int, issue: str) -> str:
    """Of the issue whose users are listed; empty: unknown."""
    if not KEY.fullmatch(issue):
        return ""
    title = titles_of(warehouse, project_id, [_number(issue)]).get(_number(issue))
    return title.title if title else ""


def _erasure_address(user: CurrentUser, slug: str, user_key: str) -> str:
    """Empty for whoever may not erase."""
    is_owner = user.session.role is Role.OWNER
    return f"/projects/{slug}{ERASURE.path}?user_key={user_key}" if is_owner else ""


def _view(request: Request, names: tuple[str, ...], defaults: dict[str, str]) -> View:
    return View(request.url.path, {name: request.query_params.get(name, "") for name in names}, defaults)


def _filters(view: View, now: datetime) -> UserFilters:
    return UserFilters(
        periods.period(view["period"], DEFAULTS["period"]).of_events(now),
        environment=view["environment"],
        release=view["release"],
        words=view["query"],
        issue_id=_number(view["issue"]),
    )


def _number(key: str) -> int:
    """The hash of a user or the id of an issue; 0 for any other text, as for none."""
    return int(key, 16) if KEY.fullmatch(key) else 0

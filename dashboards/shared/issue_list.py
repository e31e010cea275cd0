"""The issue list as its address says it: its filters and its order."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl

from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUser
from errata.state import Store
from errata.state.projects import Project
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.vocabulary import Sort, Status

DEFAULTS = {"status": "unresolved", "period": "14d", "sort": "last_seen"}
NAMES = ("query", "status", "environment", "release", "period", "sort", "spark", "cursor", "facets")


def list_view(path: str, given: Mapping[str, str]) -> View:
    return View(path, {name: given.get(name, "") for name in NAMES}, DEFAULTS)


def kept_list(view: View, cursor: str = "") -> str:
    """The list from this cursor on, for the address of an issue; never empty, so that the issue knows it was
    opened from one."""
    _, _, query = view.address(cursor=cursor, facets="", spark="").partition("?")
    return query or f"sort={view['sort']}"


def list_of(path: str, kept: str) -> View:
    """What `kept_list` has kept."""
    return list_view(path, dict(parse_qsl(kept)))


def sort_of(view: View) -> Sort:
    return Sort(view["sort"]) if view["sort"] in set(Sort) else Sort.LAST_SEEN


def filters_of(view: View, user: CurrentUser, state: Store, project: Project, now: datetime) -> IssueFilters:
    session = user.session
    return IssueFilters(
        periods.period(view["period"], DEFAULTS["period"]).of_events(now),
        environment=view["environment"],
        release=view["release"],
        status=Status(view["status"]) if view["status"] in set(Status) else None,
        text=view["query"],
        me=session.email,
        linked=lambda: state.tracker_links.issue_ids(session.organization_id, project.id),
    )

"""The page of a share link: one issue, event or replay, read-only, for whoever has the link."""

from dataclasses import dataclass
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.client_address import client_of
from api.context import ContextDependency
from api.regrouping import grouping_in_force
from dashboards.shared.current_user import WarehouseDependency, bare_page
from dashboards.shared.rendering import Page, render
from dashboards.sharing.answer import HEADERS, no_more
from dashboards.sharing.replay import shared_replay
from dashboards.sharing.view import SharedView, chosen_range, shared_event, shared_issue
from errata.errors import RateLimited
from errata.grouping import GroupingRules
from errata.grouping.in_app import with_in_app_of
from errata.period import Period
from errata.reports.chart_template import templates
from errata.state.share_links import ShareLink
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.events import Event, event_of_issue, newest_event
from errata.warehouse.queries.issue.head import IssueHead, issue_head
from errata.warehouse.queries.issue.range import issue_in_range

router = APIRouter()


@dataclass(frozen=True)
class Found:
    view: SharedView
    event: Event | None


@router.get("/shared/{token}")
def shared(
    token: str, request: Request, context: ContextDependency, warehouse: WarehouseDependency
) -> Response:
    page = bare_page(request)
    try:
        context.share_link_rate.take(client_of(request))
    except RateLimited as error:
        return no_more(page, 429, error.retry_after_seconds)
    link = context.state.share_links.open(token) if context.settings.share_links else None
    if link is None:
        return no_more(page, 404)
    if link.state(page.now) != "open":
        return no_more(page, 410)
    if link.shared.replay_id:
        return shared_replay(warehouse, page, link, token, request.query_params.get("at", ""))
    found = _found(warehouse, page, link)
    rules = grouping_in_force(context.state, link.project_id).rules
    return no_more(page, 410) if found is None else issue_answer(page, link, found, rules)


def _found(warehouse: Warehouse, page: Page, link: ShareLink) -> Found | None:
    head = issue_head(
        warehouse, link.project_id, int(link.shared.issue_id, 16), Period("14d").of_events(page.now)
    )
    if head is None:
        return None
    time_range = chosen_range(link.shared, page.now)
    counted = issue_in_range(warehouse, head.merged, time_range)
    event = _event(warehouse, link, head, counted.newest)
    if link.shared.event_id and event is None:
        return None
    return Found(shared_issue(link.shared, head, time_range, counted), event)


def _event(warehouse: Warehouse, link: ShareLink, head: IssueHead, newest: UUID | None) -> Event | None:
    """The event of the link; for an issue the newest of its range."""
    if link.shared.event_id:
        # It may have been split off since: then it is part of another issue, which was not shared.
        return event_of_issue(warehouse, head.merged, UUID(link.shared.event_id))
    if newest is None and link.shared.since is None:
        return newest_event(warehouse, head.merged, head.counts)
    return event_of_issue(warehouse, head.merged, newest) if newest else None


def issue_answer(page: Page, link: ShareLink, found: Found, rules: GroupingRules) -> HTMLResponse:
    shown = link.shared
    body = render(
        "sharing/shared.html",
        page,
        link=link,
        shown=shown,
        view=found.view,
        event=shared_event(with_in_app_of(rules, found.event.payload), shown) if found.event else None,
        occurred_at=found.event.occurred_at if found.event else None,
        chart_templates=templates(),
    )
    return HTMLResponse(body, headers=HEADERS)

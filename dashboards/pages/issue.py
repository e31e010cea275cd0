"""One issue: its head, its history, one of its events or the list of them."""

from dataclasses import dataclass
from uuid import UUID

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from api.parameters import Period as ChosenPeriod
from dashboards import periods
from dashboards.addresses import View
from dashboards.event import event as shown_event
from dashboards.event_text import event_text
from dashboards.event_ways import listed, ways
from dashboards.issue import issue
from dashboards.live import live_answer, version
from dashboards.questions import all_three
from dashboards.rendering import Page, render
from dashboards.visitor import VisitorDependency, WarehouseDependency
from errata.reports import charts
from errata.reports.chart_template import templates
from errata.state.projects import Project
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.events import Event, event_by_id, events_of_issue, neighbours_of_event
from errata.warehouse.queries.issue import IssueHead, issue_head, issue_history, issue_tags, project_of_issue
from errata.warehouse.queries.period import Period

router = APIRouter()

DEFAULTS = {"tab": "event", "period": "14d"}
NO_ISSUE = "No project of yours has this issue."
NO_EVENT = "This issue has no such event, or it is not kept any more."
NAMES = ("tab", "event", "period", "cursor")


@dataclass(frozen=True)
class Asked:
    """One request for this page, as far as every part of it needs it."""

    warehouse: Warehouse
    page: Page
    project: Project
    view: View
    head: IssueHead
    period: ChosenPeriod


@router.get("/issues/{issue_id}")
def issue_of_any_project(
    issue_id: str, request: Request, visitor: VisitorDependency, warehouse: WarehouseDependency
) -> Response:
    """The short address, for links made elsewhere."""
    slugs = {project.id: project.slug for project in visitor.projects}
    project_id = project_of_issue(warehouse, list(slugs), _number(issue_id))
    if project_id is None:
        raise HTTPException(404, NO_ISSUE)
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/projects/{slugs[project_id]}/issues/{issue_id}{query}", status_code=303)


@router.get("/projects/{slug}/issues/{issue_id}")
def issue_page(
    slug: str, issue_id: str, request: Request, visitor: VisitorDependency, warehouse: WarehouseDependency
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, "Issue", "issues", project)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in NAMES}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    head = issue_head(warehouse, project.id, _number(issue_id), Period.parse(chosen, page.now))
    if head is None:
        raise HTTPException(404, NO_ISSUE)
    if head.merged_into:
        return RedirectResponse(f"/projects/{project.slug}/issues/{head.id}", status_code=303)
    page = visitor.framed(request, head.title, "issues", project)
    asked = Asked(warehouse, page, project, view, head, chosen)
    return _events(request, asked) if view["tab"] == "events" else _event(request, asked)


def _event(request: Request, asked: Asked) -> Response:
    event = _chosen_event(asked)
    history, tags, neighbours = all_three(
        lambda: _history(asked),
        lambda: issue_tags(asked.warehouse, asked.project.id, asked.head.issue_id),
        lambda: neighbours_of_event(asked.warehouse, event) if event else None,
    )
    shown = shown_event(event.payload) if event else None

    def body() -> bytes:
        return render(
            "issue.html",
            asked.page,
            **_head(asked),
            **history,
            event=shown,
            occurred_at=event.occurred_at if event else None,
            is_clock_corrected=bool(event and event.is_clock_corrected),
            text=event_text(shown) if shown else "",
            tag_values=tags,
            refresh_address=asked.view.address(event=event.id) if event else "",
            ways=ways(asked.view, event, neighbours) if event and neighbours else [],
        )

    return live_answer(request, version(asked.head, history, neighbours), body)


def _events(request: Request, asked: Asked) -> Response:
    view = asked.view
    found = events_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id, cursor=view["cursor"])
    history = _history(asked)

    def body() -> bytes:
        return render(
            "events.html",
            asked.page,
            **_head(asked),
            **history,
            events=[listed(view, row) for row in found.events],
            next_address=view.address(cursor=found.next_cursor) if found.next_cursor else "",
            first_address=view.address() if view["cursor"] else "",
        )

    return live_answer(request, version(asked.head, history, found), body)


def _head(asked: Asked) -> dict[str, object]:
    return {
        "view": asked.view,
        "tab": asked.view["tab"] if asked.view["tab"] == "events" else DEFAULTS["tab"],
        "issue": issue(asked.head),
        "head": asked.head,
        "head_version": version(asked.head),
        "issues_address": f"/projects/{asked.project.slug}/issues",
        "period_words": periods.words(asked.period),
        "periods": periods.choices(asked.period),
        "addresses": {
            "event": asked.view.address(tab=""),
            "events": asked.view.address(tab="events", event=""),
        },
    }


def _history(asked: Asked) -> dict[str, object]:
    period = Period.parse(asked.period, asked.page.now)
    history = issue_history(asked.warehouse, asked.project.id, asked.head.issue_id, period)
    return {
        "figure": charts.events_over_time(history.bucket_starts, history.lines),
        "figure_words": f"{asked.head.event_count:,} events in {periods.words(asked.period)}",
        "chart_templates": templates(),
    }


def _chosen_event(asked: Asked) -> Event | None:
    """That of the address; without one the newest that is kept."""
    projects = [asked.project.id]
    if asked.view["event"]:
        event = event_by_id(asked.warehouse, projects, _uuid(asked.view["event"]))
        if event is None or event.issue_id != asked.head.issue_id:
            raise HTTPException(404, NO_EVENT)
        return event
    newest = events_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id, limit=1).events
    return event_by_id(asked.warehouse, projects, newest[0].event_id) if newest else None


def _number(issue_id: str) -> int:
    try:
        number = int(issue_id, 16)
    except ValueError:
        raise HTTPException(404, NO_ISSUE) from None
    if not 0 < number < 1 << 64:
        raise HTTPException(404, NO_ISSUE)
    return number


def _uuid(event_id: str) -> UUID:
    try:
        return UUID(event_id)
    except ValueError:
        raise HTTPException(404, NO_EVENT) from None

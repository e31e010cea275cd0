"""One issue: finds it, asks its tab and the parts of its head, and puts the page together."""

from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from api.context import ContextDependency
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts import ACTIONS, MARKS
from dashboards.pages.issue_parts.part import Part
from dashboards.pages.issue_tabs import TABS
from dashboards.pages.issue_tabs.tab import Tab
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.current_user import VisitorDependency, WarehouseDependency
from dashboards.shared.issue import issue
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from errata.reports import charts
from errata.reports.chart_marks import with_deploys
from errata.reports.chart_template import templates
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.head import issue_head, project_of_issue
from errata.warehouse.queries.performance.release_starts import deploys
from errata.warehouse.queries.period import Period

router = APIRouter()

DEFAULTS = {"tab": "event", "period": "14d"}
NAMES = ("tab", "event", "period", "cursor")
NO_ISSUE = "Issue not found in your projects."


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
    slug: str,
    issue_id: str,
    request: Request,
    visitor: VisitorDependency,
    context: ContextDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, "Issue", "issues", project)
    tab = _tab(request.query_params.get("tab", ""))
    names = (*NAMES, *tab.names)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in names}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    head = issue_head(warehouse, project.id, _number(issue_id), Period.parse(chosen, page.now))
    if head is None:
        raise HTTPException(404, NO_ISSUE)
    if head.merged_into:
        return RedirectResponse(f"/projects/{project.slug}/issues/{head.id}", status_code=303)
    page = visitor.framed(request, head.title, "issues", project)
    return _answer(tab, Asked(request, context, warehouse, visitor, page, project, view, head, chosen))


def _tab(name: str) -> Tab:
    """A name that means nothing counts as the first."""
    return next((tab for tab in TABS if tab.name == name), TABS[0])


def _answer(tab: Tab, asked: Asked) -> Response:
    found, history = both(lambda: tab.ask(asked), lambda: _history(asked))
    parts = _parts(asked, (*MARKS, *ACTIONS))
    head_version = version(asked.head, history, list(parts.values()))

    def body() -> bytes:
        return render(
            tab.template,
            asked.page,
            **_frame(asked, tab),
            **history,
            head_version=head_version,
            marks=[(part.template, parts[part.template]) for part in MARKS],
            actions=[(part.template, parts[part.template]) for part in ACTIONS],
            **found.values,
        )

    return live_answer(asked.request, version(head_version, found.state), body)


def _parts(asked: Asked, parts: tuple[Part, ...]) -> dict[str, Mapping[str, object]]:
    return {part.template: part.ask(asked) for part in parts}


def _frame(asked: Asked, tab: Tab) -> dict[str, object]:
    carriers: tuple[Tab | Part, ...] = (tab, *MARKS, *ACTIONS)
    return {
        "view": asked.view,
        "tab": tab.name,
        "tabs": [(other, _address(asked.view, other)) for other in TABS if other.is_listed],
        "issue": issue(asked.head),
        "head": asked.head,
        "issues_address": f"/projects/{asked.project.slug}/issues",
        "period_words": periods.words(asked.period),
        "periods": periods.choices(asked.period),
        "styles": list(dict.fromkeys(name for carrier in carriers for name in carrier.styles)),
        "scripts": list(dict.fromkeys(name for carrier in carriers for name in carrier.scripts)),
    }


def _address(view: View, tab: Tab) -> str:
    """That of a tab, with the period as it is and nothing that only this tab understands."""
    common = {name: view.values.get(name, "") for name in NAMES}
    event = common["event"] if tab is TABS[0] and view["tab"] == TABS[0].name else ""
    return replace(view, values=common).address(tab=tab.name, event=event)


def _history(asked: Asked) -> dict[str, object]:
    history = asked.head.history
    starts = deploys(asked.warehouse, [asked.project.id], history.bucket_starts[0])
    drawn = charts.events_over_time(history.bucket_starts, history.lines)
    return {
        "figure": chart_json(with_deploys(drawn, starts, is_low=True)),
        "has_deploys": bool(starts),
        "figure_words": f"{asked.head.event_count:,} events in {periods.words(asked.period)}",
        "chart_templates": templates(),
    }


def _number(issue_id: str) -> int:
    try:
        number = int(issue_id, 16)
    except ValueError:
        raise HTTPException(404, NO_ISSUE) from None
    if not 0 < number < 1 << 64:
        raise HTTPException(404, NO_ISSUE)
    return number

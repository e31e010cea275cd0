"""The issue list of a project."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.context import ContextDependency
from dashboards import periods
from dashboards.addresses import View
from dashboards.listing import listing
from dashboards.live import live_answer
from dashboards.rendering import render
from dashboards.visitor import VisitorDependency, WarehouseDependency
from errata.warehouse.queries.issues import IssueFilters, Sort, Status
from errata.warehouse.queries.period import Period

router = APIRouter()

DEFAULTS = {"status": "unresolved", "period": "14d", "sort": "last_seen"}
NAMES = ("query", "status", "environment", "release", "period", "sort", "cursor")
STATUSES = (
    ("unresolved", "Unresolved"),
    ("regressed", "Regressed"),
    ("resolved", "Resolved"),
    ("ignored", "Ignored"),
    ("all", "All"),
)


@router.get("/projects/{slug}/issues")
def issues(
    slug: str,
    request: Request,
    context: ContextDependency,
    visitor: VisitorDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, f"Issues of {project.name}", "issues", project)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in NAMES}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    filters = IssueFilters(
        Period.parse(chosen, page.now),
        environment=view["environment"],
        release=view["release"],
        status=Status(view["status"]) if view["status"] in set(Status) else None,
        text=view["query"],
        me=visitor.session.email,
    )
    sort = Sort(view["sort"]) if view["sort"] in set(Sort) else Sort.LAST_SEEN
    shown = listing(warehouse, project.id, filters, sort, view["cursor"])

    def body() -> bytes:
        return render(
            "issues.html",
            page,
            view=view,
            listing=shown,
            statuses=STATUSES,
            periods=periods.choices(chosen),
            period_words=periods.words(chosen),
            # The issue is shown for the period of the list.
            issue_query=f"?period={chosen}" if chosen != DEFAULTS["period"] else "",
            base_url=context.base_url,
        )

    return live_answer(request, shown.version, body)

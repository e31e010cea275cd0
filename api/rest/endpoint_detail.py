"""One API endpoint: figures, steps, pages that call it, slowest calls and issues, each a table."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES, Rounded
from api.rest.performance_filters import CallFilters
from api.shown import Shown
from api.tables import FILES_TOO, Format, table_file
from errata.performance.filters import Filters
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import endpoint_detail
from errata.warehouse.queries.performance.endpoint_detail import (
    CallingPage,
    Endpoint,
    Routes,
    SideFigures,
)

router = APIRouter(tags=["performance"])

PATH = "/api/projects/{slug}/performance/endpoint"
COMPARED = ("avg_ms", "p50_ms", "p75_ms", "p95_ms", "p99_ms")
OneSide = Annotated[
    Literal["server", "page"],
    Query(description="Calls measured by servers, or calls measured in browsers."),
]


class FiguresShown(Shown):
    call_count: int
    success_count: int = Field(description="Status below 400.")
    client_error_count: int = Field(description="4xx")
    server_error_count: int = Field(description="5xx")
    no_answer_count: int = Field(description="Calls without a status: aborted, refused or blocked.")
    error_ratio: Rounded = Field(description="Ratio of 4xx and 5xx to all calls.")
    avg_ms: Rounded | None
    p50_ms: Rounded | None
    p75_ms: Rounded | None
    p95_ms: Rounded | None
    p99_ms: Rounded | None


class SideShown(FiguresShown):
    side: str = Field(description="`server`: measured by servers; `page`: measured by browsers.")
    call_count_before: int = Field(description="Calls in the previous period.")
    error_ratio_before: Rounded
    avg_ms_change: Rounded | None = Field(
        description="Vs the previous period (0.1 is 10% slower); null below 20 calls in either."
    )
    p50_ms_change: Rounded | None
    p75_ms_change: Rounded | None
    p95_ms_change: Rounded | None
    p99_ms_change: Rounded | None


class StepShown(FiguresShown):
    start: Moment = Field(
        description="UTC; a step is an hour, a day or an ISO week, by the length of the period."
    )


class CallingPageShown(Shown):
    page: str
    load_count: int = Field(description="All loads of the page.")
    calling_count: int = Field(description="Loads that call the endpoint.")
    calling_ratio: Rounded
    call_count: int
    calls_per_load: Rounded = Field(description="Mean, over loads that call it.")
    error_count: int
    time_ms_p50: Rounded = Field(description="Total time of a load's calls.")
    time_ms_p75: Rounded
    time_ms_p95: Rounded


class SlowCallShown(Shown):
    occurred_at: Moment
    path: str
    host: str = Field(description="Host that the page called; empty for incoming calls.")
    status_code: int = Field(description="0: no response.")
    duration_ms: float
    environment: str
    release: str
    server: str = Field(description="Server name or service; empty for calls of pages.")
    trace_id: str = Field(description="Empty: none.")
    view_id: str = Field(
        description="Page view that made it, for `/api/page-views/{id}/waterfall`; empty: unknown."
    )
    page: str
    device: str
    browser: str


class EndpointIssueShown(Shown):
    issue_id: str
    title: str
    culprit: str
    level: str
    event_count: int
    user_count: int
    traced_count: int = Field(description="Events in a trace with a recorded call of the endpoint.")
    named_count: int = Field(
        description="Events matched by transaction name; the others are matched by method and URL."
    )
    last_seen: Moment


class SideTable(BaseModel):
    method: str
    server_routes: list[str] = Field(description="Its route on servers, or routes of the same shape.")
    page_routes: list[str] = Field(description="The same for calls from pages.")
    hosts: list[str] = Field(description="Hosts that pages called.")
    sides: list[SideShown]
    as_of: Moment | None = Field(
        description="Everything received before this time is counted; null: not built yet."
    )


class StepTable(BaseModel):
    steps: list[StepShown]
    as_of: Moment | None


class CallingPageTable(BaseModel):
    pages: list[CallingPageShown]
    as_of: Moment | None


class SlowCallTable(BaseModel):
    calls: list[SlowCallShown]
    as_of: Moment | None


class EndpointIssueTable(BaseModel):
    issues: list[EndpointIssueShown]


class Chosen:
    """The endpoint that the parameters name, and its routes."""

    def __init__(
        self,
        slug: str,
        filters: CallFilters,
        context: ContextDependency,
        path: Annotated[
            str, Query(min_length=1, max_length=200, description="Route as listed, such as `/orders/{id}`.")
        ],
        method: Annotated[str, Query(max_length=16, description="Empty: the most called method.")] = "",
        host: Annotated[
            str, Query(max_length=250, description="Only calls of pages to this host; empty: all.")
        ] = "",
    ) -> None:
        self.slug = slug
        self.filters: Filters = filters
        self.warehouse: Warehouse = context.read
        self.endpoint: Endpoint
        self.routes: Routes
        self.endpoint, self.routes = endpoint_detail.find_endpoint(context.read, filters, method, path, host)

    def file_name(self, table: str) -> str:
        return f"{self.slug}-endpoint-{table}"


ChosenDependency = Annotated[Chosen, Depends(Chosen)]


@router.get(
    PATH,
    operation_id="performance_endpoint",
    summary="Get the figures of an API endpoint, vs the previous period",
    dependencies=DECLARED,
    response_model=SideTable,
    responses={**FAILURES, **FILES_TOO},
)
def endpoint(chosen: ChosenDependency, format: Format = "json") -> SideTable | Response:  # noqa: A002
    """Measured by servers and by browsers; the two sides of a call are never added up."""
    found = endpoint_detail.sides(chosen.warehouse, chosen.filters, chosen.endpoint, chosen.routes)
    shown = [_side(one) for one in found.rows]
    if format != "json":
        columns = ["side", *(name for name in SideShown.model_fields if name != "side")]
        return table_file(format, chosen.file_name("sides"), SideShown, shown, columns)
    return SideTable(
        method=chosen.endpoint.method,
        server_routes=list(chosen.routes.server),
        page_routes=list(chosen.routes.page),
        hosts=list(chosen.routes.hosts),
        sides=shown,
        as_of=found.as_of,
    )


@router.get(
    f"{PATH}/steps",
    operation_id="performance_endpoint_steps",
    summary="Get the figures of an API endpoint over time",
    dependencies=DECLARED,
    response_model=StepTable,
    responses={**FAILURES, **FILES_TOO},
)
def steps(
    chosen: ChosenDependency,
    side: OneSide = "server",
    format: Format = "json",  # noqa: A002
) -> StepTable | Response:
    """By hour up to 48 hours, by day up to six weeks, otherwise by ISO week. Oldest first."""
    found = endpoint_detail.steps(chosen.warehouse, chosen.filters, chosen.endpoint, chosen.routes, side)
    shown = [StepShown.of(one.figures, start=one.start) for one in found.rows]
    if format != "json":
        columns = ["start", *FiguresShown.model_fields]
        return table_file(format, chosen.file_name("steps"), StepShown, shown, columns)
    return StepTable(steps=shown, as_of=found.as_of)


@router.get(
    f"{PATH}/pages",
    operation_id="performance_endpoint_pages",
    summary="List pages whose loads call an API endpoint",
    dependencies=DECLARED,
    response_model=CallingPageTable,
    responses={**FAILURES, **FILES_TOO},
)
def pages(chosen: ChosenDependency, format: Format = "json") -> CallingPageTable | Response:  # noqa: A002
    """Pages with the most calls first."""
    found = endpoint_detail.calling_pages(chosen.warehouse, chosen.filters, chosen.endpoint, chosen.routes)
    shown = [_calling_page(one) for one in found.rows]
    if format != "json":
        return table_file(format, chosen.file_name("pages"), CallingPageShown, shown)
    return CallingPageTable(pages=shown, as_of=found.as_of)


@router.get(
    f"{PATH}/calls",
    operation_id="performance_endpoint_calls",
    summary="List the slowest calls of an API endpoint",
    dependencies=DECLARED,
    response_model=SlowCallTable,
    responses={**FAILURES, **FILES_TOO},
)
def calls(
    chosen: ChosenDependency,
    side: OneSide = "server",
    format: Format = "json",  # noqa: A002
) -> SlowCallTable | Response:
    """The ten slowest, each with the page load that made it, if known."""
    found = endpoint_detail.slowest_calls(
        chosen.warehouse, chosen.filters, chosen.endpoint, chosen.routes, side
    )
    shown = [SlowCallShown.of(one) for one in found.rows]
    if format != "json":
        return table_file(format, chosen.file_name("calls"), SlowCallShown, shown)
    return SlowCallTable(calls=shown, as_of=found.as_of)


@router.get(
    f"{PATH}/issues",
    operation_id="performance_endpoint_issues",
    summary="List issues whose events happened in requests of an API endpoint",
    dependencies=DECLARED,
    response_model=EndpointIssueTable,
    responses={**FAILURES, **FILES_TOO},
)
def issues(chosen: ChosenDependency, format: Format = "json") -> EndpointIssueTable | Response:  # noqa: A002
    """At most 20, up to date. Events are matched by transaction name, or by method and URL."""
    found = endpoint_detail.issues_of_endpoint(
        chosen.warehouse, chosen.filters, chosen.endpoint, chosen.routes
    )
    shown = [EndpointIssueShown.of(one) for one in found]
    if format != "json":
        return table_file(format, chosen.file_name("issues"), EndpointIssueShown, shown)
    return EndpointIssueTable(issues=shown)


def _side(found: SideFigures) -> SideShown:
    return SideShown.of(
        found.now,
        side=found.side,
        call_count_before=found.before.call_count,
        error_ratio_before=found.before.error_ratio,
        **{f"{name}_change": found.change(name) for name in COMPARED},
    )


def _calling_page(page: CallingPage) -> CallingPageShown:
    p50, p75, p95 = (value or 0.0 for value in page.time_ms)
    return CallingPageShown.of(page, time_ms_p50=p50, time_ms_p75=p75, time_ms_p95=p95)

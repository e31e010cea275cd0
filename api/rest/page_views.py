"""Real page loads: representative ones of a page, and the waterfall of each."""

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import GivenDay, Moment
from api.problems import responses
from api.rest.performance import FAILURES
from api.rest.performance_filters import ViewFilters
from api.shown import Shown
from api.tables import FILES_TOO, Format, table_file
from errata.warehouse.queries.performance import page_detail
from errata.warehouse.queries.performance.waterfall import NO_TRACE, PageViewNotFound, waterfall

router = APIRouter(tags=["performance"])

OnePage = Annotated[str, Query(min_length=1, max_length=200, description="Page name as listed.")]
ViewId = Annotated[
    str, Path(min_length=1, max_length=64, description="Span ID of the page view, 16 hexadecimal digits.")
]
ReceivedOn = Annotated[GivenDay | None, Query(description="UTC day of receipt; speeds up the lookup.")]
OfProject = Annotated[
    str,
    Query(
        max_length=64, description="Project slug, if several projects have a view with this ID; empty: any."
    ),
]
OfTrace = Annotated[UUID, Query(description="Trace ID; speeds up the lookup of server spans.")]


class LoadShown(Shown):
    view_id: str = Field(description="For `/api/page-views/{id}/waterfall`.")
    trace_id: str = Field(description="Empty: the SDK named none.")
    occurred_at: Moment
    received_at: Moment
    environment: str
    release: str
    device: str
    browser: str
    load_ms: float
    lcp_ms: float | None
    is_near_p50: bool = Field(
        description=(
            "Whether this load is closest to the page's median; a load with resources is preferred if within "
            "10%."
        )
    )
    is_near_p95: bool
    place: int = Field(description="Rank by load time; 1: the slowest.")
    resource_count: int = Field(description="Resources and calls sent with the load.")


class ShareShown(Shown):
    name: str = Field(description="Empty: unknown user agent.")
    view_count: int
    ratio: float


class LoadTable(BaseModel):
    loads: list[LoadShown] = Field(description="The ten slowest loads and those closest to p50 and p95.")
    counted: int = Field(description="Number of loads considered.")
    since: Moment = Field(description="The last three days, or longer if they have fewer than 200 loads.")
    devices: list[ShareShown]
    browsers: list[ShareShown]
    countries: list[ShareShown] = Field(description="By code of ISO 3166-1; none if no country is known.")


class SpanShown(Shown):
    op: str
    description: str
    offset_ms: float
    duration_ms: float
    depth: int = Field(description="0: the request as received by the server.")
    status: str
    status_code: int
    service: str
    is_shifted: bool = Field(
        description="Whether the server's clock differs, so the span is centered in its call."
    )


class LaterCallShown(Shown):
    description: str
    offset_ms: float


class ResourceOfView(Shown):
    type: str
    initiator: str
    url: str = Field(description="Without query, fragment and secrets.")
    host: str
    offset_ms: float = Field(description="Since the start of the page view.")
    duration_ms: float
    transfer_bytes: int = Field(description="Transferred; 0 if cached or not reported.")
    body_bytes: int = Field(description="Compressed size.")
    decoded_bytes: int
    is_render_blocking: bool
    is_cached: bool
    status_code: int = Field(description="0: unknown.")
    delay_ms: float | None = Field(description="For blocking resources: loading time before the first paint.")


class CallAndResource(ResourceOfView):
    spans: list[SpanShown] = Field(description="Server spans of this call.")


class ViewShown(Shown):
    id: str
    occurred_at: Moment
    received_on: date
    page: str
    url: str
    navigation_type: str
    environment: str
    release: str
    sdk: str
    browser: str
    os: str
    device: str
    country: str = Field(description="Code of ISO 3166-1; empty: unknown.")
    connection: str
    trace_id: str
    replay_id: str
    load_ms: float | None
    ttfb_ms: float | None
    dom_ready_ms: float | None
    fp_ms: float | None
    fcp_ms: float | None
    lcp_ms: float | None
    cls: float | None
    inp_ms: float | None
    lcp_element: str
    lcp_url: str
    inp_target: str
    cls_source: str
    lcp_id: str
    lcp_size: float | None = Field(description="Visible area of the LCP element in CSS pixels.")
    inp_type: str
    inp_at_ms: float | None = Field(
        description="Start of the interaction, relative to the start of the page view."
    )
    cls_sources: list[str] = Field(description="Shifted elements, largest shift first.")


class LongFrameShown(Shown):
    offset_ms: float
    duration_ms: float
    invoker: str = Field(description="What called the script, such as `BUTTON#buy.onclick`, or its URL.")
    invoker_type: str
    file: str = Field(description="URL of the script, without query, fragment and secrets.")
    function: str = Field(description="Empty if the browser reports none, or an SDK's wrapper.")
    position: int = Field(
        description="Character position in the file where the function begins; -1: unknown."
    )
    source: str = Field(
        description="Original file and line, if a source map was uploaded; `function` is then the original."
    )


class LcpPartsShown(Shown):
    ttfb_ms: float | None
    load_delay_ms: float | None = Field(description="From the first byte to the request for the image.")
    load_duration_ms: float | None
    render_delay_ms: float | None = Field(description="From the end of the image to its paint.")


class InpPartsShown(Shown):
    input_delay_ms: float | None = Field(description="Until the frame with the handlers began.")
    processing_ms: float | None = Field(description="The frame: handlers, style and layout.")
    presentation_ms: float | None = Field(description="From the end of the frame to the next paint.")


class WaterfallShown(Shown):
    view: ViewShown
    resources: list[CallAndResource] = Field(description="In request order, at most 500.")
    document_spans: list[SpanShown] = Field(description="Spans of the backend that rendered the page.")
    is_cut: bool = Field(description="Whether more was loaded than is listed.")
    later_calls: list[LaterCallShown] = Field(
        description="Calls in the trace that started after the load finished; not part of the load."
    )
    frames: list[LongFrameShown] = Field(description="Long animation frames, each with its first script.")
    lcp_parts: LcpPartsShown = Field(description="Null: unknown.")
    inp_parts: InpPartsShown = Field(
        description="Null: unknown, since SDKs send frames for few interactions."
    )
    inp_frame: LongFrameShown | None = Field(description="The frame that the interaction waited for.")
    end_ms: float


@router.get(
    "/api/projects/{slug}/performance/loads",
    operation_id="performance_loads",
    summary="List real loads of a page: the slowest and those closest to p50 and p95",
    dependencies=DECLARED,
    response_model=LoadTable,
    responses={**FAILURES, **FILES_TOO},
)
def loads(
    slug: str,
    page: OnePage,
    filters: ViewFilters,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> LoadTable | Response:
    """Includes the shares of devices, browsers and countries among all page loads in the period."""
    found = page_detail.loads_of_page(context.read, filters, page)
    shown = [LoadShown.of(row) for row in found.rows]
    if format != "json":
        return table_file(format, f"{slug}-loads", LoadShown, shown)
    shares = page_detail.shares(context.read, filters, page)
    return LoadTable(
        loads=shown,
        counted=found.counted,
        since=found.since,
        devices=[ShareShown.of(one) for one in shares.devices],
        browsers=[ShareShown.of(one) for one in shares.browsers],
        countries=[ShareShown.of(one) for one in shares.countries],
    )


@router.get(
    "/api/page-views/{id}/waterfall",
    operation_id="page_view_waterfall",
    summary="Get a page view's waterfall with its server spans",
    dependencies=DECLARED,
    response_model=WaterfallShown,
    responses={
        **responses(
            "invalid_parameter",
            "invalid_api_key",
            "page_view_not_found",
            "state_unavailable",
            "warehouse_unavailable",
        ),
        **FILES_TOO,
    },
)
def page_view_waterfall(
    id: ViewId,  # noqa: A002
    asking: CallerDependency,
    context: ContextDependency,
    received_on: ReceivedOn = None,
    trace_id: OfTrace = NO_TRACE,
    project: OfProject = "",
    format: Format = "json",  # noqa: A002
) -> WaterfallShown | Response:
    """Spans are kept 30 days, resources 400. CSV and Parquet contain the resources and calls."""
    visible = {one.slug: one.id for one in context.state.projects.visible(asking)}
    if project and project not in visible:
        raise PageViewNotFound(id)
    found = waterfall(context.read, list(visible.values()), id, received_on, trace_id, visible.get(project))
    if format != "json":
        told = [ResourceOfView.of(one) for one in found.resources]
        return table_file(format, f"waterfall-{found.view.id}", ResourceOfView, told)
    return WaterfallShown.of(found)

"""Elements and scripts that INP, LCP and CLS of a page come from."""

from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.page_views import OnePage
from api.rest.performance import FAILURES
from api.rest.performance_filters import ViewFilters
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.performance.causes import Cause
from errata.warehouse.queries.performance.causes_of_page import (
    CauseRow,
    CausesOfVital,
    causes_of_page,
)
from errata.warehouse.queries.performance.page_views import Percentiles

router = APIRouter(tags=["performance"])

Ratio = Annotated[float, digits(4)]


class CauseShown(Shown):
    metric: Cause
    element: str = Field(
        description="Selector of the element: the one clicked, the largest, or the one that moved most. "
        "Empty: not sent, or nothing moved; `(other)`: beyond the 30 most frequent causes a day."
    )
    url: str = Field(description="Image of the LCP; empty: text, or another vital.")
    invoker: str = Field(
        description=(
            "What called the script that blocked the interaction, such as `BUTTON#buy.onclick`; empty: no "
            "long animation frame was sent for these interactions."
        )
    )
    file: str = Field(
        description=(
            "URL of that script, without query, fragment and secrets. Empty, like `function`, if unknown, "
            "for example because the SDK wraps the handler and the browser reports only the wrapper."
        )
    )
    function: str = Field(description="Function in that script, as reported by the browser.")
    position: int = Field(
        description="Character position in the file where the function begins; -1: unknown."
    )
    source: str = Field(
        description="Original file and line, if a source map was uploaded; `function` is then the original."
    )
    load_count: int = Field(description="Page loads that measured the vital.")
    load_ratio: Ratio = Field(description="Share of all page loads that measured the vital.")
    slow_count: int = Field(description="Page loads with a vital that isn't `good`.")
    slow_ratio: Ratio | None = Field(
        description="Share of all page loads that aren't `good`; null if there are none."
    )
    p50: float | None = Field(
        validation_alias=AliasPath("value", "p50"),
        description="p50 of the vital; this and the following fields are null below 20 loads.",
    )
    p75: float | None = Field(validation_alias=AliasPath("value", "p75"))
    p95: float | None = Field(validation_alias=AliasPath("value", "p95"))
    known_count: int = Field(description="Loads whose parts are known.")
    input_delay_ms_p75: float | None = Field(description="INP: until the frame with the handlers began.")
    processing_ms_p75: float | None = Field(description="INP: the frame with handlers, style and layout.")
    presentation_ms_p75: float | None = Field(description="INP: from the end of the frame to the paint.")
    ttfb_ms_p75: float | None = Field(description="LCP: first byte of the page.")
    load_delay_ms_p75: float | None = Field(description="LCP: from there to the request for the image.")
    load_duration_ms_p75: float | None = Field(description="LCP: loading time of the image.")
    render_delay_ms_p75: float | None = Field(description="LCP: from the end of the image to its paint.")
    size_px_p75: float | None = Field(description="LCP: visible area of the element in CSS pixels.")


class VitalShown(Shown):
    metric: Cause
    load_count: int = Field(description="Page loads that measured the vital.")
    slow_count: int = Field(
        description="Page loads that aren't `good`: above INP 200 ms, LCP 2,500 ms, CLS 0.1."
    )
    known_count: int = Field(description="Page loads where the parts of the vital are known.")
    cause_count: int = Field(description="Number of causes, listed or not.")
    causes: list[CauseShown] = Field(description="The ten causes with the most loads that aren't `good`.")


class CauseTable(BaseModel):
    vitals: list[VitalShown] = Field(description="Vitals that no load measured are omitted.")
    as_of: Moment | None = Field(
        description="Everything received before this time is counted; null: not built yet."
    )


@router.get(
    "/api/projects/{slug}/performance/causes",
    operation_id="performance_causes",
    summary="List the elements and scripts behind INP, LCP and CLS of a page",
    dependencies=DECLARED,
    response_model=CauseTable,
    responses={**FAILURES, **FILES_TOO},
)
def causes(
    slug: str,
    page: OnePage,
    filters: ViewFilters,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> CauseTable | Response:
    """Page loads only. Scripts are known only for interactions during the page load, since SDKs send long
    animation frames only while its span is open."""
    found = causes_of_page(context.read, filters, page)
    vitals = [_vital(vital) for vital in found.vitals]
    if format != "json":
        shown = [cause for vital in vitals for cause in vital.causes]
        return table_file(format, f"{slug}-causes", CauseShown, shown)
    return CauseTable(vitals=vitals, as_of=found.as_of)


def _vital(vital: CausesOfVital) -> VitalShown:
    return VitalShown.of(vital, causes=[_cause(row) for row in vital.rows])


def _cause(row: CauseRow) -> CauseShown:
    names = [name for name in CauseShown.model_fields if name.endswith(("_ms_p75", "_px_p75"))]
    parts = {name: row.parts.get(name.removesuffix("_p75"), Percentiles()).p75 for name in names}
    return CauseShown.of(row, **parts)

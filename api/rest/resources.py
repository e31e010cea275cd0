"""What pages load, by type or by URL, as JSON or CSV."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES, Page
from api.rest.performance_filters import ViewFilters
from api.tables import FILES_TOO, Format, json_answer, table_file
from errata.warehouse.queries import resources as questions
from errata.warehouse.queries.resources import Impact, ResourceRow

router = APIRouter(tags=["performance"])

By = Annotated[Literal["type", "url"], Query(description="What a row is.")]
Type = Annotated[
    Literal["", "script", "style", "image", "font", "api", "media", "document", "other"],
    Query(description="Only URLs of this type; empty: all."),
]
DIGITS = 3


class ResourceShown(BaseModel):
    type: str
    url: str = Field(
        description="Without query, fragment and secrets; `(other)`: beyond the 100 most loaded of a page "
        "and day; empty: the type as a whole."
    )
    host: str = Field(description="Empty: the page's own, or unknown.")
    view_count: int = Field(description="Page loads that loaded any.")
    resource_count: int
    cached_count: int = Field(description="From the browser's cache.")
    sized_count: int = Field(description="Whose size is told; other hosts tell it with Timing-Allow-Origin.")
    blocking_count: int = Field(description="Held the first paint back.")
    error_count: int = Field(description="Status 400 and above.")
    transfer_bytes: int = Field(description="Over the wire, all of the period; 0 from the cache.")
    body_bytes: float | None = Field(description="Mean as compressed, cached or not.")
    decoded_bytes: float | None = Field(description="Mean as unpacked.")
    duration_ms_p50: float | None
    duration_ms_p75: float | None
    duration_ms_p95: float | None
    avg_ms: float | None
    delay_ms: float | None = Field(
        description="Of blocking ones: mean time spent loading before the first contentful paint."
    )
    impact: Impact | None = Field(
        description="`high` from 300 ms of delay on, `medium` from 100 ms; null: blocks nothing."
    )

    @classmethod
    def of(cls, row: ResourceRow) -> "ResourceShown":
        return cls.model_construct(
            type=row.type,
            url=row.url,
            host=row.host,
            view_count=row.view_count,
            resource_count=row.resource_count,
            cached_count=row.cached_count,
            sized_count=row.sized_count,
            blocking_count=row.blocking_count,
            error_count=row.error_count,
            transfer_bytes=row.transfer_bytes,
            body_bytes=_rounded(row.body_bytes),
            decoded_bytes=_rounded(row.decoded_bytes),
            duration_ms_p50=_rounded(row.duration_ms.p50),
            duration_ms_p75=_rounded(row.duration_ms.p75),
            duration_ms_p95=_rounded(row.duration_ms.p95),
            avg_ms=_rounded(row.avg_ms),
            delay_ms=_rounded(row.delay_ms),
            impact=row.impact,
        )


class ResourceTable(BaseModel):
    resources: list[ResourceShown]
    as_of: Moment | None = Field(
        description="The last build: what came in since is told by the next one, within five minutes; "
        "null: counted from raw, everything."
    )


@router.get(
    "/api/projects/{slug}/performance/resources",
    operation_id="performance_resources",
    summary="What page loads load",
    dependencies=DECLARED,
    response_model=ResourceTable,
    responses={**FAILURES, **FILES_TOO},
)
def resources(
    slug: str,
    filters: ViewFilters,
    context: ContextDependency,
    page: Page = "",
    by: By = "type",
    type: Type = "",  # noqa: A002
    format: Format = "json",  # noqa: A002
) -> Response:
    """JavaScript, style sheets, images, fonts, calls and the rest; by URL the most loaded first."""
    if by == "type":
        answer = questions.by_type(context.read, filters, page)
        rows = [row for row in answer.rows if type in ("", row.type)]
    else:
        answer = questions.by_url(context.read, filters, page, type)
        rows = answer.rows
    shown = [ResourceShown.of(row) for row in rows]
    if format != "json":
        return table_file(format, f"{slug}-resources", ResourceShown, shown)
    return json_answer(ResourceTable.model_construct(resources=shown, as_of=answer.as_of))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)

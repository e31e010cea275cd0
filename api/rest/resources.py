"""What pages load, by type or by URL, as JSON or CSV."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import AliasPath, BaseModel, Field, TypeAdapter

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES, Page
from api.rest.performance_filters import ViewFilters
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, json_answer, table_file
from errata.performance.filters import Filters
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import resources as questions
from errata.warehouse.queries.performance.resources import Impact
from errata.warehouse.queries.progress import LastBuild, once_a_build

router = APIRouter(tags=["performance"])

By = Annotated[Literal["type", "url"], Query(description="Grain of a row.")]
Type = Annotated[
    Literal["", "script", "style", "image", "font", "api", "media", "document", "other"],
    Query(description="Only URLs of this type; empty: all."),
]
Rounded = Annotated[float, digits(3)]


class ResourceShown(Shown):
    type: str
    url: str = Field(
        description="Without query, fragment and secrets; `(other)`: beyond the 100 most loaded per page "
        "and day; empty: the whole type."
    )
    host: str = Field(description="Empty: the page's own host, or unknown.")
    view_count: int = Field(description="Page loads with at least one.")
    resource_count: int
    cached_count: int = Field(description="Served from the browser cache.")
    sized_count: int = Field(
        description="Resources of known size; other hosts report it only with Timing-Allow-Origin."
    )
    blocking_count: int = Field(description="Blocked the first paint.")
    error_count: int = Field(description="Status 400 and above.")
    transfer_bytes: int = Field(description="Transferred in the whole period; 0 if cached.")
    body_bytes: Rounded | None = Field(description="Mean compressed size, cached or not.")
    decoded_bytes: Rounded | None = Field(description="Mean decompressed size.")
    duration_ms_p50: Rounded | None = Field(validation_alias=AliasPath("duration_ms", "p50"))
    duration_ms_p75: Rounded | None = Field(validation_alias=AliasPath("duration_ms", "p75"))
    duration_ms_p95: Rounded | None = Field(validation_alias=AliasPath("duration_ms", "p95"))
    avg_ms: Rounded | None
    delay_ms: Rounded | None = Field(
        description="For blocking resources: mean loading time before the first contentful paint."
    )
    impact: Impact | None = Field(
        description="`high` from 300 ms of delay, `medium` from 100 ms; null: not blocking."
    )


class ResourceTable(BaseModel):
    resources: list[ResourceShown]
    as_of: Moment | None = Field(
        description=(
            "Everything received before this time is counted; newer data follows with the next build, within "
            "five minutes. Null: counted from raw data."
        )
    )


ROWS = TypeAdapter(list[ResourceShown])


@router.get(
    "/api/projects/{slug}/performance/resources",
    operation_id="performance_resources",
    summary="List resources of page loads",
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
    """JavaScript, style sheets, images, fonts, calls and others; by URL, most loaded first."""
    if by == "url" and format == "json":
        return _urls(context.read, filters, page, type)
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


def _urls(read: Warehouse, filters: Filters, page: str, type_: str) -> Response:
    """Tens of thousands of rows: written once a build, since that takes longer than the query."""

    def rows(read: Warehouse, _: LastBuild) -> bytes:
        found = questions.by_url(read.uncached(), filters, page, type_).rows
        return ROWS.dump_json([ResourceShown.of(row) for row in found])

    text, build = once_a_build(
        read,
        ("resources_by_url", filters.chosen, filters.range.since, page, type_),
        {"projects": filters.projects, "since": filters.range.since},
        questions.marts_of(questions.question_of(filters)),
        rows,
    )
    as_of = ResourceTable.model_construct(resources=[], as_of=build.as_of).model_dump_json().encode()
    return Response(as_of.replace(b"[]", text, 1), media_type="application/json")

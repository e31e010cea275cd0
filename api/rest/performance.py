"""The performance tables: pages, endpoints and trends, as JSON, CSV or Parquet."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import AliasPath, BaseModel, ConfigDict, Field, create_model

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.rest.performance_filters import CallFilters, TrendFilters, ViewFilters
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.performance.metric import LOAD, SHOWN, TIMINGS
from errata.statistics.weekly_change import WeeklyChange, weekly_change
from errata.warehouse.queries.performance import endpoints as calls
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.page_views import Percentiles, TrendRow
from errata.warehouse.queries.performance.unended import NAMES, Unended

router = APIRouter(tags=["performance"])

FAILURES = responses(
    "invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable", "warehouse_unavailable"
)
Sides = Annotated[
    Literal["server", "page", "both"],
    Query(
        description=(
            "Incoming calls measured by servers, calls measured in browsers (`page`), or `both`: servers' "
            "measurements, with browsers' for endpoints that no server reports."
        )
    ),
]
if TYPE_CHECKING:
    MetricName = str
else:
    MetricName = Literal[tuple(metric.name for metric in TIMINGS)]
Metric = Annotated[MetricName, Query(description="Metric; its unit is part of its name.")]
# Digits below this are noise of unix seconds sent as floats.
DIGITS = 6
Rounded = Annotated[float, digits(DIGITS)]
Page = Annotated[str, Query(max_length=200, description="Only this page; empty: all pages.")]


def _percentile_fields() -> dict[str, Any]:
    return {
        f"{metric.name}_{name}": (
            Rounded | None,
            Field(validation_alias=AliasPath("percentiles", metric.name, name)),
        )
        for metric in SHOWN
        for name in Percentiles._fields
    }


def _columns(metric: str, measured: Percentiles) -> dict[str, float | None]:
    known = {
        name: None if value is None else round(value, DIGITS) for name, value in measured._asdict().items()
    }
    return {f"{metric}_{name}": value for name, value in known.items()}


def _bounds_of_load(unended: Unended) -> dict[str, float | int | None]:
    bounds = {f"load_ms_{name}_at_most": value for name, value in zip(NAMES, unended.at_most, strict=True)}
    return {"load_ms_unended_count": unended.count, **bounds}


PageShown: type[Shown] = create_model(
    "PageShown",
    __base__=Shown,
    page=(str, Field(description="Path with `{id}` for variable parts, or the route's name.")),
    navigation_type=(
        str,
        Field(description="`navigate`, `soft-navigation` or `back-forward-cache`."),
    ),
    view_count=(int, Field(description="Includes views that were left early.")),
    **_percentile_fields(),
    resources_ms=(
        Rounded | None,
        Field(description="Median time during which any resource was loading."),
    ),
    api_ms=(Rounded | None, Field(description="Mean call duration.")),
    load_ms_unended_count=(
        int,
        Field(
            validation_alias=AliasPath("unended", "count"),
            description=(
                "Loads that had not finished when the SDK reported them. They count with their known "
                "duration, so `load_ms_p50`, `_p75` and `_p95` are lower bounds."
            ),
        ),
    ),
    load_ms_p50_at_most=(
        Rounded | None,
        Field(
            validation_alias=AliasPath("unended", "at_most", 0),
            description=(
                "Upper bound of `load_ms_p50`, whenever the incomplete loads finished; null: no bound, or "
                "nothing was measured."
            ),
        ),
    ),
    load_ms_p75_at_most=(
        Rounded | None,
        Field(validation_alias=AliasPath("unended", "at_most", 1), description="The same for `load_ms_p75`."),
    ),
    load_ms_p95_at_most=(
        Rounded | None,
        Field(validation_alias=AliasPath("unended", "at_most", 2), description="The same for `load_ms_p95`."),
    ),
    change_ratio=(
        Rounded | None,
        Field(description="Load p75 vs the previous period (0.1 is 10% slower); null below 20 views."),
    ),
)


class EndpointShown(Shown):
    method: str
    route: str = Field(description="Transaction name, or path with `{id}` for variable parts.")
    host: str = Field(description="Host that the page called; empty for incoming calls.")
    side: str = Field(description="Who measured: `server`, or `page` for browsers.")
    path_example: str
    avg_ms: Rounded | None
    p50_ms: Rounded | None
    p75_ms: Rounded | None
    p95_ms: Rounded | None
    call_count: int
    success_count: int = Field(description="Status below 400.")
    client_error_count: int = Field(description="4xx")
    server_error_count: int = Field(description="5xx")
    no_answer_count: int = Field(description="Calls without a status: aborted, refused or blocked.")
    error_ratio: Rounded = Field(description="Ratio of 4xx and 5xx to all calls.")


class TrendShown(BaseModel):
    """Has three columns named after the metric: `load_ms_p50`, `load_ms_p75`, `load_ms_p95`."""

    model_config = ConfigDict(extra="allow")

    week: date = Field(description="Monday of the week, UTC.")
    view_count: int
    sample_count: int
    change_ratio: Rounded | None = Field(
        description="p75 vs the previous week (the current week: vs its same hours); null below 20 samples."
    )
    weekday_change: Rounded | None = Field(
        description="Mean change of the daily p75 vs the same weekday a week before; null below four "
        "days with 20 samples in both."
    )
    weekday_change_low: Rounded | None = Field(
        description=(
            "Bound of its 95% interval, based on the variation of earlier weeks; null without three earlier "
            "weekly changes."
        )
    )
    weekday_change_high: Rounded | None
    load_ms_unended_count: int | None = Field(
        None,
        description="Loads that had not finished when the SDK reported them; null for other metrics.",
    )
    load_ms_p50_at_most: Rounded | None = Field(
        None, description="Upper bound of `load_ms_p50`; null: no bound, or another metric."
    )
    load_ms_p75_at_most: Rounded | None = Field(None, description="The same for `load_ms_p75`.")
    load_ms_p95_at_most: Rounded | None = Field(None, description="The same for `load_ms_p95`.")

    @classmethod
    def of(cls, row: TrendRow, metric: str, change: WeeklyChange | None) -> "TrendShown":
        columns: dict[str, Any] = dict(_columns(metric, Percentiles(row.p50, row.p75, row.p95)))
        if metric == LOAD:
            columns |= _bounds_of_load(row.unended)
        return cls(
            week=row.start,
            view_count=row.view_count,
            sample_count=row.sample_count,
            change_ratio=row.change_ratio,
            weekday_change=change.value if change else None,
            weekday_change_low=change.low if change else None,
            weekday_change_high=change.high if change else None,
            **columns,
        )


class PageTable(BaseModel):
    pages: list[PageShown]  # type: ignore[valid-type]
    as_of: Moment | None = Field(
        description="Everything received before this time is counted; null: not built yet."
    )


class EndpointTable(BaseModel):
    endpoints: list[EndpointShown]
    as_of: Moment | None


class TrendTable(BaseModel):
    trends: list[TrendShown]
    as_of: Moment | None


@router.get(
    "/api/projects/{slug}/performance/pages",
    operation_id="performance_pages",
    summary="List page load metrics",
    dependencies=DECLARED,
    response_model=PageTable,
    responses={**FAILURES, **FILES_TOO},
)
def pages(
    slug: str,
    filters: ViewFilters,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> PageTable | Response:
    """Page loads, soft navigations and back/forward restores have separate rows. Busiest first."""
    answer = page_views.pages(context.read, filters)
    shown = [PageShown.of(row) for row in answer.rows]
    if format != "json":
        return table_file(format, f"{slug}-pages", PageShown, shown)
    return PageTable(pages=shown, as_of=answer.as_of)


@router.get(
    "/api/projects/{slug}/performance/endpoints",
    operation_id="performance_endpoints",
    summary="List API endpoint metrics",
    dependencies=DECLARED,
    response_model=EndpointTable,
    responses={**FAILURES, **FILES_TOO},
)
def endpoints(
    slug: str,
    filters: CallFilters,
    context: ContextDependency,
    side: Sides = "server",
    format: Format = "json",  # noqa: A002
) -> EndpointTable | Response:
    """Most called first. The two sides of one call are never added up."""
    if side == "both":
        answer = calls.endpoints_of_both(context.read, filters)
    else:
        answer = calls.endpoints(context.read, filters, side)
    shown = [EndpointShown.of(row) for row in answer.rows]
    if format != "json":
        return table_file(format, f"{slug}-endpoints", EndpointShown, shown)
    return EndpointTable(endpoints=shown, as_of=answer.as_of)


@router.get(
    "/api/projects/{slug}/performance/trends",
    operation_id="performance_trends",
    summary="Get a page load metric by week",
    dependencies=DECLARED,
    response_model=TrendTable,
    responses={**FAILURES, **FILES_TOO},
)
def trends(
    slug: str,
    filters: TrendFilters,
    context: ContextDependency,
    metric: Metric = "load_ms",
    page: Page = "",
    format: Format = "json",  # noqa: A002
) -> TrendTable | Response:
    """Whole ISO weeks, oldest first."""
    answer = page_views.trend(context.read, filters, metric, page)
    days = page_views.daily_p75(context.read, filters, metric, page)
    shown = [TrendShown.of(row, metric, weekly_change(days, row.start)) for row in answer.rows]
    if format != "json":
        own = [name for name in TrendShown.model_fields if name.startswith(("change", "weekday"))]
        bounds = _bounds_of_load(Unended()) if metric == LOAD else ()
        columns = ["week", "view_count", "sample_count", *_columns(metric, Percentiles()), *bounds, *own]
        return table_file(format, f"{slug}-trends", TrendShown, shown, columns)
    return TrendTable(trends=shown, as_of=answer.as_of)

"""What the tables of performance can be narrowed to, the same for each of them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Query

from api.authentication import CallerDependency
from api.context import ContextDependency
from api.parameters import Period, PeriodParameter
from errata.warehouse.queries.performance import Filters

Environment = Annotated[str, Query(max_length=64, description="Only this one; empty: all.")]
Release = Annotated[str, Query(max_length=250, description="Only this one; empty: all.")]
Device = Annotated[
    Literal["", "desktop", "mobile", "tablet", "bot"],
    Query(description="Only views on this type of device; empty: all."),
]
Browser = Annotated[
    str, Query(max_length=64, description="Only views in this browser, such as `Firefox`; empty: all.")
]


def filters_of_calls(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("14d"),
    environment: Environment = "",
    release: Release = "",
) -> Filters:
    """Nobody tells of the device and browser that a server was called from."""
    project = context.state.projects.get(asking.organization_id, slug)
    return Filters([project.id], period, datetime.now(UTC), environment, release)


def filters_of_views(usual: str) -> Callable[..., Filters]:
    """`usual`: the period where none is named."""

    def filters(
        slug: str,
        asking: CallerDependency,
        context: ContextDependency,
        period: PeriodParameter = Period(usual),
        environment: Environment = "",
        release: Release = "",
        device: Device = "",
        browser: Browser = "",
    ) -> Filters:
        project = context.state.projects.get(asking.organization_id, slug)
        return Filters([project.id], period, datetime.now(UTC), environment, release, device, browser)

    return filters


CallFilters = Annotated[Filters, Depends(filters_of_calls)]
ViewFilters = Annotated[Filters, Depends(filters_of_views("14d"))]
TrendFilters = Annotated[Filters, Depends(filters_of_views("12w"))]
ReportFilters = Annotated[Filters, Depends(filters_of_views("7d"))]

"""Filters of the performance tables, as parameters made of the filters there are."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from inspect import Parameter, signature
from typing import Annotated, Any, Literal

from fastapi import Depends, Query

from api.authentication import CallerDependency
from api.context import ContextDependency
from api.parameters import PeriodParameter
from errata.performance.filters import FILTERS, OF_DAYS, Filter, Filters
from errata.period import Period

Environment = Annotated[str, Query(max_length=64, description="Only this one; empty: all.")]


def filters_of(narrowed_by: Sequence[Filter], usual: str) -> Callable[..., Filters]:
    """`usual`: the default period."""

    def filters(
        slug: str,
        asking: CallerDependency,
        context: ContextDependency,
        period: PeriodParameter = Period(usual),
        **chosen: str,
    ) -> Filters:
        project = asking.project(context, slug)
        return Filters([project.id], period, datetime.now(UTC), **chosen)

    own = signature(filters)
    before = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    added = [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default="", annotation=parameter(one))
        for one in narrowed_by
    ]
    filters.__signature__ = own.replace(parameters=[*before, *added])  # type: ignore[attr-defined]
    return filters


def parameter(one: Filter) -> Any:
    if one.choices:
        return Annotated[Literal[("", *one.choices)], Query(description=one.description)]
    return Annotated[str, Query(max_length=one.longest, description=one.description)]


# A server's calls have no device and browser.
CallFilters = Annotated[Filters, Depends(filters_of(OF_DAYS, "14d"))]
ViewFilters = Annotated[Filters, Depends(filters_of(FILTERS, "14d"))]
TrendFilters = Annotated[Filters, Depends(filters_of(FILTERS, "12w"))]
ReportFilters = Annotated[Filters, Depends(filters_of(FILTERS, "7d"))]

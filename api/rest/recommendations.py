"""List recommendations to speed up pages, as JSON or CSV."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES
from api.rest.performance_filters import ViewFilters
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.recommendations.recommendation import Recommendation, Rule
from errata.recommendations.recommended import recommended

router = APIRouter(tags=["performance"])

Rounded = Annotated[float, digits(1)]


class RecommendationShown(Shown):
    rule: Rule
    subject: str = Field(description="A page, a URL, an endpoint or a host.")
    page: str = Field(description="The affected page; empty: wherever the subject is loaded.")
    evidence: str = Field(description="Measurements.")
    advice: str
    load_count: int = Field(description="Affected page loads; for a sample, multiplied by `one_of`.")
    user_count: int | None = Field(
        description="Identified users of the examined loads; null: no loads examined."
    )
    saved_ms: Rounded | None = Field(
        description="Maximum savings per page load, at p75 of the affected loads; null: unknown."
    )
    saved_bytes: Rounded | None = Field(description="Same, in transferred bytes.")
    example_view_id: str = Field(
        description="A real load closest to the p75, for `/api/page-views/{id}/waterfall`; "
        "empty: no loads examined."
    )
    example_received_on: date | None
    example_url: str = Field(description="The affected resource of that load; empty: the whole load.")


class RecommendationTable(BaseModel):
    recommendations: list[RecommendationShown]
    as_of: Moment | None
    loads_looked_at: int = Field(description="Loads examined individually by file and call rules.")
    one_of: int = Field(description="1: every load in the period was examined; 8: every eighth.")


@router.get(
    "/api/projects/{slug}/performance/recommendations",
    operation_id="performance_recommendations",
    summary="List recommendations to speed up pages",
    dependencies=DECLARED,
    response_model=RecommendationTable,
    responses={**FAILURES, **FILES_TOO},
)
def recommendations(
    slug: str,
    filters: ViewFilters,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> RecommendationTable | Response:
    """Rules applied to measurements of real page loads; largest total saving first."""
    answer = recommended(context.read, filters)
    shown = [_shown(each) for each in answer.rows]
    if format != "json":
        return table_file(format, f"{slug}-recommendations", RecommendationShown, shown)
    return RecommendationTable(
        recommendations=shown, as_of=answer.as_of, loads_looked_at=answer.looked_at, one_of=answer.one_of
    )


def _shown(each: Recommendation) -> RecommendationShown:
    example = each.example
    return RecommendationShown.of(
        each,
        example_view_id=example.view_id if example else "",
        example_received_on=example.received_on if example else None,
        example_url=example.url if example else "",
    )

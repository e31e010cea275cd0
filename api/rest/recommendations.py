"""List recommendations to speed up pages, as JSON or CSV."""

from datetime import date

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES
from api.rest.performance_filters import ViewFilters
from api.tables import FILES_TOO, Format, table_file
from errata.recommendations.recommendation import Recommendation, Rule
from errata.recommendations.recommended import recommended

router = APIRouter(tags=["performance"])


class RecommendationShown(BaseModel):
    rule: Rule
    subject: str = Field(description="A page, a URL, an endpoint or a host.")
    page: str = Field(description="The affected page; empty: wherever the subject is loaded.")
    evidence: str = Field(description="Measurements.")
    advice: str
    load_count: int = Field(description="Affected page loads; for a sample, multiplied by `one_of`.")
    user_count: int | None = Field(
        description="Identified users of the examined loads; null: no loads examined."
    )
    saved_ms: float | None = Field(
        description="Maximum savings per page load, at p75 of the affected loads; null: unknown."
    )
    saved_bytes: float | None = Field(description="Same, in transferred bytes.")
    example_view_id: str = Field(
        description="A real load closest to the p75, for `/api/page-views/{id}/waterfall`; "
        "empty: no loads examined."
    )
    example_received_on: date | None
    example_url: str = Field(description="The affected resource of that load; empty: the whole load.")

    @classmethod
    def of(cls, each: Recommendation) -> "RecommendationShown":
        return cls(
            rule=each.rule,
            subject=each.subject,
            page=each.page,
            evidence=each.evidence,
            advice=each.advice,
            load_count=each.load_count,
            user_count=each.user_count,
            saved_ms=_rounded(each.saved_ms),
            saved_bytes=_rounded(each.saved_bytes),
            example_view_id=each.example.view_id if each.example else "",
            example_received_on=each.example.received_on if each.example else None,
            example_url=each.example.url if each.example else "",
        )


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
    """Rules over measurements of real page loads; the largest total saving comes first."""
    answer = recommended(context.read, filters)
    shown = [RecommendationShown.of(each) for each in answer.rows]
    if format != "json":
        return table_file(format, f"{slug}-recommendations", RecommendationShown, shown)
    return RecommendationTable(
        recommendations=shown, as_of=answer.as_of, loads_looked_at=answer.looked_at, one_of=answer.one_of
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)

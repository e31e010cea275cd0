"""Days on which the level of a page-load metric shifted, as JSON or CSV."""

from datetime import date

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES, Metric, Page
from api.rest.performance_filters import Environment
from api.tables import FILES_TOO, Format, table_file
from errata.warehouse.queries.performance.shifts import Shift, shifts

router = APIRouter(tags=["performance"])


class ChangePointShown(BaseModel):
    environment: str
    page: str = Field(description="Empty: all pages together.")
    metric: str
    day: date = Field(description="First day of the new level, UTC.")
    level_before: float = Field(description="Median of the daily p75 since the previous shift.")
    level_after: float
    change_ratio: float = Field(description="0.1: a tenth more.")
    vote_count: int = Field(description="Number of tests, of three, that found it: 2 or 3.")
    p_e_divisive: float
    p_mann_whitney: float
    p_mann_kendall: float
    release: str = Field(description="Nearest release by first page load; empty: none within three days.")
    release_at: Moment | None

    @classmethod
    def of(cls, row: Shift) -> "ChangePointShown":
        return cls(
            environment=row.environment,
            page=row.page,
            metric=row.metric,
            day=row.day,
            level_before=round(row.level_before, 3),
            level_after=round(row.level_after, 3),
            change_ratio=round(row.change_ratio, 6),
            vote_count=row.vote_count,
            p_e_divisive=row.p_e_divisive,
            p_mann_whitney=row.p_mann_whitney,
            p_mann_kendall=row.p_mann_kendall,
            release=row.release,
            release_at=row.release_at,
        )


class ChangePointTable(BaseModel):
    change_points: list[ChangePointShown]
    as_of: Moment | None = Field(description="Covers whole days before it; built once a day.")


@router.get(
    "/api/projects/{slug}/performance/change-points",
    operation_id="performance_change_points",
    summary="List days on which page loads became slower or faster",
    dependencies=DECLARED,
    response_model=ChangePointTable,
    responses={**FAILURES, **FILES_TOO},
)
def change_points(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "production",
    metric: Metric = "load_ms",
    page: Page = "",
    format: Format = "json",  # noqa: A002
) -> ChangePointTable | Response:
    """Shifts in one environment: of all pages together and of each, or of one page; the latest first."""
    project = context.state.projects.get(asking.organization_id, slug)
    found = shifts(context.read, project.id, environment, metric, page, is_each_page=not page)
    shown = [ChangePointShown.of(row) for row in found.rows]
    if format != "json":
        return table_file(format, f"{slug}-change-points", ChangePointShown, shown)
    return ChangePointTable(change_points=shown, as_of=found.as_of)

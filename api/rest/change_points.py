"""Steps and drifts of the level of a page-load metric, as JSON or CSV."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.rest.performance import FAILURES, Metric, Page
from api.rest.performance_filters import Environment
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.warehouse.queries.performance.shifts import Kind, shifts

router = APIRouter(tags=["performance"])

Level = Annotated[float, digits(3)]
Ratio = Annotated[float, digits(6)]


class ChangePointShown(Shown):
    environment: str
    page: str = Field(description="Empty: all pages together.")
    metric: str
    day: date = Field(description="Step: first day of the new level, UTC. Drift: its last day.")
    level_before: Level = Field(
        description="Level of the daily p75 before the step, or where the drift began."
    )
    level_after: Level
    change_ratio: Ratio = Field(description="0.1 is 10% more.")
    vote_count: int = Field(description="Always 3; no longer used.", deprecated=True)
    p_e_divisive: float = Field(
        validation_alias="p_value", description="The same as p_value.", deprecated=True
    )
    p_mann_whitney: float = Field(
        validation_alias="p_value", description="The same as p_value.", deprecated=True
    )
    p_mann_kendall: float = Field(
        validation_alias="p_value", description="The same as p_value.", deprecated=True
    )
    release: str = Field(
        description="Nearest release whose first page load lies within the interval of the day; empty: none."
    )
    release_at: Moment | None
    kind: Kind = Field(description="`step`: from one day to the next; `drift`: gradually, over weeks.")
    first_day: date = Field(
        description="Step: the day lies between it and last_day (95%). Drift: its first day."
    )
    last_day: date
    slope: Ratio = Field(description="Drift: relative change per week (0.01 is 1% more); 0 for a step.")
    p_value: float = Field(
        description="Probability of at least this much evidence for a change in a series without one."
    )
    went_away: bool = Field(description="Whether a later step returned to the level before this one.")
    went_away_on: date | None = Field(description="First day of that step.")
    finding: int = Field(description="Shared by shifts of several pages and metrics that moved together.")
    moved_together: int = Field(description="Number of series that moved together, including this one.")


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
    """Shifts in one environment: all pages together and each page, or a single page. Latest first."""
    project = asking.project(context, slug)
    found = shifts(context.read, project.id, environment, metric, page, is_each_page=not page)
    shown = [ChangePointShown.of(row, vote_count=3) for row in found.rows]
    if format != "json":
        return table_file(format, f"{slug}-change-points", ChangePointShown, shown)
    return ChangePointTable(change_points=shown, as_of=found.as_of)

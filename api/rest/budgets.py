"""Performance budgets of a project: definitions, current state, and suggestions."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, GateDependency, ManagerDependency, ReaderDependency
from api.context import Context, ContextDependency
from api.parameters import Moment, WholeNumber
from api.problems import responses
from api.shown import Shown
from api.tables import FILES_TOO, Format, table_file
from errata.budgets.history import History
from errata.budgets.limit import DEVICES, LARGEST, LEAST_SAMPLES, MOST_SAMPLES, STEP_HOURS, Limit, limit_of
from errata.budgets.metric import METRICS
from errata.budgets.reason import Reason
from errata.budgets.state import State
from errata.budgets.suggestion import suggestion
from errata.budgets.wording import promise
from errata.one_line import NAME, ONE_LINE
from errata.performance.metric import Unit
from errata.state.budgets import Budget

router = APIRouter(tags=["performance"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
CHANGE = (
    "invalid_parameter",
    "invalid_api_key",
    "csrf_failed",
    "forbidden",
    "project_not_found",
    "state_unavailable",
)
READ = (
    "invalid_parameter",
    "invalid_api_key",
    "project_not_found",
    "state_unavailable",
    "warehouse_unavailable",
)


PERCENTILE_OR_MEAN = "^(p[1-9][0-9]?|mean|)$"


def _kinds(with_threshold: bool) -> dict[str, Any]:
    """Checks fields that depend on each other: only pages have devices, and a ratio has no statistic."""

    def kind(metrics: list[str], largest: float, **fields: Any) -> dict[str, Any]:
        bounds = {"threshold": {"maximum": largest}} if with_threshold else {}
        return {"properties": {"metric": {"enum": metrics}, **fields, **bounds}}

    ratios = [name for name, metric in METRICS.items() if metric.unit is Unit.RATIO]
    pages = [name for name, metric in METRICS.items() if metric.is_of_pages]
    calls = [name for name in METRICS if name not in {*ratios, *pages}]
    of_all = {"device": {"const": ""}}
    number = {"statistic": {"pattern": PERCENTILE_OR_MEAN}}
    return {
        "oneOf": [
            kind(pages, LARGEST, **number),
            kind(calls, LARGEST, **number, **of_all),
            kind(ratios, 1, statistic={"enum": ["", "ratio"]}, **of_all),
        ]
    }


class LimitGiven(BaseModel):
    model_config = ConfigDict(json_schema_extra=_kinds(with_threshold=False))

    metric: str = Field(
        description=f"One of {', '.join(METRICS)}; its unit is part of its name.",
        max_length=32,
        json_schema_extra={"enum": list(METRICS)},
    )
    statistic: str = Field(
        "",
        description="`p75` or any other percentile from p1 to p99, or `mean`; empty for error ratios.",
        max_length=8,
        json_schema_extra={"pattern": "^(p[1-9][0-9]?|mean|ratio|)$"},
    )
    pattern: str = Field(
        "",
        max_length=200,
        pattern=ONE_LINE,
        description="Which pages (`/checkout/*`) or endpoints (`POST /orders/*`); empty: all.",
    )
    environment: str = Field("", max_length=64, pattern=ONE_LINE, description="Empty: all.")
    device: str = Field(
        "",
        max_length=16,
        description=f"For pages: {', '.join(DEVICES)}; empty: all.",
        json_schema_extra={"enum": ["", *DEVICES]},
    )
    window_hours: WholeNumber = Field(
        24,
        description=f"One of {', '.join(map(str, STEP_HOURS))}.",
        json_schema_extra={"enum": list(STEP_HOURS)},
    )
    least_samples: WholeNumber = Field(
        LEAST_SAMPLES,
        description="Windows with fewer independent samples are unknown.",
        json_schema_extra={"minimum": 1, "maximum": MOST_SAMPLES},
    )

    def limit(self) -> Limit:
        fields = set(Limit.__dataclass_fields__)
        return limit_of({"threshold": 0, **self.model_dump(include=fields)})


class BudgetGiven(LimitGiven):
    model_config = ConfigDict(json_schema_extra=_kinds(with_threshold=True))

    name: str = Field(min_length=1, max_length=100, pattern=NAME)
    threshold: float = Field(
        strict=True,
        json_schema_extra={"minimum": 0},
        description="In the unit of the metric: ms, bytes, a count, a score or a ratio from 0 to 1.",
    )


class BudgetShown(BaseModel):
    id: str
    name: str
    metric: str
    statistic: str = Field(description="A percentile, `mean`, or `ratio` of errors.")
    unit: Literal["ms", "bytes", "count", "score", "ratio"]
    threshold: float
    pattern: str
    environment: str
    device: str
    window_hours: int
    least_samples: int
    value: float | None = Field(description="Value in the latest window; null without samples.")
    value_at_most: float | None = Field(
        description=(
            "Upper bound of the true value, since some loads had not finished when they were reported; null "
            "without samples or without a bound."
        )
    )
    value_at_least: float | None = Field(
        description=(
            "Lower bound of `value`, given its number of independent samples; a window is over the threshold "
            "if this bound is. Null without samples or without a bound."
        )
    )
    sample_count: int = Field(description="In the latest window.")
    independent_count: int = Field(
        description=(
            "Effective sample size of the latest window: (Σn)²/Σn², where n is the number of samples of each "
            "user."
        )
    )
    largest_user_ratio: float = Field(
        description="Approximate share of the latest window's samples from the user or trace with the most."
    )
    state: State = Field(
        description="State that three of the latest four windows agree on, otherwise the previous one."
    )
    reason: Reason = Field(
        description="Why the state is unknown: nothing built yet, an old build, too few samples, too few "
        "independent samples, over the threshold by no more than chance, enough samples in too few windows, "
        "or loads that had not finished when they were reported and could exceed the threshold. Empty if "
        "known."
    )
    is_over: bool = Field(description="Whether the latest window is over the threshold by more than chance.")
    since: Moment | None = Field(description="Start of the current state; null: 30 days ago or earlier.")
    kept_ratio: float | None = Field(
        description="Share of kept windows among those of the last 30 days with enough samples."
    )
    known_ratio: float | None = Field(description="Number of windows in 30 days with enough samples.")
    evaluated_at: Moment | None = Field(description="End of the latest window.")
    created_at: Moment
    created_by: str
    promise: str = Field(description="Summary as a sentence.")

    @classmethod
    def of(cls, budget: Budget, history: History) -> "BudgetShown":
        current = history.current
        return cls(
            id=budget.id,
            name=budget.name,
            unit=budget.limit.measured.unit.value,
            value=current.value if current else None,
            value_at_most=current.largest if current else None,
            value_at_least=current.at_least if current else None,
            sample_count=current.sample_count if current else 0,
            independent_count=current.independent_count if current else 0,
            largest_user_ratio=round(current.largest_ratio, 3) if current else 0.0,
            state=history.standing,
            reason=history.reason,
            is_over=current is not None and current.outcome is State.BREACHED,
            since=history.since,
            kept_ratio=history.kept_ratio,
            known_ratio=history.known_ratio,
            evaluated_at=current.at if current else None,
            created_at=budget.created_at,
            created_by=budget.created_by,
            promise=promise(budget.limit),
            **budget.limit.as_condition(),
        )


class BudgetTable(BaseModel):
    budgets: list[BudgetShown]
    as_of: Moment | None = Field(description="The oldest of the builds that the budgets are based on.")


class PointShown(Shown):
    at: Moment = Field(description="End of the window.")
    value: float | None
    sample_count: int
    independent_count: int
    outcome: State = Field(description="Outcome of this window alone.")
    state: State


class BudgetWithHistory(BudgetShown):
    history: list[PointShown] = Field(description="All windows of 30 days, oldest first.")


class SuggestionShown(BaseModel):
    threshold: float | None = Field(description="Null if the latest window has too few samples.")
    value: float | None = None
    kept_ratio: float | None = None
    sentence: str


@router.get(
    "/api/projects/{slug}/performance/budgets",
    operation_id="performance_budgets",
    summary="List performance budgets and their states",
    dependencies=DECLARED,
    response_model=BudgetTable,
    responses={**responses(*READ), **FILES_TOO},
)
def budgets(
    slug: str,
    asking: GateDependency,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> BudgetTable | Response:
    """Measured from real users, as of the last build of the hourly marts."""
    shown, as_of = budget_table(context, asking.organization_id, slug)
    if format != "json":
        return table_file(format, f"{slug}-budgets", BudgetShown, shown)
    return BudgetTable(budgets=shown, as_of=as_of)


@router.post(
    "/api/projects/{slug}/performance/budgets",
    operation_id="create_performance_budget",
    summary="Create a performance budget",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "warehouse_unavailable"),
)
def create_budget(
    slug: str, given: BudgetGiven, asking: ManagerDependency, context: ContextDependency
) -> BudgetShown:
    budget = context.state.budgets.create(
        asking.organization_id, slug, given.name, given.limit(), actor=asking.actor
    )
    return _shown(context, asking.organization_id, slug, budget)


@router.post(
    "/api/projects/{slug}/performance/budgets/suggestion",
    operation_id="suggest_performance_budget",
    summary="Suggest a budget",
    dependencies=DECLARED,
    responses=responses(*READ),
)
def suggest_budget(
    slug: str, given: LimitGiven, asking: ReaderDependency, context: ContextDependency
) -> SuggestionShown:
    """Suggests slightly more than the current value, and reports how often the last 30 days would have kept
    it."""
    project = asking.project(context, slug)
    limit = given.limit()
    history = context.histories.one(context.read, project.id, limit)
    fair = suggestion(limit, history)
    if fair is None:
        return SuggestionShown(threshold=None, sentence="Not enough samples to suggest a budget yet.")
    return SuggestionShown(
        threshold=fair.threshold, value=fair.value, kept_ratio=fair.kept_ratio, sentence=fair.sentence
    )


@router.get(
    "/api/projects/{slug}/performance/budgets/{budget_id}",
    operation_id="performance_budget",
    summary="Get a performance budget with its history",
    dependencies=DECLARED,
    responses=responses(*READ, "budget_not_found"),
)
def budget(slug: str, budget_id: Id, asking: GateDependency, context: ContextDependency) -> BudgetWithHistory:
    found = context.state.budgets.get(asking.organization_id, slug, budget_id)
    project = asking.project(context, slug)
    history = context.histories.one(context.read, project.id, found.limit)
    points = [PointShown.of(each) for each in history.evaluations]
    return BudgetWithHistory(**BudgetShown.of(found, history).model_dump(), history=points)


@router.put(
    "/api/projects/{slug}/performance/budgets/{budget_id}",
    operation_id="change_performance_budget",
    summary="Update a performance budget",
    dependencies=DECLARED,
    responses=responses(*CHANGE, "budget_not_found", "warehouse_unavailable"),
)
def change_budget(
    slug: str, budget_id: Id, given: BudgetGiven, asking: ManagerDependency, context: ContextDependency
) -> BudgetShown:
    """The history is immediately evaluated against the new limit."""
    changed = context.state.budgets.change(
        asking.organization_id, slug, budget_id, given.name, given.limit(), actor=asking.actor
    )
    return _shown(context, asking.organization_id, slug, changed)


@router.delete(
    "/api/projects/{slug}/performance/budgets/{budget_id}",
    operation_id="delete_performance_budget",
    summary="Delete a performance budget",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "budget_not_found"),
)
def delete_budget(slug: str, budget_id: Id, asking: ManagerDependency, context: ContextDependency) -> None:
    context.state.budgets.delete(asking.organization_id, slug, budget_id, actor=asking.actor)


def budget_table(
    context: Context, organization_id: int, slug: str
) -> tuple[list[BudgetShown], Moment | None]:
    found = context.state.budgets.of_project(organization_id, slug)
    histories = _histories(context, organization_id, slug, found)
    shown = [BudgetShown.of(each, history) for each, history in zip(found, histories, strict=True)]
    return shown, min((history.as_of for history in histories if history.as_of), default=None)


def _shown(context: Context, organization_id: int, slug: str, budget: Budget) -> BudgetShown:
    [history] = _histories(context, organization_id, slug, [budget])
    return BudgetShown.of(budget, history)


def _histories(context: Context, organization_id: int, slug: str, found: list[Budget]) -> list[History]:
    project = context.state.projects.get(organization_id, slug)
    return context.histories.all(context.read, project.id, [each.limit for each in found])

"""Alert rules of a project, and backtests of their firings."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, StrictBool

from api.authentication import DECLARED, CallerDependency, ManagerDependency, ReaderDependency
from api.context import ContextDependency
from api.parameters import (
    Moment,
    WholeNumber,
)
from api.problems import responses
from api.reception import reception_of
from api.shown import Shown
from errata.alerts.backtest import DAYS, backtest
from errata.alerts.evaluation import Question
from errata.alerts.rule import KINDS, LONGEST_CAP_MINUTES, SHORTEST_CAP_MINUTES, checked
from errata.one_line import NAME
from errata.state.alerts.rules import NewRule
from errata.workflow.priority import Level

router = APIRouter(tags=["alerts"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
READ = ("invalid_parameter", "invalid_api_key", "state_unavailable")
CHANGE = (*READ, "csrf_failed", "forbidden")
OF_PROJECT = ("project_not_found",)


class RuleGiven(BaseModel):
    name: str = Field(min_length=1, max_length=100, pattern=NAME)
    kind: str = Field(
        description=f"One of {', '.join(KINDS)}.", max_length=32, json_schema_extra={"enum": list(KINDS)}
    )
    condition: dict[str, Any] = Field(
        default_factory=dict,
        description=" ".join(
            f"For `{kind.name}`: {kind.condition_words}." for kind in KINDS.values() if kind.condition_words
        ),
    )
    query: str = Field("", max_length=2000, description="Filter for events, in the search language.")
    priorities: list[Level] = Field(
        default_factory=list, max_length=3, description="Required issue priorities; empty: any."
    )
    cap_minutes: WholeNumber = Field(
        60,
        description="Minimum minutes between two firings for the same issue.",
        json_schema_extra={"minimum": SHORTEST_CAP_MINUTES, "maximum": LONGEST_CAP_MINUTES},
    )
    is_on: StrictBool = True
    channels: list[str] = Field(default_factory=list, max_length=20, description="IDs of channels.")

    def rule(self) -> NewRule:
        return checked(
            NewRule(
                self.name,
                self.kind,
                self.condition,
                self.query,
                self.cap_minutes,
                self.is_on,
                self.channels,
                self.priorities,
            )
        )


class RuleShown(Shown):
    id: str
    name: str
    kind: str
    condition: dict[str, Any] = Field(validation_alias="stored_condition")
    query: str
    priorities: list[Level]
    cap_minutes: int
    is_on: bool
    channels: list[str] = Field(validation_alias="channel_ids")
    created_at: Moment
    created_by: str
    evaluated_until: Moment = Field(description="Events received before this time have been checked.")
    failure: str = Field(description="Why the last check failed; empty if it succeeded.")
    fired_count: int
    last_fired_at: Moment | None


class RuleList(BaseModel):
    rules: list[RuleShown]


class FiringShown(Shown):
    issue_id: str = Field(description="Empty: all issues combined.")
    title: str
    culprit: str
    at: Moment = Field(validation_alias="fired_at")
    value: int = Field(
        description=(
            "Events or users; for a budget, samples in the window; for a monitor, consecutive failed runs."
        )
    )
    outcome: str = Field(
        "",
        description="For a budget: `breached` or `kept`; for a monitor: `failing`, `missed` or `recovered`.",
    )
    measured: float | None = Field(None, description="For a budget: the measured value.")
    monitor_slug: str = Field("", description="Empty if the rule isn't about monitors.")
    environment: str = Field("", description="Of the monitor.")


class DayShown(BaseModel):
    day: Moment
    fired_count: int


class BacktestShown(Shown):
    since: Moment
    until: Moment
    is_cut: bool = Field(
        description="`since` is later than requested: there are too many events further back."
    )
    sentence: str
    fired_count: int
    issue_count: int
    chance_count: float | None = Field(
        description=(
            "For rules about escalating issues, the firings to expect if no issue changed; null: unknown."
        )
    )
    by_day: list[DayShown]
    firings: list[FiringShown] = Field(description="Latest 200, newest first.")


@router.get(
    "/api/projects/{slug}/alert-rules",
    operation_id="alert_rules",
    summary="List a project's alert rules",
    dependencies=DECLARED,
    responses=responses(*READ, *OF_PROJECT),
)
def alert_rules(slug: str, asking: CallerDependency, context: ContextDependency) -> RuleList:
    listed = context.state.alerts.rules.of_project(asking.organization_id, slug)
    return RuleList(rules=[RuleShown.of(rule) for rule in listed])


@router.post(
    "/api/projects/{slug}/alert-rules",
    operation_id="create_alert_rule",
    summary="Create an alert rule",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE, *OF_PROJECT),
)
def create_alert_rule(
    slug: str, given: RuleGiven, asking: ManagerDependency, context: ContextDependency
) -> RuleShown:
    """The rule fires only for new events."""
    rule = context.state.alerts.rules.create(asking.organization_id, slug, given.rule(), actor=asking.actor)
    return RuleShown.of(rule)


@router.post(
    "/api/projects/{slug}/alert-rules/backtest",
    operation_id="backtest_alert_rule",
    summary="Test when a rule would have fired",
    dependencies=DECLARED,
    responses=responses(*CHANGE, *OF_PROJECT, "warehouse_unavailable"),
)
def backtest_alert_rule(
    slug: str,
    given: RuleGiven,
    asking: ReaderDependency,
    context: ContextDependency,
    days: Annotated[int, Query(ge=1, le=DAYS, description="Number of days to look back.")] = DAYS,
) -> BacktestShown:
    """Runs the same queries as live rules. It can take some seconds; if it runs out of time, it covers only
    the latest part."""
    project = asking.project(context, slug)
    rule = given.rule()
    condition = context.state.alerts.rules.with_limit(asking.organization_id, slug, rule.condition)
    question = Question(project.id, rule.kind, condition, rule.query, rule.cap_minutes, rule.priorities)
    reception = reception_of(context, asking.organization_id, question.project_id)
    found = backtest(context.read, question, days, reception)
    by_day = [DayShown(day=day, fired_count=count) for day, count in found.by_day]
    return BacktestShown.of(found, by_day=by_day)


@router.get(
    "/api/projects/{slug}/alert-rules/{rule_id}",
    operation_id="alert_rule",
    summary="Get an alert rule",
    dependencies=DECLARED,
    responses=responses(*READ, *OF_PROJECT, "alert_rule_not_found"),
)
def alert_rule(slug: str, rule_id: Id, asking: CallerDependency, context: ContextDependency) -> RuleShown:
    return RuleShown.of(context.state.alerts.rules.get(asking.organization_id, slug, rule_id))


@router.put(
    "/api/projects/{slug}/alert-rules/{rule_id}",
    operation_id="change_alert_rule",
    summary="Update an alert rule",
    dependencies=DECLARED,
    responses=responses(*CHANGE, *OF_PROJECT, "alert_rule_not_found"),
)
def change_alert_rule(
    slug: str, rule_id: Id, given: RuleGiven, asking: ManagerDependency, context: ContextDependency
) -> RuleShown:
    """After a change of condition or filter, the rule fires only for new events."""
    rule = context.state.alerts.rules.change(
        asking.organization_id, slug, rule_id, given.rule(), actor=asking.actor
    )
    return RuleShown.of(rule)


@router.delete(
    "/api/projects/{slug}/alert-rules/{rule_id}",
    operation_id="delete_alert_rule",
    summary="Delete an alert rule",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE, *OF_PROJECT, "alert_rule_not_found"),
)
def delete_alert_rule(slug: str, rule_id: Id, asking: ManagerDependency, context: ContextDependency) -> None:
    context.state.alerts.rules.delete(asking.organization_id, slug, rule_id, actor=asking.actor)

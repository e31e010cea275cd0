"""Limits in force, their use by hour, and what was refused."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from api import limits as in_force
from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.line_limits import LimitedLines, limited_lines
from api.parameters import Moment, WholeNumber
from api.problems import responses
from errata.state.line_limits import MOST_LINES_PER_MINUTE
from errata.warehouse.queries.delivery.usage import HourOfUse, Refusal, refusals, usage

router = APIRouter(tags=["limits"])

MOST_HOURS = 7 * 24
Hours = Annotated[int, Query(ge=1, le=MOST_HOURS, description="How far back, with the current hour.")]


class LimitShown(BaseModel):
    name: str
    value: float
    scope: str = Field(
        description="Whom it applies to: `organization`, `project`, `caller`, `email` or `service`."
    )
    meaning: str
    setting: str = Field(description="The setting that changes it; empty: it is fixed.")


class HourShown(BaseModel):
    hour_start: Moment
    delivery_count: int
    accepted_count: int = Field(description="Lines.")
    rejected_count: int = Field(description="Lines refused.")
    busiest_minute: int = Field(description="The most lines received in one minute of the hour.")

    @classmethod
    def of(cls, hour: HourOfUse) -> "HourShown":
        return cls(
            hour_start=hour.hour_start,
            delivery_count=hour.delivery_count,
            accepted_count=hour.accepted_count,
            rejected_count=hour.rejected_count,
            busiest_minute=hour.busiest_minute,
        )


class RefusalShown(BaseModel):
    hour_start: Moment
    project: str
    service: str = Field(description="Of the lines' application key; empty: none, or all of the project.")
    item_type: str = Field(description="`line`, or `delivery` for those refused as a whole.")
    reason: str = Field(
        description="Of deliveries: `rate_limited` by the organization's limit, `project_rate_limited` or "
        "`service_rate_limited`; `invalid_api_key` for a replaced key, `application_not_found`."
    )
    refused_count: int
    last_refused_at: Moment

    @classmethod
    def of(cls, refusal: Refusal, slugs: Mapping[int, str]) -> "RefusalShown":
        return cls(
            hour_start=refusal.hour_start,
            project=slugs[refusal.project_id],
            service=refusal.service,
            item_type=refusal.item_type,
            reason=refusal.reason,
            refused_count=refusal.refused_count,
            last_refused_at=refusal.last_refused_at,
        )


class LineLimitShown(BaseModel):
    project: str
    service: str = Field(
        description="Empty: all lines of the project; `(none)`: those of keys without a service."
    )
    lines_per_minute: int | None = Field(description="Null: no limit of its own.")
    accepted_count: int = Field(description="Lines in these hours.")
    rejected_count: int
    busiest_minute: int = Field(description="The most lines received in one minute.")
    refused_delivery_count: int = Field(description="Deliveries that this limit turned away.")

    @classmethod
    def of(cls, lines: LimitedLines) -> "LineLimitShown":
        return cls(
            project=lines.project.slug,
            service=lines.service,
            lines_per_minute=lines.limit.lines_per_minute if lines.limit is not None else None,
            accepted_count=lines.use.accepted_count,
            rejected_count=lines.use.rejected_count,
            busiest_minute=lines.use.busiest_minute,
            refused_delivery_count=lines.refused_delivery_count,
        )


class LimitsShown(BaseModel):
    limits: list[LimitShown]
    line_limits: list[LineLimitShown] = Field(description="By project and service, each below the former.")
    hours: list[HourShown] = Field(description="Of all projects together, the current hour last.")
    refusals: list[RefusalShown] = Field(description="The newest hour first.")


@router.get(
    "/api/limits",
    operation_id="limits",
    summary="Get limits, their use and refusals",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "state_unavailable", "warehouse_unavailable"),
)
def limits(asking: CallerDependency, context: ContextDependency, hours: Hours = 24) -> LimitsShown:
    """Refused deliveries are recorded within seconds. A shipper delivers them again."""
    projects = context.state.projects.visible(asking)
    slugs = {project.id: project.slug for project in projects}
    now = datetime.now(UTC)
    used = usage(context.read, list(slugs), now, hours)
    refused = refusals(context.read, list(slugs), now, hours)
    lines = limited_lines(context.state, asking.organization_id, projects, used, refused)
    return LimitsShown(
        limits=[
            LimitShown(
                name=one.name, value=one.value, scope=one.scope, meaning=one.meaning, setting=one.setting
            )
            for one in in_force.limits(context.settings)
        ],
        line_limits=[LineLimitShown.of(one) for one in lines],
        hours=[HourShown.of(hour) for hour in used.hours],
        refusals=[RefusalShown.of(one, slugs) for one in refused],
    )


class LineLimitSent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    service: str = Field("", max_length=32, description="Of an application key; empty: all of the project.")
    lines_per_minute: Annotated[WholeNumber, Field(ge=1, le=MOST_LINES_PER_MINUTE)] | None = Field(
        None, description="To all nodes together; null: no limit of its own."
    )


class ChangedLineLimitShown(BaseModel):
    project: str
    service: str
    lines_per_minute: int | None


@router.put(
    "/api/projects/{slug}/limits",
    operation_id="change_line_limit",
    summary="Limit the lines per minute of a project or one of its services",
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "csrf_failed",
        "forbidden",
        "project_not_found",
        "state_unavailable",
    ),
)
def change_line_limit(
    slug: str, sent: LineLimitSent, asking: ManagerDependency, context: ContextDependency
) -> ChangedLineLimitShown:
    """Lines of a service count for its limit, its project's and the organization's. A delivery over one of
    them is refused with 429."""
    context.state.line_limits.replace(
        asking.organization_id, slug, sent.service, sent.lines_per_minute, actor=asking.actor
    )
    return ChangedLineLimitShown(project=slug, service=sent.service, lines_per_minute=sent.lines_per_minute)

"""Limits in force, their use, what was refused, and what became of everything that was delivered."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import AliasPath, BaseModel, ConfigDict, Field

from api import limits as in_force
from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.parameters import GivenPeriod, Moment, WholeNumber
from api.problems import responses
from api.shown import Shown
from api.usage import LimitedLines, forecast, limited_lines, usage_over_time
from errata.field_outcomes import FieldOutcome, field_outcome
from errata.period import Period
from errata.state.errors import ProjectNotFound
from errata.state.ingest_limits import MOST_PER_MINUTE, NOT_LEARNED, LimitKind
from errata.warehouse.queries.delivery.usage import refusals, usage

router = APIRouter(tags=["limits"])

MOST_HOURS = 7 * 24
Hours = Annotated[
    int, Query(ge=1, le=MOST_HOURS, description="Hours to look back, including the current one.")
]


class LimitShown(Shown):
    name: str
    value: float
    scope: str = Field(
        description="What it applies to: `organization`, `project`, `caller`, `email` or `service`."
    )
    meaning: str
    setting: str = Field(description="Setting that changes it; empty: fixed.")


class HourShown(Shown):
    hour_start: Moment
    delivery_count: int
    accepted_count: int = Field(description="Lines.")
    rejected_count: int = Field(description="Lines refused.")
    byte_count: int = Field(description="Of the lines, uncompressed.")
    busiest_minute: int = Field(description="Most lines received in one minute of the hour.")


class RefusalShown(Shown):
    hour_start: Moment
    project: str
    service: str = Field(
        description="Service of the lines' application key; empty: none, or the whole project."
    )
    item_type: str = Field(description="`line`, or `delivery` for deliveries refused as a whole.")
    reason: str = Field(
        description="For deliveries: `rate_limited` by the organization's limit, `project_rate_limited` or "
        "`service_rate_limited`, `spike_rate_limited` by spike protection; `invalid_api_key` for a replaced "
        "key, `application_not_found`."
    )
    refused_count: int
    last_refused_at: Moment


class OwnLimits(BaseModel):
    """Limits of a project or service; null: none of its own."""

    lines_per_minute: int | None
    bytes_per_minute: int | None = Field(description="Bytes of lines, uncompressed.")
    payloads_per_minute: int | None = Field(
        description="Payloads stored per variant; further events are stored without their payload."
    )
    spike_protection: bool
    spike_lines_per_minute: int | None = Field(
        description=(
            "Learned from the project's last week; null: spike protection is off or has no full week yet."
        )
    )


def _own(limits: Mapping[LimitKind, int]) -> dict[str, Any]:
    return {
        "lines_per_minute": limits.get(LimitKind.LINES),
        "bytes_per_minute": limits.get(LimitKind.BYTES),
        "payloads_per_minute": limits.get(LimitKind.PAYLOADS),
        "spike_protection": LimitKind.SPIKES in limits,
        "spike_lines_per_minute": limits.get(LimitKind.SPIKES) or None,
    }


class LineLimitShown(OwnLimits, Shown):
    project: str = Field(validation_alias=AliasPath("project", "slug"))
    service: str = Field(
        description="Empty: all lines of the project; `(none)`: lines of keys without a service."
    )
    accepted_count: int = Field(description="Lines in these hours.")
    rejected_count: int
    byte_count: int = Field(description="Size of deliveries of the project or service.")
    busiest_minute: int = Field(description="Most lines received in one minute.")
    refused_delivery_count: int = Field(description="Deliveries refused by these limits.")


class LimitsShown(BaseModel):
    limits: list[LimitShown]
    line_limits: list[LineLimitShown] = Field(description="By project, with services below their project.")
    hours: list[HourShown] = Field(description="Of all projects together, the current hour last.")
    refusals: list[RefusalShown] = Field(description="Newest hour first.")


@router.get(
    "/api/limits",
    operation_id="limits",
    summary="Get rate limits, their usage and refusals",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "state_unavailable", "warehouse_unavailable"),
)
def limits(asking: CallerDependency, context: ContextDependency, hours: Hours = 24) -> LimitsShown:
    """Refused deliveries are recorded within seconds. Shippers deliver them again; SDKs that send by DSN drop
    them."""
    projects = context.state.projects.visible(asking)
    slugs = {project.id: project.slug for project in projects}
    now = datetime.now(UTC)
    used = usage(context.read, list(slugs), now, hours)
    refused = refusals(context.read, list(slugs), now, hours)
    lines = limited_lines(context.state, asking.organization_id, projects, used, refused)
    return LimitsShown(
        limits=[LimitShown.of(one) for one in in_force.limits(context.settings)],
        line_limits=[_line_limit(one) for one in lines],
        hours=[HourShown.of(hour) for hour in used.hours],
        refusals=[RefusalShown.of(one, project=slugs[one.project_id]) for one in refused],
    )


def _line_limit(lines: LimitedLines) -> LineLimitShown:
    own = _own({kind: limit.per_minute for kind, limit in lines.limits.items()})
    return LineLimitShown.of(lines, **asdict(lines.use), **own)


PerMinute = Annotated[WholeNumber, Field(ge=1, le=MOST_PER_MINUTE)]


class LimitsSent(BaseModel):
    """Omitted limits don't change; null removes a limit."""

    model_config = ConfigDict(extra="forbid")

    service: str = Field(
        "", max_length=32, description="Service of an application key; empty: the whole project."
    )
    lines_per_minute: PerMinute | None = Field(None, description="To all nodes together.")
    bytes_per_minute: PerMinute | None = Field(None, description="Bytes of lines, to all nodes together.")
    payloads_per_minute: PerMinute | None = Field(
        None,
        description=(
            "For a project: payloads stored per variant, minute and node. Further events are counted as "
            "usual, but stored without a payload."
        ),
    )
    spike_protection: bool = Field(
        False, description="For a project: a line limit learned from its last week."
    )

    @property
    def limits(self) -> dict[LimitKind, int | None]:
        found = {
            kind: getattr(self, f"{kind}_per_minute")
            for kind in (LimitKind.LINES, LimitKind.BYTES, LimitKind.PAYLOADS)
            if f"{kind}_per_minute" in self.model_fields_set
        }
        if "spike_protection" in self.model_fields_set:
            found[LimitKind.SPIKES] = NOT_LEARNED if self.spike_protection else None
        return found


class ChangedLimitsShown(OwnLimits):
    project: str
    service: str


@router.put(
    "/api/projects/{slug}/limits",
    operation_id="change_limits",
    summary="Limit what a project or one of its services delivers",
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
def change_limits(
    slug: str, sent: LimitsSent, asking: ManagerDependency, context: ContextDependency
) -> ChangedLimitsShown:
    """Deliveries count toward the limits of the service and its project; lines count toward the
    organization's too. A delivery over a limit is refused with 429: shippers deliver it again, and
    SDKs that send by DSN drop it."""
    limits = context.state.ingest_limits
    project_id = limits.replace(asking.organization_id, slug, sent.service, sent.limits, actor=asking.actor)
    own = {
        one.kind: one.per_minute for one in limits.of_projects([project_id]) if one.service == sent.service
    }
    return ChangedLimitsShown(project=slug, service=sent.service, **_own(own))


class UsageOutcomeShown(Shown):
    project: str
    service: str = Field(
        description="Service of the lines' application key; empty: none, or the whole project."
    )
    outcome: FieldOutcome = Field(description="Outcome in Sentry Relay's terms.")
    detail: str = Field(
        description="Detail as in the delivery ledger, such as `too_old` or `project_rate_limited`."
    )
    reason: str = Field(
        description="Inbound filter for `filtered`, the SDK's reason for `client_discard`; otherwise empty."
    )
    item_type: str = Field(
        description=(
            "`line`, `delivery` for deliveries refused as a whole (shippers deliver them again), "
            "otherwise the item type."
        )
    )
    item_count: int


class UseShown(Shown):
    project: str
    service: str
    accepted_count: int = Field(description="Lines.")
    rejected_count: int = Field(description="Lines refused.")
    byte_count: int = Field(description="Size of this service's deliveries.")


class UsageStepShown(BaseModel):
    step_start: Moment
    accepted: int = Field(description="Lines whose items were stored.")
    filtered: int
    invalid: int
    client_discard: int = Field(description="Items that SDKs discarded before sending, as reported by them.")
    byte_count: int = Field(description="Of lines, uncompressed.")


class ForecastShown(Shown):
    """Forecast for the current calendar month, UTC; null if the first delivery is less than a week old."""

    month: date
    line_count: int
    byte_count: int
    lines_at_end: int | None = Field(description="At the pace of the last seven whole days.")
    bytes_at_end: int | None


class UsageShown(BaseModel):
    steps: list[UsageStepShown]
    outcomes: list[UsageOutcomeShown] = Field(description="Data not stored as sent, most frequent first.")
    services: list[UseShown]
    forecast: ForecastShown


@router.get(
    "/api/usage",
    operation_id="usage",
    summary="Get usage by time, project, service and outcome",
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "project_not_found",
        "state_unavailable",
        "warehouse_unavailable",
    ),
)
def usage_by_outcome(
    asking: CallerDependency,
    context: ContextDependency,
    period: GivenPeriod = Period("24h"),
    project: Annotated[str, Query(max_length=200, description="Slug; empty: all.")] = "",
    service: Annotated[
        str, Query(max_length=32, description="Service of the key; `(none)`: keys without one.")
    ] = "",
) -> UsageShown:
    """By time of receipt."""
    projects = context.state.projects.visible(asking)
    slugs = {one.id: one.slug for one in projects if project in ("", one.slug)}
    if not slugs and project:
        raise ProjectNotFound(project)
    now = datetime.now(UTC)
    found = usage_over_time(context.read, list(slugs), period, now, service)
    return UsageShown(
        steps=[
            UsageStepShown(
                step_start=start,
                byte_count=found.bytes[number],
                **{outcome.value: counts[number] for outcome, counts in found.counts.items()},
            )
            for number, start in enumerate(found.starts)
        ],
        outcomes=[
            UsageOutcomeShown.of(
                one,
                project=slugs[one.project_id],
                outcome=field_outcome(one.outcome),
                detail=one.outcome,
            )
            for one in found.outcomes
        ],
        services=[
            UseShown.of(one, project=slugs[project_id], service=name)
            for one in found.services
            for project_id, name in [one.name]
        ],
        forecast=ForecastShown.of(forecast(context.read, list(slugs), now)),
    )

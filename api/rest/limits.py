"""Limits in force, their use by hour, and what was refused."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from api import limits as in_force
from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
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
    item_type: str = Field(description="`line`, or `delivery` for those that the rate limit turned away.")
    reason: str
    refused_count: int

    @classmethod
    def of(cls, refusal: Refusal) -> "RefusalShown":
        return cls(
            hour_start=refusal.hour_start,
            item_type=refusal.item_type,
            reason=refusal.reason,
            refused_count=refusal.refused_count,
        )


class LimitsShown(BaseModel):
    limits: list[LimitShown]
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
    """Refused deliveries are recorded with the next one stored: a shipper delivers them again."""
    projects = [project.id for project in context.state.projects.visible(asking)]
    now = datetime.now(UTC)
    return LimitsShown(
        limits=[
            LimitShown(
                name=one.name, value=one.value, scope=one.scope, meaning=one.meaning, setting=one.setting
            )
            for one in in_force.limits(context.settings)
        ],
        hours=[HourShown.of(hour) for hour in usage(context.read, projects, now, hours).hours],
        refusals=[RefusalShown.of(one) for one in refusals(context.read, projects, now, hours)],
    )

"""Monitors of scheduled jobs: their schedules, and how their runs went."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import MonitorNotFound
from api.parameters import Moment
from api.problems import responses
from api.reception import reception_of
from api.rest.issues import READ_CODES
from api.shown import Shown
from api.tables import FILES_TOO, Format, table_file
from errata.monitors.history import MonitorState
from errata.monitors.run import RunState
from errata.warehouse.queries.monitors.monitors import Monitor, current_monitors, monitors_of_project

router = APIRouter(tags=["monitors"])

MonitorSlug = Annotated[
    str, Path(pattern="^[a-z0-9_-]{1,50}$", description="Slug as sent by jobs, in lowercase.")
]


class MonitorListed(Shown):
    slug: str
    environment: str
    state: MonitorState = Field(
        description="`unknown`: the latest expected run is unknown; `inactive`: no check-in for a month."
    )
    schedule: str = Field(description="In words; empty: none is declared, and no check-in had one.")
    declared_at: Moment | None = Field(
        description="Since when the configuration declares the schedule; null: check-ins send it."
    )
    last_run_at: Moment | None = Field(
        description="For a missing run, when it was expected; null: no run was expected yet."
    )
    last_run_state: RunState | None
    next_expected_at: Moment | None = Field(description="Null: without a schedule, or inactive.")
    failing_since: Moment | None = Field(
        description="First of the consecutive failed runs; null: not failing."
    )


class MonitorList(BaseModel):
    monitors: list[MonitorListed]


class RunShown(Shown):
    at: Moment = Field(description="When it started; for a missing run, when it was expected.")
    state: RunState = Field(
        description=(
            "`unknown`: its host has delivered nothing since; `service_away`: the service couldn't be "
            "reached."
        )
    )
    ended_at: Moment | None
    duration_ms: float | None
    host: str = Field(description="Empty: none was named.")
    release: str


class RunOfMonitor(RunShown):
    environment: str


class ConfigShown(BaseModel):
    timezone: str | None = Field(
        description="This and the following four fields are null without a schedule."
    )
    checkin_margin: int | None = Field(description="Minutes by which a run may start late.")
    max_runtime: int | None = Field(description="Minutes that a run may take.")
    failure_issue_threshold: int | None = Field(
        description="Consecutive failed runs after which the monitor fails."
    )
    recovery_threshold: int | None = Field(description="Consecutive successful runs after which it recovers.")


class MonitorOfEnvironment(ConfigShown, MonitorListed):
    runs: list[RunShown] = Field(
        description="About the latest 100 runs, including missing ones, newest first."
    )


class MonitorDetail(ConfigShown):
    """Its own configuration is that of the first environment."""

    slug: str
    environments: list[MonitorOfEnvironment]


@router.get(
    "/api/projects/{slug}/monitors",
    operation_id="monitors",
    summary="List monitors of scheduled jobs with their states",
    dependencies=DECLARED,
    response_model=MonitorList,
    responses={**responses(*READ_CODES, "project_not_found"), **FILES_TOO},
)
def monitors(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> MonitorList | Response:
    """A monitor is listed once for each environment in its check-ins or declarations."""
    project = asking.project(context, slug)
    reception = reception_of(context, asking.organization_id, project.id)
    found = current_monitors(context.read, project.id, datetime.now(UTC), reception)
    listed = [_listed(monitor) for monitor in found]
    if format != "json":
        return table_file(format, f"{slug}-monitors", MonitorListed, listed)
    return MonitorList(monitors=listed)


@router.get(
    "/api/projects/{slug}/monitors/{monitor_slug}",
    operation_id="monitor",
    summary="Get a monitor with its latest runs",
    dependencies=DECLARED,
    response_model=MonitorDetail,
    responses={**responses(*READ_CODES, "project_not_found", "monitor_not_found"), **FILES_TOO},
)
def monitor(
    slug: str,
    monitor_slug: MonitorSlug,
    asking: CallerDependency,
    context: ContextDependency,
    format: Format = "json",  # noqa: A002
) -> MonitorDetail | Response:
    """CSV and Parquet contain the runs."""
    project = asking.project(context, slug)
    reception = reception_of(context, asking.organization_id, project.id)
    found = monitors_of_project(context.read, project.id, datetime.now(UTC), reception, [monitor_slug])
    if not found:
        raise MonitorNotFound(monitor_slug)
    if format != "json":
        rows = [
            RunOfMonitor.of(run, environment=one.environment)
            for one in found
            for run in reversed(one.history.runs)
        ]
        return table_file(format, f"{slug}-{monitor_slug}-runs", RunOfMonitor, rows)
    environments = [
        MonitorOfEnvironment.of(
            _listed(one), runs=list(reversed(one.history.runs)), **_config(one).model_dump()
        )
        for one in found
    ]
    return MonitorDetail(slug=monitor_slug, environments=environments, **_config(found[0]).model_dump())


def _config(monitor: Monitor) -> ConfigShown:
    config = monitor.config
    return ConfigShown(
        timezone=config.zone if config else None,
        checkin_margin=config.margin_minutes if config else None,
        max_runtime=config.runtime_minutes if config else None,
        failure_issue_threshold=config.failure_threshold if config else None,
        recovery_threshold=config.recovery_threshold if config else None,
    )


def _listed(monitor: Monitor) -> MonitorListed:
    history, last = monitor.history, monitor.last_run
    return MonitorListed(
        slug=monitor.slug,
        environment=monitor.environment,
        state=history.state,
        schedule=monitor.config.schedule.words if monitor.config else "",
        declared_at=monitor.declared_at,
        last_run_at=last.at if last else None,
        last_run_state=last.state if last else None,
        next_expected_at=history.next_expected_at,
        failing_since=history.failing_since,
    )

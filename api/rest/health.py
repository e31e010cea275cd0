"""Check the service's health, for load balancers and people."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import cast

import anyio
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from api.authentication import known_reader
from api.beginning import RESULTS, CheckResult
from api.context import Check, Context, ContextDependency
from api.jobs.health import JobHealth, job_health
from api.parameters import Moment
from api.rest.delivery import SilentHostShown
from api.shown import Shown
from errata import __version__
from errata.backup.gauges import problems
from errata.errors import ErrataError
from errata.state.backup_runs import LastRuns, Outcome
from errata.state.database import utc_now
from errata.state.errors import StateUnavailable
from errata.up.restarts import read_restarts
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.problems import delivery_problems
from errata.warehouse.shards import Shards

log = logging.getLogger("api.health")

router = APIRouter(tags=["service"])

SECONDS_A_CHECK = 3
# Load balancers ask every few seconds.
DELIVERIES_SHARED_SECONDS = 30
# A full disk refuses deliveries: monitoring must see it.
NEEDED = ("warehouse", "state", "disk")


class JobShown(Shown):
    name: str
    ran_at: Moment | None = Field(description="End of the last successful run.")
    late_seconds: int = Field(description="How long the next run has been overdue.")
    run_count: int
    failure_count: int


class PartRestart(Shown):
    part: str
    restart_count: int = Field(
        validation_alias="count", description="Number of restarts since the service started."
    )
    ended_at: Moment = Field(description="When it last exited or hung.")
    reason: str


class BackupShown(BaseModel):
    began_at: Moment | None = Field(
        description="Start of the last complete backup, which contains every event acknowledged before."
    )
    age_seconds: int | None
    bytes: int | None = Field(description="Bytes it added to its directory.")
    duration_seconds: float | None
    verified_at: Moment | None = Field(
        description="When backups were last verified as restorable, by a verification or a drill."
    )
    drilled_at: Moment | None = Field(description="Start of the last restore drill.")
    drill_outcome: Outcome | None = Field(
        description=(
            "`different`: the restored service's results differ; `not_compared`: it was restored and works, "
            "but there was no day to compare."
        )
    )

    @classmethod
    def of(cls, last: LastRuns, now: datetime) -> "BackupShown":
        good, sound, drill = last.good, last.sound, last.drill
        return cls(
            began_at=good.began_at if good else None,
            age_seconds=round((now - good.began_at).total_seconds()) if good else None,
            bytes=good.bytes if good else None,
            duration_seconds=round(good.seconds, 1) if good else None,
            verified_at=sound.ended_at if sound else None,
            drilled_at=drill.began_at if drill else None,
            drill_outcome=drill.outcome if drill else None,
        )


class RefusedShown(Shown):
    host: str = Field(description="Empty: unknown.")
    reason: str = Field(description="Such as `invalid_api_key`, `rate_limited` or `disk_full`.")
    refused_count: int = Field(description="Number of deliveries or lines in the current hour.")
    last_refused_at: Moment


class DeliveriesShown(Shown):
    silent_hosts: list[SilentHostShown] = Field(
        description=(
            "Silent for longer than at any time in the last two weeks; for a day if little is known about "
            "them."
        )
    )
    refused: list[RefusedShown] = Field(description="Deliveries and lines refused in the last 15 minutes.")


class Health(BaseModel):
    status: CheckResult
    version: str
    checks: dict[str, CheckResult]
    reasons: dict[str, str] = Field(description="Why a check fails and how to fix it, if known.")
    duties: list[JobShown] = Field(description="Background jobs, on any node.")
    restarts: list[PartRestart] = Field(
        description="Parts that `errata up` restarted because they exited or hung."
    )
    deliveries: DeliveriesShown | None = Field(
        description="Hosts of the caller's organization with problems; null without an API key or session."
    )
    backup: BackupShown | None = Field(
        description="Backups, in `ERRATA_BACKUP_DIR` if it is set; null if there are none yet."
    )


@router.head("/api/health", include_in_schema=False)
@router.get(
    "/api/health",
    operation_id="health",
    summary="Check the service's health",
    responses={
        503: {
            "model": Health,
            "description": "The warehouse isn't responding, the account store can't be written, or the disk "
            "is nearly full.",
        }
    },
)
async def health(request: Request, context: ContextDependency, response: Response) -> Health:
    """Needs no key; with one, `deliveries` lists hosts. Failures of `pipelines`, `watch`, `backups` and
    `deliveries` don't make it respond with 503, since deliveries are still stored. `backups` is `off` unless
    `ERRATA_BACKUP_DIR` is set; `deliveries` fails while a host is silent or something is refused."""
    results: dict[str, CheckResult] = {}
    reasons: dict[str, str] = {}
    found: list[JobHealth] = []
    backups: list[BackupShown] = []
    problems_shown: list[DeliveriesShown] = []
    listed = _checks(context, found, backups)
    listed["deliveries"] = lambda: _deliveries_checked(request, context, problems_shown)
    async with anyio.create_task_group() as tasks:
        for name, check in listed.items():
            tasks.start_soon(_run, context.check_limiter, name, check, results, reasons)
    checks = {name: context.beginning.judged(name, results[name]) for name in listed}
    needed = [checks[name] for name in NEEDED]
    status: CheckResult = "ok"
    if any(result != "ok" for result in needed):
        status = "failing" if "failing" in needed else "starting"
        response.status_code = 503
    return Health(
        status=status,
        version=__version__,
        checks=checks,
        reasons=reasons,
        duties=[JobShown.of(job) for job in found],
        restarts=[PartRestart.of(restart) for restart in read_restarts(context.restarts_path)],
        deliveries=problems_shown[0] if problems_shown else None,
        backup=backups[0] if backups else None,
    )


def _checks(context: Context, found: list[JobHealth], backups: list[BackupShown]) -> dict[str, Check]:
    return {
        "warehouse": lambda: "ok" if context.warehouse.ping() else "failing",
        "state": _answers(context.state.require_writable),
        **_servers_checked(context.warehouse),
        "disk": lambda: "failing" if context.disk_limit.is_lacking() else "ok",
        "pipelines": lambda: "off",
        "watch": lambda: _jobs_checked(context, found),
        "backups": lambda: _backups_checked(context, backups),
        **context.checks,
    }


def _servers_checked(warehouse: Warehouse) -> dict[str, Check]:
    """Of shards and replicas; of one server nothing. Others respond, so none leads to a 503."""
    found: dict[str, Check] = {}
    if isinstance(warehouse, Shards):
        found["shards"] = lambda: "ok" if warehouse.are_all_there() else "failing"
    if warehouse.has_others:
        found["servers"] = lambda: "ok" if all(warehouse.servers().values()) else "failing"
    return found


def _jobs_checked(context: Context, found: list[JobHealth]) -> str:
    if not context.jobs:
        return "off"
    found.extend(job_health(context.jobs, context.state.jobs.states(), utc_now()))
    return "failing" if any(job.is_failing for job in found) else "ok"


def _backups_checked(context: Context, shown: list[BackupShown]) -> str:
    expected, now = context.backups, utc_now()
    last = context.state.backup_runs.last(expected.destination)
    if last.backup is not None or last.drill is not None or last.verification is not None:
        shown.append(BackupShown.of(last, now))
    if not expected.destination:
        return "off"
    return "failing" if problems(expected, last, now) else "ok"


def _deliveries_checked(request: Request, context: Context, shown: list[DeliveriesShown]) -> str:
    """Of all organizations; names are shown to a caller of theirs alone."""
    caller = known_reader(request, context)
    by_organization = context.state.projects.ids_by_organization()
    read, now = context.read.shared(DELIVERIES_SHARED_SECONDS), utc_now()
    if caller is not None:
        own = by_organization.get(caller.organization_id, [])
        seen = own if caller.project_ids is None else [each for each in own if each in caller.project_ids]
        of_caller = delivery_problems(read, seen, now)
        refused = [RefusedShown.of(one, host=host) for host, one in of_caller.refused]
        shown.append(DeliveriesShown.of(of_caller, refused=refused))
    found = (delivery_problems(read, projects, now) for projects in by_organization.values())
    return "failing" if any(found) else "ok"


def _answers(require: Callable[[], None]) -> Check:
    def check() -> str:
        require()
        return "ok"

    return check


REASONS = {
    "warehouse": "The warehouse doesn't respond. Deliveries are refused with 503 and delivered again.",
    "shards": "A shard doesn't respond. Deliveries to its projects are refused with 503 and delivered again.",
    "servers": "A server of the warehouse doesn't respond, or isn't ready. Another replica of it is used.",
    "spool": "The spool is full or can't be written. Envelopes sent by DSN are refused with 503.",
    "disk": "The disk is nearly full. Deliveries are refused with 503 and delivered again.",
}


async def _run(
    limiter: CapacityLimiter,
    name: str,
    check: Check,
    results: dict[str, CheckResult],
    reasons: dict[str, str],
) -> None:
    """Runs a check; a hanging one fails, and its thread is abandoned."""
    results[name] = "failing"
    with anyio.move_on_after(SECONDS_A_CHECK) as scope:
        try:
            result = await to_thread.run_sync(check, abandon_on_cancel=True, limiter=limiter)
        except ErrataError as error:
            log.warning("The check of %s failed: %s", name, error)
            if isinstance(error, StateUnavailable):
                reasons[name] = error.told
            return
        if result in RESULTS:
            results[name] = cast("CheckResult", result)
        if result == "failing" and name in REASONS:
            reasons[name] = REASONS[name]
    if scope.cancelled_caught:
        log.warning("The check of %s took over %s s", name, SECONDS_A_CHECK)
        reasons[name] = f"No response within {SECONDS_A_CHECK} s."

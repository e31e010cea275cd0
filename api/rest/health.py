"""Whether the service works, for load balancers and people."""

import logging
from collections.abc import Callable
from typing import cast

import anyio
from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Response
from pydantic import BaseModel

from api.beginning import RESULTS, CheckResult
from api.context import Check, Context, ContextDependency
from errata import __version__
from errata.errors import ErrataError

log = logging.getLogger("api.health")

router = APIRouter(tags=["service"])

SECONDS_A_CHECK = 3
NEEDED = ("warehouse", "state")


class Health(BaseModel):
    status: CheckResult
    version: str
    checks: dict[str, CheckResult]


@router.head("/api/health", include_in_schema=False)
@router.get(
    "/api/health",
    operation_id="health",
    summary="Whether the service works",
    responses={503: {"model": Health, "description": "The warehouse or the account store does not answer."}},
)
async def health(context: ContextDependency, response: Response) -> Health:
    """Needs no key. `pipelines` never makes it 503: deliveries are stored without them."""
    results: dict[str, CheckResult] = {}
    async with anyio.create_task_group() as tasks:
        for name, check in _checks(context).items():
            tasks.start_soon(_run, context.check_limiter, name, check, results)
    checks = {name: context.beginning.judged(name, results[name]) for name in _checks(context)}
    needed = [checks[name] for name in NEEDED]
    status: CheckResult = "ok"
    if any(result != "ok" for result in needed):
        status = "failing" if "failing" in needed else "starting"
        response.status_code = 503
    return Health(status=status, version=__version__, checks=checks)


def _checks(context: Context) -> dict[str, Check]:
    return {
        "warehouse": lambda: "ok" if context.warehouse.ping() else "failing",
        "state": _answers(context.state.ping),
        "pipelines": lambda: "off",
        **context.checks,
    }


def _answers(ping: Callable[[], None]) -> Check:
    def check() -> str:
        ping()
        return "ok"

    return check


async def _run(limiter: CapacityLimiter, name: str, check: Check, results: dict[str, CheckResult]) -> None:
    """A part that hangs fails; its thread is left behind."""
    results[name] = "failing"
    with anyio.move_on_after(SECONDS_A_CHECK):
        try:
            result = await to_thread.run_sync(check, abandon_on_cancel=True, limiter=limiter)
        except ErrataError as error:
            log.warning("The check of %s failed: %s", name, error.code)
            return
        if result in RESULTS:
            results[name] = cast("CheckResult", result)

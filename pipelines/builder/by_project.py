"""Runs the work of a Python-made mart project by project: a failure or a slow project costs no other its
turn."""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import TypeVar

from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, SetAside, standing
from pipelines.builder.set_aside import Failure, Reason, due, reason_of, recovered, set_aside

log = logging.getLogger("errata.builds")

Done = TypeVar("Done")

SECONDS_A_PROJECT = 60.0
# A failed project gets more time at each attempt, up to this multiple.
MOST_SHARES = 10


class OutOfTime(ErrataError):
    """The work for one project exceeded its time limit."""

    code = "project_out_of_time"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Stopped after {seconds:.0f} s, the limit per project and run")
        self.seconds = seconds


@dataclass(frozen=True)
class Share:
    """One project's share of a run. `warehouse` limits each statement to the share; `since` is the first
    moment that no run has covered."""

    warehouse: Warehouse
    since: datetime
    seconds: float
    ends_at: float

    @property
    def is_over(self) -> bool:
        return monotonic() >= self.ends_at

    def check(self) -> None:
        """Raises OutOfTime. Long work calls it between steps."""
        if self.is_over:
            raise OutOfTime(self.seconds)


def by_project(
    warehouse: Warehouse,
    mart: str,
    projects: Collection[int],
    work: Callable[[int, Share], Done],
    since: datetime = WHOLE_PROJECT,
    seconds: float = SECONDS_A_PROJECT,
) -> Iterator[Done]:
    """Yields the result for each project that succeeds; retries of projects set aside come last."""
    known = standing(warehouse, mart)
    held = {one.project_id for one in known}
    fresh = [(project_id, None) for project_id in sorted(projects) if project_id not in held]
    for project_id, before in [*fresh, *((one.project_id, one) for one in due(known))]:
        share = _share(warehouse, before, since, seconds)
        try:
            with one_snapshot():
                done = work(project_id, share)
        except Exception as error:
            raise_if_away(error)
            log.exception("%s of project %s couldn't be built and will be retried", mart, project_id)
            set_aside(warehouse, mart, [failure_of(project_id, error, share.since.replace(microsecond=0))])
            continue
        if before:
            recovered(warehouse, mart, [before.project_window])
        yield done


def _share(warehouse: Warehouse, before: SetAside | None, since: datetime, seconds: float) -> Share:
    if before:
        seconds *= min(MOST_SHARES, 1 + before.attempt_count)
    first = min(since, before.window) if before else since
    return Share(warehouse.limited(seconds), first, seconds, monotonic() + seconds)


def raise_if_away(error: Exception) -> None:
    """Raises the error if the warehouse is away: no project is to blame."""
    if isinstance(error, WarehouseUnavailable) and error.is_away:
        raise error


def failure_of(
    project_id: int, error: Exception, window: datetime = WHOLE_PROJECT, what: str = ""
) -> Failure:
    """The failure of a project; `what` names the part of the project."""
    named = f"{what}: " if what else ""
    if isinstance(error, QueryFailed):
        return Failure(project_id, reason_of(error), named + error.reason, window)
    reason = Reason.TIME if isinstance(error, OutOfTime) else Reason.PROGRAM
    return Failure(project_id, reason, f"{named}{type(error).__name__}: {error}", window)

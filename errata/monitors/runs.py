"""Runs of a job, put together from the statuses that were received of them in whatever order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from errata.monitors.config import MonitorConfig, stored_config
from errata.monitors.declaration import Declaration, declared_at
from errata.nil import NIL

IN_PROGRESS = "in_progress"


@dataclass(frozen=True, slots=True)
class StoredStatus:
    """A status of one run, each once."""

    check_in_id: UUID
    status: str
    occurred_at: datetime
    duration_ms: float | None
    host: str
    release: str
    config: str

    @property
    def is_begin(self) -> bool:
        return self.status == IN_PROGRESS


@dataclass(slots=True)
class SentRun:
    """A run as its job told of it: `config` is what was declared as it began, or else the latest that was
    sent until then, if any was."""

    statuses: list[StoredStatus] = field(default_factory=list)
    config: MonitorConfig | None = None
    is_declared: bool = False

    @property
    def begun_at(self) -> datetime:
        return min(one.occurred_at for one in self.statuses)

    @property
    def end(self) -> StoredStatus | None:
        """The last status other than being in progress; None: none was received."""
        ends = [one for one in self.statuses if not one.is_begin]
        return max(ends, key=lambda one: one.occurred_at, default=None)

    @property
    def host(self) -> str:
        return self.statuses[-1].host

    @property
    def release(self) -> str:
        return self.statuses[-1].release


@dataclass(slots=True)
class ConfigChange:
    """A moment, between runs, at which a declaration begins or ends. `host`: that of the run before."""

    begun_at: datetime
    config: MonitorConfig | None = None
    host: str = ""
    is_declared: bool = False


Told = SentRun | ConfigChange
"""What says which runs are expected next."""


def with_declarations(
    runs: Sequence[SentRun], declarations: Sequence[Declaration], now: datetime, *, is_whole: bool = True
) -> Sequence[Told]:
    """The runs with the configurations that held as they began, and the moments at which those changed.
    `is_whole`: no run was before these; of others nothing is known but what was declared."""
    if not declarations:
        return runs
    moments = {at for one in declarations for at in (one.since, one.until) if at is not None and at <= now}
    if runs and not is_whole:
        moments = {at for at in moments if at > runs[0].begun_at}
    found: list[Told] = [*map(ConfigChange, moments), *runs]
    found.sort(key=lambda one: one.begun_at)
    sent, host = None, ""
    for one in found:
        if isinstance(one, SentRun):
            sent, host = one.config, one.host
        declared = declared_at(declarations, one.begun_at)
        one.is_declared = declared is not None
        one.config = declared.config if declared else sent
        if isinstance(one, ConfigChange):
            one.host = host
    return found


def sent_runs(statuses: Iterable[StoredStatus], known: MonitorConfig | None = None) -> Sequence[SentRun]:
    """The runs of one monitor in one environment, the earliest first. `known`: the configuration of runs
    before the first that sent one."""
    ordered = sorted(statuses, key=lambda one: (one.occurred_at, not one.is_begin))
    by_id: dict[UUID, SentRun] = {}
    for one in ordered:
        if one.check_in_id != NIL:
            by_id.setdefault(one.check_in_id, SentRun()).statuses.append(one)
    runs = list(by_id.values())
    for one in ordered:
        if one.check_in_id == NIL:
            open_run = None if one.is_begin else _latest_open(runs, one.occurred_at)
            if open_run is None:
                runs.append(SentRun([one]))
            else:
                open_run.statuses.append(one)
    runs.sort(key=lambda run: run.begun_at)
    _note_configs(runs, known)
    return runs


def _latest_open(runs: Iterable[SentRun], moment: datetime) -> SentRun | None:
    begun = [run for run in runs if run.end is None and run.begun_at <= moment]
    return max(begun, key=lambda run: run.begun_at, default=None)


def _note_configs(runs: Iterable[SentRun], known: MonitorConfig | None) -> None:
    read: dict[str, MonitorConfig | None] = {"": None}
    for run in runs:
        for one in run.statuses:
            if one.config not in read:
                read[one.config] = stored_config(one.config)
            known = read[one.config] or known
        run.config = known

"""Jobs, hosts, shippers and a service in simulated time: what each monitor shows, beside what happened.

Check-ins and deliveries are rows of the real warehouse, which is asked as pages ask it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import product
from uuid import uuid4
from zoneinfo import ZoneInfo

from errata.monitors.config import MonitorConfig
from errata.monitors.reception import Reception, Span
from errata.monitors.run import RunState
from errata.monitors.schedule import Crontab, Interval, Schedule, Unit
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.monitors.monitors import Monitor, current_monitors, monitors_of_project
from tests.builders import a_delivery, insert

ZONE = "Europe/Berlin"
MARGIN = timedelta(minutes=3)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
# A shipper sends what was written after so long, and so often something is written beside the check-ins.
SENT_AFTER, WRITTEN_EVERY = timedelta(seconds=5), timedelta(seconds=10)
FOUND_WITHIN = timedelta(seconds=60)
# After an outage the files of a host arrive one after the other.
CAUGHT_UP_AFTER = timedelta(seconds=20)
TICK = timedelta(seconds=10)
# Nobody asks all the time: moments between which nothing changes are left out.
WATCHED_BEFORE, WATCHED_AFTER = timedelta(minutes=1), timedelta(seconds=100)


class Job(StrEnum):
    """What the job does at the time in question; at the others it runs in time."""

    PUNCTUAL = "in time"
    EARLY = "8 s early"
    LATE = "late, within the margin"
    TOO_LATE = "begins after the margin"
    MISSED = "does not run"
    OVERLAPPING = "runs into the next one"
    FAILING = "fails"


class Outage(StrEnum):
    NONE = "none"
    HOST = "host down"
    SHIPPER = "shipper down"
    SERVER = "server down"


class Way(StrEnum):
    SHIPPED = "shipper"
    DIRECT = "direct"


@dataclass(frozen=True)
class Plan:
    """A schedule with the times at which its job is expected, known without the product."""

    name: str
    schedule: Schedule
    expected: Sequence[datetime]
    target: int

    @property
    def at(self) -> datetime:
        return self.expected[self.target]

    @property
    def outage(self) -> Span:
        return self.at - 2 * MINUTE, self.at + MARGIN + 4 * MINUTE


@dataclass(frozen=True)
class Combination:
    job: Job
    outage: Outage
    way: Way

    @property
    def slug(self) -> str:
        return f"{self.job.name}-{self.outage.name}-{self.way.name}".lower().replace("_", "-")


@dataclass(frozen=True)
class Begun:
    at: datetime
    ended_at: datetime
    status: str


@dataclass
class Observed:
    """A row of the table. `found_after`: the margin, or the end of the outage; `final`: states of the run."""

    plan: str
    combination: Combination
    is_missed: bool
    found_after: timedelta | None = None
    false: list[str] = field(default_factory=list)
    final: str = ""

    @property
    def is_tellable(self) -> bool:
        """What a job sends itself is lost with the service, so nobody can tell whether it ran."""
        return not (self.combination.outage is Outage.SERVER and self.combination.way is Way.DIRECT)

    @property
    def fault(self) -> str:
        """What is wrong; empty: nothing."""
        if self.false:
            return f"missed though it ran: {self.false[0]}"
        if self.is_missed and self.is_tellable and self.found_after is None:
            return f"never missed, but {self.final or 'nothing'}"
        if self.found_after is not None and self.found_after > FOUND_WITHIN:
            return f"missed after {self.found_after.total_seconds():.0f} s"
        return ""


def combinations() -> list[Combination]:
    """A shipper that is down stops nothing that is sent without it."""
    return [
        Combination(job, outage, way)
        for job, outage, way in product(Job, Outage, Way)
        if not (way is Way.DIRECT and outage is Outage.SHIPPER)
    ]


def plans(today: datetime) -> list[Plan]:
    """The next changes of the clock, so that nothing of them expires while the warehouse is asked."""
    spring, autumn = clock_changes(today)
    noon = today.replace(hour=12, minute=0, second=0, microsecond=0)
    often = [noon + number * 10 * MINUTE for number in range(-12, 6)]
    found = [
        Plan("every 10 minutes", Crontab("*/10 * * * *"), often, 12),
        Plan("10 minutes after the last", Interval(10, Unit.MINUTE), often, 12),
    ]
    for name, changed_at, days in (
        # 02:30 is left out, and the job runs as the clock jumps; or comes twice, and it runs at the first.
        ("spring", spring, {"30 2 * * *": spring, "30 4 * * *": spring + 90 * MINUTE}),
        ("autumn", autumn, {"30 2 * * *": autumn - 30 * MINUTE, "30 4 * * *": autumn + 150 * MINUTE}),
    ):
        for text, at in days.items():
            hour = int(text.split()[1])
            times = [*_local(changed_at, hour, range(-4, 0)), at, *_local(changed_at, hour, range(1, 3))]
            found.append(Plan(f"{text} in {ZONE}, {name}", Crontab(text, ZONE), times, 4))
        hours = [changed_at + number * 60 * MINUTE for number in range(-6, 6)]
        found.append(Plan(f"0 * * * * in {ZONE}, {name}", Crontab("0 * * * *", ZONE), hours, 6))
    return found


def clock_changes(after: datetime) -> tuple[datetime, datetime]:
    """The next ones in spring and in autumn."""
    zone, found = ZoneInfo(ZONE), dict[bool, datetime]()
    hour = after.replace(minute=0, second=0, microsecond=0)
    while len(found) < 2:
        hour += 60 * MINUTE
        before, now = ((hour - back).astimezone(zone).utcoffset() for back in (60 * MINUTE, 0 * MINUTE))
        assert before is not None and now is not None
        if before != now:
            found.setdefault(now > before, hour)
    return found[True], found[False]


def _local(day: datetime, hour: int, days: range) -> Iterator[datetime]:
    zone = ZoneInfo(ZONE)
    for number in days:
        local = (day.astimezone(zone) + timedelta(days=number)).replace(hour=hour, minute=30)
        yield local.astimezone(UTC)


def begun_runs(plan: Plan, combination: Combination) -> list[Begun]:
    """What really happened: a host that is down runs nothing."""
    found = []
    for number, expected in enumerate(plan.expected):
        at, ended_at, status = expected + SECOND, expected + 21 * SECOND, "ok"
        if number == plan.target:
            match combination.job:
                case Job.MISSED:
                    continue
                case Job.EARLY:
                    at = expected - 8 * SECOND
                case Job.LATE:
                    at = expected + MARGIN - 20 * SECOND
                case Job.TOO_LATE:
                    at = expected + MARGIN + 90 * SECOND
                case Job.FAILING:
                    status = "error"
                case Job.PUNCTUAL | Job.OVERLAPPING:
                    pass
            ended_at = max(ended_at, at + 20 * SECOND)
            if combination.job is Job.OVERLAPPING:
                ended_at = plan.expected[number + 1] + 30 * SECOND
        down = plan.outage if combination.outage is Outage.HOST else None
        if down and down[0] <= at < down[1]:
            continue
        found.append(Begun(at, ended_at, status))
    return found


class World:
    """One plan with all combinations, each with a host and a monitor of its own."""

    def __init__(
        self,
        plan: Plan,
        project_id: int,
        ingest: Warehouse,
        read: Warehouse,
        *,
        knows_absences: bool = True,
        knows_hosts: bool = True,
    ) -> None:
        """What the service knows may be withheld from it, to see what comes of that."""
        self.plan = plan
        self._project_id = project_id
        self._ingest = ingest
        self._read = read
        self._knows_absences = knows_absences
        self._knows_hosts = knows_hosts
        self._runs = {one: begun_runs(plan, one) for one in combinations()}
        self.rows = {one: Observed(plan.name, one, self._is_missed(one)) for one in self._runs}
        self._arrivals = sorted(self._all_arrivals(), key=lambda one: one[0])

    def run(self) -> list[Observed]:
        at = 0
        for now in self._ticks():
            arrived = at
            while arrived < len(self._arrivals) and self._arrivals[arrived][0] <= now:
                arrived += 1
            for table in ("errata_raw.check_ins", "errata_raw.deliveries"):
                rows = [row for _, to, row in self._arrivals[at:arrived] if to == table]
                if rows:
                    insert(self._ingest, table, rows)
            at = arrived
            self._look(now)
        return list(self.rows.values())

    def _is_missed(self, combination: Combination) -> bool:
        at = self.plan.at
        return not any(at - 15 * SECOND <= run.at <= at + MARGIN for run in self._runs[combination])

    def _ticks(self) -> list[datetime]:
        plan, found = self.plan, set[datetime]()
        moments = [plan.outage[1], *(at + MARGIN for at in plan.expected[plan.target - 1 : plan.target + 2])]
        for moment in moments:
            tick = moment - WATCHED_BEFORE
            while tick <= moment + WATCHED_AFTER:
                found.add(tick)
                tick += TICK
        return sorted(found)

    def _look(self, now: datetime) -> None:
        down, back = self.plan.outage
        # While the server is down, nobody is told anything: each kind of outage has readers of its own.
        absences = [(down, back)] if now >= back and self._knows_absences else []
        reads: list[tuple[Callable[..., Sequence[Monitor]], bool, Sequence[Span]]] = [
            (current_monitors, False, ()),
            (monitors_of_project, True, absences),
        ]
        for ask, is_of_server, away in reads:
            if is_of_server and down <= now < back:
                continue
            chosen = [one for one in self.rows if (one.outage is Outage.SERVER) == is_of_server]
            reception = Reception([self._project_id], away)
            slugs = [one.slug for one in chosen]
            found = {one.slug: one for one in ask(self._read, self._project_id, now, reception, slugs)}
            for combination in chosen:
                if combination.slug in found:
                    self._judge(combination, found[combination.slug], now)

    def _judge(self, combination: Combination, monitor: Monitor, now: datetime) -> None:
        row, plan = self.rows[combination], self.plan
        missed = [run.at for run in monitor.history.runs if run.state is RunState.MISSED]
        begun = [run.at for run in self._runs[combination]]
        nearest = (
            min(abs(one - other) for one, other in zip(plan.expected, plan.expected[1:], strict=False)) / 2
        )
        for at in missed:
            if any(at - nearest < one <= at + MARGIN for one in begun):
                row.false.append(f"{at:%m-%d %H:%M} missed at {now:%H:%M:%S}")
        near = [run for run in monitor.history.runs if abs(run.at - plan.at) < nearest]
        row.final = ", ".join(dict.fromkeys(run.state.value for run in near))
        if any(run.state is RunState.MISSED for run in near) and row.found_after is None:
            row.found_after = now - self._tellable_at(combination)

    def _tellable_at(self, combination: Combination) -> datetime:
        """From when on it is known that no run began."""
        is_out = combination.outage is not Outage.NONE and not (
            combination.outage is Outage.HOST and combination.way is Way.DIRECT
        )
        margin = self.plan.at + MARGIN
        return max(margin, self.plan.outage[1]) if is_out else margin

    # What arrives.

    def _all_arrivals(self) -> Iterator[tuple[datetime, str, Row]]:
        for combination in self._runs:
            yield from self._check_ins(combination)
            if combination.way is Way.SHIPPED:
                yield from self._deliveries(combination)

    def _check_ins(self, combination: Combination) -> Iterator[tuple[datetime, str, Row]]:
        config = MonitorConfig(self.plan.schedule, _zone(self.plan.schedule), 3, 2_000)
        for run in self._runs[combination]:
            check_in_id = uuid4()
            for at, status in ((run.at, "in_progress"), (run.ended_at, run.status)):
                arrives_at = self._arrival(combination, at)
                if arrives_at is None:
                    continue
                row = {
                    "project_id": self._project_id,
                    "monitor_slug": combination.slug,
                    "occurred_at": at,
                    "received_at": arrives_at,
                    "item_id": uuid4(),
                    "is_clock_corrected": False,
                    "check_in_id": check_in_id,
                    "status": status,
                    "environment": "",
                    "release": "",
                    "service": "",
                    "host": _host(combination) if self._knows_hosts else "",
                    "config": config.text,
                }
                yield arrives_at, "errata_raw.check_ins", row

    def _arrival(self, combination: Combination, at: datetime) -> datetime | None:
        """When what was sent or written then is stored; None: it is lost."""
        down, back = self.plan.outage
        sent_at = at if combination.way is Way.DIRECT else at + SENT_AFTER
        if combination.outage is Outage.NONE or not down <= sent_at < back:
            return sent_at
        if combination.way is Way.SHIPPED:
            return back + CAUGHT_UP_AFTER
        return None if combination.outage is Outage.SERVER else sent_at

    def _deliveries(self, combination: Combination) -> Iterator[tuple[datetime, str, Row]]:
        """Of lines that other programs of the host write, and of the backlog first a part."""
        down, back = self.plan.outage
        begin, end = self._ticks()[0] - 10 * MINUTE, self._ticks()[-1] + MINUTE
        size, at = 0, begin
        while at <= end:
            is_out = combination.outage is not Outage.NONE and down <= at + SENT_AFTER < back
            if not (combination.outage is Outage.HOST and down <= at < back):
                size += 10
            if not is_out:
                yield self._delivery(combination, at, at + SENT_AFTER, size, size)
            at += WRITTEN_EVERY if self._is_watched(at) else MINUTE
        if combination.outage in (Outage.SHIPPER, Outage.SERVER):
            yield self._delivery(combination, down + MINUTE, back + SECOND, size // 2, size, "backlog")
            yield self._delivery(combination, back - SECOND, back + CAUGHT_UP_AFTER, size, size, "backlog")

    def _is_watched(self, at: datetime) -> bool:
        moments = (self.plan.at + MARGIN, self.plan.outage[1])
        return any(moment - 3 * MINUTE <= at <= moment + 3 * MINUTE for moment in moments)

    def _delivery(
        self,
        combination: Combination,
        newest_at: datetime,
        arrives_at: datetime,
        to: int,
        size: int,
        file: str = "",
    ) -> tuple[datetime, str, Row]:
        row = a_delivery(
            project_id=self._project_id,
            host=_host(combination),
            newest_logged_at=newest_at,
            received_at=arrives_at,
            byte_to=to,
            file_bytes=size,
            file=file or "errata.log",
            file_id=file or "00000000000000aa",
        )
        return arrives_at, "errata_raw.deliveries", row


def _host(combination: Combination) -> str:
    return f"host-{combination.slug}" if combination.way is Way.SHIPPED else ""


def _zone(schedule: Schedule) -> str:
    return schedule.zone if isinstance(schedule, Crontab) else "UTC"

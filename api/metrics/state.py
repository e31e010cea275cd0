"""What all processes share: the state of deliveries, builds, jobs, disk and backups."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from api.context import Context
from api.jobs.health import job_health
from errata import __version__
from errata.clock import utc
from errata.errors import ErrataError
from errata.period import Period
from errata.state.database import utc_now
from errata.up.restarts import read_restarts
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import all_published
from errata.warehouse.queries.delivery.ledger import Filters, hosts
from errata.warehouse.queries.delivery.storage import storage
from errata.warehouse.sql import query

log = logging.getLogger(__name__)

HEARD = Period("24h")
# Of an organization, those heard of last.
MOST_HOSTS = 500
# A scrape every few seconds asks the warehouse no more often.
SHARED_SECONDS = 10


def state(context: Context) -> Iterator[Metric]:
    """A group that cannot be asked, such as of a warehouse that is away, is left out, and said to be."""
    groups: dict[str, Callable[[Context, datetime], Iterator[Metric]]] = {
        "service": _service,
        "delivery": _delivery,
        "builds": _builds,
        "checks": _checks,
        "jobs": _jobs,
        "engine": _engine,
        "disk": _disk,
        "backups": _backups,
    }
    failed = GaugeMetricFamily(
        "errata_metrics_group_failed",
        "Whether a group of metrics could not be asked.",
        labels=["group"],
    )
    for name, group in groups.items():
        try:
            found = list(group(context, utc_now()))
        except ErrataError as error:
            log.warning("Metrics of %s couldn't be read: %s", name, error)
            found = []
            failed.add_metric([name], 1)
        else:
            failed.add_metric([name], 0)
        yield from found
    yield failed


def _gauge(name: str, said: str, labels: tuple[str, ...] = ()) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, said, labels=labels)


def _service(context: Context, now: datetime) -> Iterator[Metric]:
    build = _gauge("errata_build_info", "The running version.", ("version",))
    build.add_metric([__version__], 1)
    yield build
    restarts = CounterMetricFamily(
        "errata_part_restarts", "Restarts by `errata up` of parts that exited or hung.", labels=["part"]
    )
    for restart in read_restarts(context.restarts_path):
        restarts.add_metric([restart.part], restart.count)
    yield restarts
    spool = _gauge(
        "errata_spool_bytes", ("Files in this node's spool, including those delivered in the last minute.")
    )
    if (path := context.settings.spool_path) is not None:
        spool.add_metric([], _bytes_in(path))
    yield spool


def _bytes_in(spool: Path) -> int:
    total = 0
    for file in spool.rglob("errata-*"):
        # Delivered ones go at any moment.
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def _delivery(context: Context, now: datetime) -> Iterator[Metric]:
    labels = ("organization", "host")
    heard = _gauge(
        "errata_host_last_delivery_timestamp_seconds", "Time of receipt of a host's last delivery.", labels
    )
    waiting = _gauge(
        "errata_host_waiting_bytes",
        "Bytes of a host's log files that it reported but that didn't arrive.",
        labels,
    )
    silent = _gauge(
        "errata_host_silent",
        "Whether a host is silent for longer than ever in two weeks, or for a day if little is known of it.",
        labels,
    )
    read = context.read.shared(SHARED_SECONDS)
    for organization_id, own in context.state.projects.ids_by_organization().items():
        found = hosts(read, Filters(own, HEARD, now))
        found.sort(key=lambda host: host.last_received_at, reverse=True)
        for host in found[:MOST_HOSTS]:
            of_host = [str(organization_id), host.host]
            heard.add_metric(of_host, host.last_received_at.timestamp())
            waiting.add_metric(of_host, host.waiting_bytes)
            silent.add_metric(of_host, host.is_silent(now))
    yield from (heard, waiting, silent)


def _builds(context: Context, now: datetime) -> Iterator[Metric]:
    through = _gauge(
        "errata_mart_counted_until_timestamp_seconds",
        "Time up to which received rows are counted in a mart.",
        ("mart",),
    )
    shards = context.read.shared(SHARED_SECONDS).shards()
    throughs: dict[str, list[datetime]] = {}
    for mart, build in (built for shard in shards for built in all_published(shard).items()):
        if build.through is not None:
            throughs.setdefault(_table(mart), []).append(build.through)
    for table, moments in throughs.items():
        through.add_metric([table], min(moments).timestamp())
    took = _gauge("errata_mart_build_seconds", "Duration of a mart's last build.", ("mart",))
    seconds: dict[str, float] = {}
    for row in _rows(shards, "last_builds"):
        table = _table(row["mart"])
        seconds[table] = max(row["seconds"], seconds.get(table, 0))
    for table, longest in seconds.items():
        took.add_metric([table], longest)
    yield from (through, took)


def _checks(context: Context, now: datetime) -> Iterator[Metric]:
    failing = _gauge("errata_data_check_failing", "Whether a data check failed in its last run.", ("check",))
    ran = _gauge(
        "errata_data_check_last_run_timestamp_seconds", "Time of a data check's last run.", ("check",)
    )
    by_check: dict[str, list[Row]] = {}
    for row in _rows(context.read.shared(SHARED_SECONDS).shards(), "latest_checks"):
        by_check.setdefault(row["check_name"], []).append(row)
    for check, rows in by_check.items():
        failing.add_metric([check], not all(row["is_passed"] for row in rows))
        ran.add_metric([check], min(utc(row["checked_at"]) for row in rows).timestamp())
    yield from (failing, ran)


def _rows(shards: Sequence[Warehouse], question: str) -> list[Row]:
    return [row for shard in shards for row in shard.rows(query(question))]


def _table(mart: str) -> str:
    """Without its database."""
    return mart.rpartition(".")[2]


def _engine(context: Context, now: datetime) -> Iterator[Metric]:
    rows = _rows(context.read.shared(SHARED_SECONDS).shards(), "engine_load")
    for name, column, said in (
        ("memory_bytes", "memory_bytes", "Memory used by the warehouse engine."),
        ("parts", "part_count", "Data parts of the warehouse's tables; many of them slow down queries."),
        ("statements", "statement_count", "Queries running in the warehouse."),
    ):
        gauge = _gauge(f"errata_warehouse_{name}", said)
        gauge.add_metric([], sum(row[column] for row in rows))
        yield gauge
    ready = _gauge(
        "errata_warehouse_server_ready",
        "Whether a server of the warehouse responds, and as a replica is ready.",
        ("server",),
    )
    for place, is_ready in context.warehouse.servers().items():
        ready.add_metric([place], is_ready)
    yield ready


def _jobs(context: Context, now: datetime) -> Iterator[Metric]:
    ran = _gauge(
        "errata_job_last_success_timestamp_seconds", "Time of a background job's last success.", ("job",)
    )
    late = _gauge("errata_job_late_seconds", "Time since a background job became overdue.", ("job",))
    failures = CounterMetricFamily("errata_job_failures", "Failed runs of a background job.", labels=["job"])
    for job in job_health(context.jobs, context.state.jobs.states(), now):
        if job.ran_at is not None:
            ran.add_metric([job.name], job.ran_at.timestamp())
        late.add_metric([job.name], job.late_seconds)
        failures.add_metric([job.name], job.failure_count)
    yield from (ran, late, failures)


def _disk(context: Context, now: datetime) -> Iterator[Metric]:
    found = storage(context.read.shared(SHARED_SECONDS), context.settings.disk_bound, now.date())
    if found is None:
        return
    free = _gauge("errata_disk_free_bytes", "Free space on the warehouse's disk.")
    free.add_metric([], found.space.free_bytes)
    bound = _gauge("errata_disk_free_min_bytes", "Free space below which deliveries are refused.")
    bound.add_metric([], found.bound_bytes)
    full = _gauge(
        "errata_disk_full_timestamp_seconds",
        "Day on which the disk will be full at the current growth.",
    )
    if found.full_on is not None:
        full.add_metric([], datetime.combine(found.full_on, datetime.min.time(), now.tzinfo).timestamp())
    yield from (free, bound, full)


def _backups(context: Context, now: datetime) -> Iterator[Metric]:
    last = context.state.backup_runs.last(context.backups.destination)
    good = _gauge(
        "errata_backup_last_success_timestamp_seconds",
        "Start of the last complete backup, which contains every event acknowledged before.",
    )
    if last.good is not None:
        good.add_metric([], last.good.began_at.timestamp())
    yield good

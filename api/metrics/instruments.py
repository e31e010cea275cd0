"""What this process counts and times.

Of several web processes each writes to files of the folder `PROMETHEUS_MULTIPROC_DIR`, and any of them tells
the sums (prometheus.github.io/client_python/multiprocess).
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from errata.warehouse.cache import Usage

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# A series more for each, which only some kinds of Prometheus read.
disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()

ACCEPTED = Counter(
    "errata_ingest_accepted_lines", "Delivered lines that were accepted and stored.", registry=REGISTRY
)
OUTCOMES = Counter(
    "errata_ingest_outcomes",
    "Items, lines and deliveries not stored as sent, by outcome (docs/ledger.md).",
    ["outcome"],
    registry=REGISTRY,
)
INSERT_SECONDS = Histogram(
    "errata_ingest_insert_seconds",
    "Duration of inserts into the warehouse; one insert combines the rows of several deliveries.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "errata_http_request_seconds",
    "Duration of requests until the end of the response, by method, route template and status class.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)

REQUESTS_WAITING = Gauge(
    "errata_http_requests_waiting",
    "Requests waiting because others are in progress.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
DELIVERIES_PREPARING = Gauge(
    "errata_ingest_deliveries_preparing",
    "Deliveries waiting to be decoded or being decoded.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
DELIVERIES_STORING = Gauge(
    "errata_ingest_deliveries_storing",
    "Decoded deliveries whose rows are waiting to be inserted or being inserted.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
CACHE_LOOKUPS = Counter(
    "errata_cache_lookups",
    "Lookups in the cache of warehouse results, by result: hit or miss.",
    ["result"],
    registry=REGISTRY,
)
CACHE_BYTES = Gauge(
    "errata_cache_bytes",
    "Estimated memory of cached results.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
CACHE_ENTRIES = Gauge(
    "errata_cache_entries", "Cached answers.", multiprocess_mode="livesum", registry=REGISTRY
)
CACHE_HITS, CACHE_MISSES = (CACHE_LOOKUPS.labels(result) for result in ("hit", "miss"))


def note_lookup(is_hit: bool, usage: Usage) -> None:
    """Counts a lookup in the cache, and notes how full it is then."""
    (CACHE_HITS if is_hit else CACHE_MISSES).inc()
    CACHE_BYTES.set(usage.byte_count)
    CACHE_ENTRIES.set(usage.entry_count)


def count_stored(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Counts what the ledger got with a batch."""
    for row in rows.get("errata_raw.deliveries", ()):
        ACCEPTED.inc(row["accepted_count"])
    for row in rows.get("errata_raw.outcomes", ()):
        OUTCOMES.labels(row["outcome"]).inc(row["item_count"])


def counted() -> Iterable[Metric]:
    """Of all processes that share the folder, else of this one."""
    if FOLDER not in os.environ:
        return REGISTRY.collect()
    _forget_ended(Path(os.environ[FOLDER]))
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together.collect()


def _forget_ended(folder: Path) -> None:
    """A web process that was killed holds nothing any more; what it counted stays."""
    for file in folder.glob("gauge_live*.db"):
        process = file.stem.rpartition("_")[2]
        if process.isdigit() and not _is_alive(int(process)):
            mark_process_dead(int(process), str(folder))  # type: ignore[no-untyped-call]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True

"""What this process counts and times.

Of several web processes each writes to files of the folder `PROMETHEUS_MULTIPROC_DIR`, and any of them tells
the sums (prometheus.github.io/client_python/multiprocess).
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# A series more for each, which only some kinds of Prometheus read.
disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()

ACCEPTED = Counter(
    "errata_ingest_accepted_lines", "Lines of deliveries that were accepted and stored.", registry=REGISTRY
)
OUTCOMES = Counter(
    "errata_ingest_outcomes",
    "Items, lines and deliveries that were not stored as sent, by outcome (docs/ledger.md).",
    ["outcome"],
    registry=REGISTRY,
)
INSERT_SECONDS = Histogram(
    "errata_ingest_insert_seconds",
    "Duration of inserts into the warehouse, of the rows of several deliveries together.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "errata_http_request_seconds",
    "Duration of requests until the end of the response, by method, route template and class of the status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)


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
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together.collect()

"""A service that runs on a data directory."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from errata.doctor.finding import Finding
from errata.reports import formats
from errata.up.answers import document
from errata.up.builds import ServiceNotRunning, build_url
from errata.up.data_directory import DataDirectory
from errata.up.restarts import read_restarts
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, SetAside, standing

FULL_SOON_DAYS = 14
# An older restart is told, but nothing is wrong any more.
FRESH = timedelta(hours=1)
SET_ASIDE_REMEDY = (
    "Builds are retried; other projects aren't affected. If this persists, save the log and report it"
)


def findings(directory: DataDirectory, holder: str, health: Mapping[str, Any]) -> Iterator[Finding]:
    """`holder` is the process that holds the directory; `health` is empty if it does not respond."""
    yield _health(holder, health)
    yield from _disk(directory, address_of(holder))
    yield from _restarts(directory)
    yield from _marts(directory)


def address_of(holder: str) -> str:
    return holder.rpartition(" at ")[2]


def health_of(holder: str) -> Mapping[str, Any]:
    return document(f"{address_of(holder)}/api/health")


def _health(holder: str, health: Mapping[str, Any]) -> Finding:
    if not health:
        return Finding("service", f"{holder} is not responding", "Check the logs in the run directory")
    remedy = "" if health.get("status") == "ok" else "Check the logs in the run directory"
    remedy = " ".join(health.get("reasons", {}).values()) or remedy
    said = ", ".join(f"{name} {state}" for name, state in health.get("checks", {}).items())
    return Finding("service", f"{holder}: {said or json.dumps(health)}", remedy)


def _marts(directory: DataDirectory) -> Iterator[Finding]:
    """A line a mart that lacks something of a project."""
    try:
        warehouse = Warehouse(build_url(directory.path))
    except ServiceNotRunning:
        return
    try:
        found = standing(warehouse)
    except (WarehouseUnavailable, QueryFailed) as error:
        yield Finding("marts", str(error), "Check the logs in the run directory")
        return
    finally:
        warehouse.close()
    for mart, same in groupby(found, lambda one: one.mart):
        yield Finding(f"mart {mart}", _set_aside(list(same)), SET_ASIDE_REMEDY)
    if not found:
        yield Finding("marts", "all windows are built")


def _set_aside(found: list[SetAside]) -> str:
    """Of many windows the one that waits longest."""
    first = min(found, key=lambda one: one.since)
    projects = ", ".join(map(str, sorted({one.project_id for one in found})))
    window = "" if first.window == WHOLE_PROJECT else f" of {formats.iso_minute(first.window)}"
    return (
        f"{len(found)} windows of project {projects} not built since {formats.iso_minute(first.since)} UTC; "
        f"project {first.project_id}{window}: {first.reason} ({first.message}), "
        f"{first.attempt_count} attempts, "
        f"next retry at {formats.iso_minute(first.next_attempt_at)} UTC"
    )


def _disk(directory: DataDirectory, address: str) -> Iterator[Finding]:
    """What the running service knows: how fast it fills, and when it will be full."""
    known = directory.credentials()
    if not {"api_key", "project"} <= known.keys():
        return
    path = f"{address}/api/projects/{known['project']}/delivery?limit=1"
    disk = document(path, known["api_key"]).get("disk")
    if not disk:
        return
    said = f"{_gigabytes(disk['free_bytes'])} of {_gigabytes(disk['total_bytes'])} free for the warehouse"
    if disk["growth_bytes"] is not None:
        said += f", {_gigabytes(disk['growth_bytes'])} more per day"
        said += f", full on {disk['full_on']}" if disk["full_on"] else ", enough for ten years"
    until = datetime.now(UTC).date() + timedelta(days=FULL_SOON_DAYS)
    soon = disk["full_on"] is not None and date.fromisoformat(disk["full_on"]) < until
    if disk["is_refusing"]:
        said += f"; deliveries are refused because {_gigabytes(disk['bound_bytes'])} must stay free"
    yield Finding(
        "disk", said, "Free up disk space, or use a larger disk" if soon or disk["is_refusing"] else ""
    )


def _gigabytes(byte_count: int) -> str:
    return f"{byte_count / 1e9:.2f} GB"


def _restarts(directory: DataDirectory) -> Iterator[Finding]:
    for restart in read_restarts(directory.restarts_path):
        is_fresh = datetime.now(UTC) - restart.ended_at < FRESH
        said = f"{restart.part} {restart.reason} at {formats.iso_minute(restart.ended_at)} UTC"
        lines = "".join(f"\n        {line}" for line in restart.last_lines)
        log_path = directory.run / f"{restart.part}.log"
        yield Finding(
            "restarts",
            f"{said}; restarts since startup: {restart.count}{lines}",
            f"Check {log_path}" if is_fresh else "",
        )

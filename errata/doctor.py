"""`errata doctor`: what is wrong on this machine and how to mend it."""

import importlib.metadata
import json
import os
import platform
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path

from errata import __version__
from errata.errors import ErrataError
from errata.reports import formats
from errata.up.answers import answers, document
from errata.up.builds import ServiceNotRunning, build_url
from errata.up.data_directory import OPEN_TO_OTHERS, DataDirectory, DataDirectoryHeld
from errata.up.ports import free_port
from errata.up.restarts import read_restarts
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, SetAside, standing

ENGINE = "26.9.0"
FREE_BYTES_WANTED = 2 << 30
ENGINE_ANSWERS_WITHIN_SECONDS = 30
FULL_SOON_DAYS = 14
# An older restart is told, but nothing is wrong any more.
FRESH = timedelta(hours=1)
SET_ASIDE_REMEDY = (
    "Builds are retried, and other projects are built. If this persists, save the log and report it"
)


@dataclass(frozen=True)
class Finding:
    """`remedy` is empty where nothing is wrong."""

    subject: str
    said: str
    remedy: str = ""


def examine(data: Path) -> int:
    """Prints a line a finding; 0 when nothing is wrong, else 1."""
    directory = DataDirectory(data.resolve())
    findings = [finding for check in CHECKS for finding in check(directory)]
    for finding in findings:
        mark = "ok   " if not finding.remedy else "WRONG"
        print(f"{mark} {finding.subject}: {finding.said}")  # noqa: T201
        if finding.remedy:
            print(f"      → {finding.remedy}")  # noqa: T201
    return 1 if any(finding.remedy for finding in findings) else 0


def versions(_directory: DataDirectory) -> Iterator[Finding]:
    python = platform.python_version()
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield Finding("python", python, "" if supported else "Use Python 3.11, 3.12 or 3.13")
    yield Finding("errata", __version__)
    try:
        engine = importlib.metadata.version("chdb-core")
    except importlib.metadata.PackageNotFoundError:
        yield Finding("engine", "chdb-core is not installed", "Run `make setup`")
        return
    yield Finding("engine", f"chdb-core {engine}", "" if engine == ENGINE else f"Install chdb-core {ENGINE}")


def directory(directory: DataDirectory) -> Iterator[Finding]:
    try:
        directory.create()
    except ErrataError as error:
        yield Finding("data", str(error), "Choose a writable directory with --data, or change its owner")
        return
    free = directory.free_bytes()
    yield Finding("data", f"{directory.path} is writable")
    yield Finding(
        "disk",
        f"{free / 1e9:.1f} GB free",
        "" if free > FREE_BYTES_WANTED else "Free up disk space: inserts stop when the disk is full",
    )
    yield from _permissions(directory)


def _permissions(directory: DataDirectory) -> Iterator[Finding]:
    is_open = bool(directory.mode & OPEN_TO_OTHERS)
    yield Finding(
        "permissions",
        f"{directory.path} has mode {directory.mode:o}"
        + (": readable by other users on this host" if is_open else ""),
        f"chmod 700 {directory.path}" if is_open else "",
    )
    private = (directory.credentials_path, directory.path / "secret", directory.warehouse_passwords_path)
    for path in private:
        if path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
            remedy = f"chmod 600 {path}" if mode & 0o077 else ""
            yield Finding("permissions", f"{path.name} has mode {mode:o}", remedy)


def ports(_directory: DataDirectory) -> Iterator[Finding]:
    try:
        yield Finding("ports", f"127.0.0.1:{free_port()} is available")
    except OSError as error:
        yield Finding("ports", str(error), "Allow this user to open ports on 127.0.0.1")


def service(directory: DataDirectory) -> Iterator[Finding]:
    """A running service is asked for its health; where none runs, the engine is started for a moment."""
    if not directory.run.is_dir():
        return
    try:
        directory.hold().close()
    except DataDirectoryHeld as held:
        address = held.holder.rpartition(" at ")[2]
        yield _health(held.holder, address)
        yield from _disk(directory, address)
        yield from _restarts(directory)
        return
    yield Finding("service", "not running")
    yield _engine_starts()


def marts(directory: DataDirectory) -> Iterator[Finding]:
    """A line a mart that lacks something of a project, while a service runs."""
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


def _health(holder: str, address: str) -> Finding:
    health = document(f"{address}/api/health")
    if not health:
        return Finding("service", f"{holder} is not responding", "Check the logs in the run directory")
    remedy = "" if health.get("status") == "ok" else "Check the logs in the run directory"
    return Finding("service", f"{holder}: {json.dumps(health)}", remedy)


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


def _engine_starts() -> Finding:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="errata-doctor-") as temporary:
        command = [
            sys.executable,
            "-m",
            "errata.warehouse.listener",
            "--data",
            temporary,
            "--port",
            str(port),
        ]
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)
        try:
            while time.monotonic() - began < ENGINE_ANSWERS_WITHIN_SECONDS and process.poll() is None:
                if answers(f"http://127.0.0.1:{port}/ping"):
                    return Finding("engine", f"responded after {time.monotonic() - began:.1f} s")
                time.sleep(0.1)
        finally:
            process.kill()
            _, complaint = process.communicate()
    said = complaint.decode(errors="replace").strip().splitlines()[-1:] or ["no response"]
    return Finding(
        "engine", said[0], "Reinstall with `make setup`; the wheel needs Linux on x86-64 or aarch64"
    )


CHECKS: tuple[Callable[[DataDirectory], Iterator[Finding]], ...] = (
    versions,
    directory,
    ports,
    service,
    marts,
)

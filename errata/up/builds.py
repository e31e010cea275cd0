"""`errata build`: materializes what is due now, beside the service that runs on a data directory."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from errata.errors import ErrataError, InvalidSettings
from errata.up.data_directory import DataDirectory
from errata.warehouse.builds.due import build_due, make_due
from errata.warehouse.builds.mart import BuildReport
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound
from errata.warehouse.roles import Role, load_or_create_passwords

# As the pipelines have it: what one statement of a build may take, and does not where a project is set aside.
STATEMENT_SECONDS = 3600


class ServiceNotRunning(ErrataError):
    """There is no warehouse to build in."""

    code = "service_not_running"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"No service is running on {path}: start it with `errata up --data {path}`, "
            "or set ERRATA_WAREHOUSE_BUILD_URL"
        )
        self.path = path


def run_builds(data: Path, assets: Sequence[str]) -> int:
    """Prints a line a mart; 0 when all are built."""
    url = os.environ.get("ERRATA_WAREHOUSE_BUILD_URL") or build_url(data)
    warehouse = Warehouse(url, timeout_seconds=STATEMENT_SECONDS)
    try:
        for report in build_due(warehouse, assets, bound=_bound(os.environ)):
            print(_said(report), flush=True)  # noqa: T201
        for line in make_due(warehouse, assets, _bound(os.environ)):
            print(line, flush=True)  # noqa: T201
    finally:
        warehouse.close()
    return 0


def _bound(environ: Mapping[str, str]) -> Bound:
    """What the pipelines, whose settings these are, keep free as well."""
    least = environ.get("ERRATA_PIPELINES_DISK_FREE_MIN_BYTES", BUILDS_BOUND.min_bytes)
    percent = environ.get("ERRATA_PIPELINES_DISK_FREE_MIN_PERCENT", BUILDS_BOUND.min_percent)
    try:
        return Bound(int(least), float(percent))
    except ValueError as error:
        raise InvalidSettings([f"ERRATA_PIPELINES_DISK_FREE_MIN_…: {error}"]) from None


def build_url(data: Path) -> str:
    """Raises ServiceNotRunning."""
    directory = DataDirectory(data.resolve())
    if not directory.warehouse_address_path.exists():
        raise ServiceNotRunning(directory.path)
    address = directory.warehouse_address_path.read_text().strip()
    password = load_or_create_passwords(directory.warehouse_passwords_path)[Role.BUILD]
    return f"http://{Role.BUILD.value}:{password}@{address}"


def _said(report: BuildReport) -> str:
    left = f", {report.set_aside_count} windows set aside: `errata doctor`" if report.set_aside_count else ""
    if not report.windows:
        return f"{report.mart}: nothing was due{left}"
    days = f"{report.days[0]} to {report.days[-1]}" if len(report.days) > 1 else f"{report.days[0]}"
    return (
        f"{report.mart}: {len(report.windows)} windows ({days}), {report.row_count} rows, "
        f"{report.byte_count} bytes, {report.seconds:.1f} s"
        + (f", {len(report.waiting)} windows waiting for later builds" if report.waiting else "")
        + left
    )

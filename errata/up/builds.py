"""`errata build`: materializes what is due now, beside the service that runs on a data directory."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from errata.errors import ErrataError
from errata.up.data_directory import DataDirectory, require_restored
from errata.warehouse.roles import Role, known_passwords


class ServiceNotRunning(ErrataError):
    """There is no warehouse to build in."""

    code = "service_not_running"

    def __init__(self, path: Path, variable: str = "") -> None:
        other = f", or set {variable}" if variable else ""
        super().__init__(f"No service is running on {path}: start it with `errata up --data {path}`{other}")
        self.path = path


def run_builds(data: Path, assets: Sequence[str]) -> int:
    """The builder, which belongs to the pipelines, in a process of its own; 0 when all are built."""
    environment = {"ERRATA_STATE_URL": DataDirectory(data.resolve()).state_url, **os.environ}
    if not environment.get("ERRATA_WAREHOUSE_BUILD_URL"):
        environment["ERRATA_WAREHOUSE_BUILD_URL"] = build_url(data)
    return subprocess.call([sys.executable, "-m", "pipelines.builder", *assets], env=environment)


def build_url(data: Path) -> str:
    """Raises ServiceNotRunning."""
    return warehouse_url(data, Role.BUILD, "ERRATA_WAREHOUSE_BUILD_URL")


def warehouse_url(data: Path, role: Role, variable: str) -> str:
    """The address of the running warehouse for a role; `variable` could name another one instead. Raises
    ServiceNotRunning and DataIncomplete."""
    directory = DataDirectory(data.resolve())
    require_restored(directory.path)
    passwords = known_passwords(directory.warehouse_passwords_path)
    if role not in passwords or not directory.warehouse_address_path.exists():
        raise ServiceNotRunning(directory.path, variable)
    address = directory.warehouse_address_path.read_text().strip()
    return f"http://{role.value}:{passwords[role]}@{address}"

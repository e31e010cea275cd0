"""The service that is backed up: one on a data directory, or one with a ClickHouse server of its own."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata.backup.errors import BackupFailed
from errata.backup.place import BackupPlace
from errata.backup.places import reached
from errata.backup.warehouse import connect, require_disk
from errata.errors import InvalidSettings
from errata.private_file import write_private
from errata.up.builds import warehouse_url
from errata.up.data_directory import DataDirectory
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role

ADMIN_URL, STATE_URL, SECRET = "ERRATA_WAREHOUSE_ADMIN_URL", "ERRATA_STATE_URL", "ERRATA_SECRET"
CLUSTER = "ERRATA_WAREHOUSE_CLUSTER"
SECRET_FILES = ("secret", "credentials.json")


@dataclass(frozen=True)
class Source:
    """`data`: None for a server of one's own; `secret`: of its programs."""

    admin_url: str
    state_url: str
    secret: str
    data: DataDirectory | None

    @contextmanager
    def writing_to(self, directory: BackupPlace) -> Iterator[Warehouse]:
        """The warehouse, which reaches the directory while this lasts."""
        warehouse = connect(self.admin_url)
        try:
            if self.data is None:
                require_disk(warehouse, directory)
                yield warehouse
            else:
                with reached(self.data.run, directory):
                    yield warehouse
        finally:
            warehouse.close()

    def copy_secret(self, folder: Path) -> None:
        """Raises BackupFailed if there is none."""
        if self.data is None:
            if not self.secret:
                raise BackupFailed(f"--with-secret needs {SECRET}")
            write_private(folder / SECRET_FILES[0], self.secret)
            return
        for path in (self.data.path / name for name in SECRET_FILES):
            if path.exists():
                shutil.copyfile(path, folder / path.name)
                (folder / path.name).chmod(0o600)


def source_of(environ: Mapping[str, str], data: Path) -> Source:
    """Raises ServiceNotRunning, and InvalidSettings where the environment names only half of a service."""
    if admin_url := environ.get(ADMIN_URL):
        return Source(admin_url, required(environ, STATE_URL), environ.get(SECRET, ""), None)
    directory = DataDirectory(data.resolve())
    url = warehouse_url(data, Role.ADMIN, f"{ADMIN_URL} and {STATE_URL}")
    return Source(url, directory.state_url, "", directory)


def required(environ: Mapping[str, str], variable: str) -> str:
    """Raises InvalidSettings, also for a cluster."""
    if environ.get(CLUSTER):
        raise InvalidSettings([f"{CLUSTER}: back up the servers of a cluster with their own tools"])
    if not environ.get(variable):
        raise InvalidSettings([f"{variable}: needed along with {ADMIN_URL}"])
    return environ[variable]

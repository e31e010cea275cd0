"""`errata restore`: fills an empty data directory, or an empty ClickHouse server and state store."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from errata.backup.errors import BackupDamaged, RestoreRefused
from errata.backup.manifest import Manifest
from errata.backup.place import BackupPlace
from errata.backup.places import place_of, reached
from errata.backup.source import ADMIN_URL, SECRET_FILES, STATE_URL, required
from errata.backup.state_store import SQLITE, require_place, restore_state
from errata.backup.verify import require_sound
from errata.backup.warehouse import (
    connect,
    drop_databases,
    make_erasure_tables,
    require_disk,
    require_empty,
    restore_warehouse,
)
from errata.reports.formats import plural
from errata.up.answers import answers
from errata.up.child import end_with_parent
from errata.up.data_directory import PRIVATE_UMASK, DataDirectory
from errata.up.ports import free_port
from errata.up.silence import READY_WITHIN_SECONDS
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.listing import replay
from errata.warehouse.roles import Role, load_or_create_passwords

# Inside the directory, which may be the root of a disk. What is in it becomes the service's when it is whole.
STAGING = "restoring"


def restore(
    environ: Mapping[str, str], path: str, name: str, data: Path, erasures: Path | None = None
) -> int:
    """Restores one backup of a directory, the last one unless `name` says which; 0 when it is done.
    `erasures`: a list to carry out again, in place of the directory's own."""
    os.umask(PRIVATE_UMASK)
    directory = place_of(path)
    name = name or last_complete(directory)
    manifest = require_sound(directory, name)
    listed = erasures or directory.erasures()
    if erasures is not None and not erasures.is_file():
        raise RestoreRefused(f"{erasures} is not a list of erasures")
    if environ.get(ADMIN_URL):
        replayed = _restore_to_server(directory, name, manifest, environ, listed)
        next_step = "Run `errata migrate`, then start the programs"
    else:
        replayed = restore_to_directory(directory, name, manifest, data.resolve(), listed)
        next_step = f"Start the service with `errata up --data {data}`"
    sys.stdout.write(f"Restored {manifest.rows:,} rows and the state store of {manifest.began_at}\n")
    if replayed:
        sys.stdout.write(
            f"Carried out {plural(replayed, 'erasure')} again; the service completes them when it starts\n"
        )
    if not manifest.has_secret:
        where = "ERRATA_SECRET" if environ.get(ADMIN_URL) else str(data / SECRET_FILES[0])
        sys.stdout.write(f"The secret is not in this backup: put the service's own into {where} first\n")
    sys.stdout.write(f"{next_step}\n")
    return 0


def last_complete(directory: BackupPlace) -> str:
    """Raises BackupDamaged."""
    names = directory.complete()
    if not names:
        raise BackupDamaged(directory.name, ["no complete backup"])
    return names[-1]


def _restore_to_server(
    directory: BackupPlace,
    name: str,
    manifest: Manifest,
    environ: Mapping[str, str],
    listed: Path | None,
) -> int:
    state_url = required(environ, STATE_URL)
    with closing(connect(environ[ADMIN_URL])) as warehouse:
        require_place(state_url, manifest.state)
        require_disk(warehouse, directory)
        require_empty(warehouse)
        try:
            restore_warehouse(warehouse, directory, name, manifest)
            replayed = _replayed(warehouse, listed)
            restore_state(directory.fetched(name), state_url)
        except BaseException:
            drop_databases(warehouse, manifest.databases)
            raise
    return replayed


def restore_to_directory(
    directory: BackupPlace, name: str, manifest: Manifest, data: Path, listed: Path | None
) -> int:
    """How many listed erasures were carried out again. Raises RestoreRefused, and leaves nothing behind
    then."""
    if manifest.state != SQLITE:
        raise RestoreRefused(
            f"The backup's state store is {manifest.state}: restore it to a server of your own, named by "
            f"{ADMIN_URL} and {STATE_URL}"
        )
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise RestoreRefused(f"{data} is not empty")
    staging = DataDirectory(data / STAGING)
    staging.create()
    try:
        with (
            _engine(staging) as url,
            reached(staging.run, directory),
            closing(connect(url)) as warehouse,
        ):
            restore_warehouse(warehouse, directory, name, manifest)
            replayed = _replayed(warehouse, listed)
        restore_state(directory.fetched(name), staging.state_url)
        _restore_secret(directory.fetched(name), staging.path)
        shutil.rmtree(staging.run)
    except BaseException:
        shutil.rmtree(staging.path)
        raise
    for restored in staging.path.iterdir():
        restored.rename(data / restored.name)
    staging.path.rmdir()
    return replayed


def _replayed(warehouse: Warehouse, listed: Path | None) -> int:
    """Carries out the listed erasures that the backup does not know as finished."""
    if listed is None:
        return 0
    make_erasure_tables(warehouse)
    return replay(warehouse, listed)


def _restore_secret(folder: Path, to: Path) -> None:
    for name in SECRET_FILES:
        if (folder / name).exists():
            shutil.copyfile(folder / name, to / name)
            (to / name).chmod(0o600)


@contextmanager
def _engine(directory: DataDirectory) -> Iterator[str]:
    """An embedded warehouse of its own for this while; the URL of its administrator."""
    port = free_port()
    arguments = ["-m", "errata.warehouse.listener", "--data", str(directory.path), "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=end_with_parent,  # noqa: PLW1509 no other thread of this command holds a lock
    )
    try:
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not answers(f"http://127.0.0.1:{port}/ping"):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RestoreRefused("The warehouse did not start: run `errata doctor`")
            time.sleep(0.05)
        password = load_or_create_passwords(directory.warehouse_passwords_path)[Role.ADMIN]
        yield f"http://{Role.ADMIN.value}:{password}@127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()

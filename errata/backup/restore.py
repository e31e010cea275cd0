"""`errata restore`: fills an empty data directory, or an empty ClickHouse server and state store."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from errata.backup.erasure_list import NO_LIST, ErasureList, chosen_list
from errata.backup.errors import BackupDamaged, RestoreRefused
from errata.backup.manifest import NAME, Manifest
from errata.backup.place import BackupPlace
from errata.backup.places import place_of, reached
from errata.backup.source import ADMIN_URL, SECRET_FILES, STATE_URL, required
from errata.backup.state_store import require_known_state, require_place, restore_state
from errata.backup.verify import require_sound
from errata.backup.warehouse import (
    connect,
    make_erasure_tables,
    marked,
    require_disk,
    require_empty,
    restore_warehouse,
)
from errata.reports.formats import plural
from errata.up.answers import answers
from errata.up.child import end_with_parent
from errata.up.data_directory import (
    PRIVATE_UMASK,
    RESTORING,
    DataDirectory,
    DataDirectoryUnusable,
    require_restored,
)
from errata.up.ports import free_port
from errata.up.silence import READY_WITHIN_SECONDS
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.listing import replay
from errata.warehouse.roles import Role, load_or_create_passwords


@dataclass(frozen=True)
class SoundBackup:
    """A backup whose files, and those of its bases, were found to be what their manifests say."""

    place: BackupPlace
    name: str
    manifest: Manifest
    erasures: ErasureList

    @property
    def folder(self) -> Path:
        return self.place.fetched(self.name)


def sound_backup(place: BackupPlace, name: str, erasures: str = "") -> SoundBackup:
    """Raises BackupDamaged, and RestoreRefused for a backup of a newer version."""
    found = SoundBackup(place, name, require_sound(place, name), chosen_list(place, erasures))
    require_known_state(found.folder, found.manifest)
    return found


def restore(environ: Mapping[str, str], path: str, name: str, data: Path, erasures: str = "") -> int:
    """Restores one backup of a directory, the last one unless `name` says which; 0 when it is done.
    `erasures`: the file of a list to carry out again, in place of the directory's own, or `none`."""
    os.umask(PRIVATE_UMASK)
    place = place_of(path)
    if environ.get(ADMIN_URL):
        backup = sound_backup(place, name or _last(place), erasures)
        replayed = _restore_to_server(backup, environ)
        next_step = "Run `errata migrate`, then start the programs"
    else:
        with filling(data.resolve()) as directory:
            backup = sound_backup(place, name or _last(place), erasures)
            directory.use_state(environ.get(STATE_URL, ""))
            replayed = restore_to_directory(backup, directory)
        next_step = f"Start the service with `errata up --data {data}`"
    manifest = backup.manifest
    sys.stdout.write(f"Restored {manifest.rows:,} rows and the state store of {manifest.began_at}\n")
    sys.stdout.write(backup.erasures.caution)
    if replayed:
        sys.stdout.write(
            f"Reapplied {plural(replayed, 'erasure')}; the service completes them when it starts\n"
        )
    if not manifest.has_secret:
        where = "ERRATA_SECRET" if environ.get(ADMIN_URL) else str(data / SECRET_FILES[0])
        sys.stdout.write(
            f"This backup doesn't contain the secret: put the service's secret into {where} first\n"
        )
    sys.stdout.write(f"{next_step}\n")
    return 0


def last_complete(place: BackupPlace) -> str:
    """Raises BackupDamaged."""
    names = place.complete()
    if not names:
        raise BackupDamaged(place.name, ["no complete backup"])
    return names[-1]


def _last(place: BackupPlace) -> str:
    """Raises BackupDamaged where a later one is not complete: it may have been, and lost its manifest."""
    name = last_complete(place)
    if later := [other for other in place.interrupted() if other > name]:
        raise BackupDamaged(
            place.name,
            [
                f"{later[-1]}/{NAME} is missing, so this backup was interrupted or damaged. To restore the "
                f"last complete one, add --backup {name}"
            ],
        )
    return name


def _restore_to_server(backup: SoundBackup, environ: Mapping[str, str]) -> int:
    state_url = required(environ, STATE_URL)
    with closing(connect(environ[ADMIN_URL])) as warehouse:
        require_place(state_url, backup.manifest.state)
        require_disk(warehouse, backup.place)
        require_empty(warehouse)
        with marked(warehouse, backup.manifest.databases):
            replayed = _fill(warehouse, backup)
            restore_state(backup.folder, state_url)
    return replayed


def restore_to_directory(backup: SoundBackup, directory: DataDirectory) -> int:
    """How many listed erasures were carried out again. Raises RestoreRefused."""
    require_place(directory.state_url, backup.manifest.state)
    directory.create()
    with (
        _engine(directory) as url,
        reached(directory.run, backup.place),
        closing(connect(url)) as warehouse,
    ):
        replayed = _fill(warehouse, backup)
    restore_state(backup.folder, directory.state_url)
    restore_secret(backup.folder, directory.path)
    shutil.rmtree(directory.run)
    return replayed


@contextmanager
def filling(data: Path) -> Iterator[DataDirectory]:
    """An empty directory, which is marked until it is filled, and left as it was if that fails. Raises
    RestoreRefused and DataIncomplete."""
    require_restored(data)
    is_new = not data.exists()
    if not is_new and (not data.is_dir() or any(data.iterdir())):
        raise RestoreRefused(f"{data} is not empty")
    mark = data / RESTORING
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
    except OSError as error:
        raise DataDirectoryUnusable(data, error.strerror or str(error)) from error
    try:
        yield DataDirectory(data)
    except BaseException:
        for path in data.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != mark:
                path.unlink()
        mark.unlink()
        if is_new:
            data.rmdir()
        raise
    os.sync()
    mark.unlink()


def _fill(warehouse: Warehouse, backup: SoundBackup) -> int:
    """Restores the warehouse, and carries out the listed erasures that the backup does not know as
    finished."""
    restore_warehouse(warehouse, backup.place, backup.name, backup.manifest)
    if backup.erasures == NO_LIST:
        return 0
    make_erasure_tables(warehouse)
    return replay(warehouse, backup.erasures.path)


def restore_secret(folder: Path, to: Path) -> None:
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
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 no other thread of this command holds a lock
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

"""`errata backup drill`: restores the last backup beside the running service, and compares their answers.

The restored service listens on this machine alone, and sends nothing: it is started with `--send-nothing`,
without pipelines, and without any setting of the running one. Its directory is removed in the end.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from errata.backup.comparison import Comparison, Service, compare
from errata.backup.errors import DrillFailed
from errata.backup.expected import destination
from errata.backup.manifest import Manifest
from errata.backup.place import BackupPlace
from errata.backup.places import place_of
from errata.backup.record import Recorded, recorded
from errata.backup.restore import filling, last_complete, restore_to_directory, sound_backup
from errata.backup.scratch import Scratch, scratch
from errata.backup.verify import chain
from errata.state import Store
from errata.state.backup_runs import Kind, Outcome
from errata.up.answers import checks
from errata.up.builds import ServiceNotRunning, build_url
from errata.up.child import end_with_parent
from errata.up.data_directory import PRIVATE_UMASK, DataDirectory

NICENESS = 19
MEMORY_BYTES = 1 << 30
READY_WITHIN_SECONDS = 900
STOPS_WITHIN_SECONDS = 60
CODES = {Outcome.PASSED: 0, Outcome.NOT_COMPARED: 0, Outcome.DIFFERENT: 1, Outcome.FAILED: 1}


@dataclass(frozen=True)
class Place:
    """`data`: the directory of the running service; `scratch`: where to restore to, None: in `data`."""

    data: Path
    scratch: Path | None = None


def drill(path: str, place: Place) -> int:
    """Prints the outcome, and records it at the running service; 0 unless answers differ. Raises
    DrillFailed, ServiceNotRunning and what a restore raises."""
    os.umask(PRIVATE_UMASK)
    os.nice(NICENESS)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    data = DataDirectory(place.data.resolve())
    with recorded(data.state_url, Kind.DRILL, destination(path)) as run:
        running = _running(data)
        with scratch(data, place.scratch) as made:
            found = _compared(place_of(path), made, data, running, run)
        outcome, said = _judged(found)
        run.judge(outcome, said)
    sys.stdout.write(f"{outcome.replace('_', ' ').capitalize()}: {said}\n")
    return CODES[outcome]


def _compared(
    directory: BackupPlace, made: Scratch, data: DataDirectory, running: Service, run: Recorded
) -> Comparison:
    name = last_complete(directory)
    run.tell(name=name)
    backup = sound_backup(directory, name)
    made.require_room(_bytes(directory, name))
    with filling(made.service) as restored:
        restore_to_directory(backup, restored)
    shutil.copyfile(data.secret_path, restored.secret_path)
    restored.secret_path.chmod(0o600)
    api_key = _api_key(data, restored, running.api_key)
    with _up(restored) as address:
        answering = Service(address, api_key, build_url(restored.path))
        return compare(running, answering, _copied_at(backup.manifest))


def _running(data: DataDirectory) -> Service:
    """Raises ServiceNotRunning."""
    holder, known = data.holder(), data.credentials()
    if not holder or "api_key" not in known:
        raise ServiceNotRunning(data.path)
    return Service(_address(holder), known["api_key"], build_url(data.path))


def _api_key(data: DataDirectory, restored: DataDirectory, api_key: str) -> str:
    """A new one of the restored service for the same organization: keys may have been rotated since."""
    secret = data.secret().encode()
    with closing(Store.open(data.state_url, secret)) as store:
        owner = store.keys.api.owner(api_key)
    if owner is None:
        raise DrillFailed(f"The service refuses the API key in {data.credentials_path}")
    with closing(Store.open(restored.state_url, secret)) as store:
        store.migrate()
        return store.keys.api.regenerate(owner.organization_id, actor="restore drill").key


@contextmanager
def _up(restored: DataDirectory) -> Iterator[str]:
    """The restored service, which sends nothing; its address."""
    options = ["--no-pipelines", "--send-nothing", "--memory", str(MEMORY_BYTES)]
    process = subprocess.Popen(
        [sys.executable, "-m", "errata", "up", "--data", str(restored.path), *options],
        env=_without_settings(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 no other thread of this command holds a lock
    )
    try:
        yield _address_when_ready(restored, process)
    finally:
        process.terminate()
        try:
            process.wait(STOPS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address_when_ready(restored: DataDirectory, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DrillFailed("The restored service did not start")
        address = _address(restored.holder())
        if address.startswith("http") and checks(address).get("warehouse") == "ok":
            return address
        time.sleep(0.5)
    raise DrillFailed(f"The restored service was not ready within {READY_WITHIN_SECONDS} s")


def _address(holder: str) -> str:
    return holder.rpartition(" at ")[2]


def _without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """No mail server and no URL of the running service."""
    return {name: value for name, value in environ.items() if not name.startswith("ERRATA_")}


def _bytes(directory: BackupPlace, name: str) -> int:
    """Of the backup with all that it builds upon."""
    return sum(directory.manifest(one)[0].bytes for one in chain(directory, name))


def _copied_at(manifest: Manifest) -> datetime:
    return datetime.fromisoformat(manifest.began_at)


def _judged(found: Comparison) -> tuple[Outcome, str]:
    skipped = f"; no days to compare: {', '.join(found.skipped)}" if found.skipped else ""
    if found.differences:
        return Outcome.DIFFERENT, "; ".join(found.differences) + skipped
    if not found.compared:
        return Outcome.NOT_COMPARED, "restored and responding, but no project has unchanged days to compare"
    return Outcome.PASSED, f"{found.compared:,} result rows match{skipped}"

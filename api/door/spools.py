"""The spools of a node: for each organization, and shard of a cluster, a folder of log files, and the agent
that delivers them. So a shard that is away holds up nothing of others."""

import asyncio
import logging
import re
import shutil
import threading
from pathlib import Path

from errata_shipper.agent import Agent
from errata_shipper.clock import SystemClock
from errata_shipper.errors import DirectoryHeld, ShipperError
from errata_shipper.intake.admission import CHECK_SECONDS, Admission, Limits
from errata_shipper.intake.log_file import LogFile
from errata_shipper.intake.notices import Notices
from errata_shipper.intake.spool import Spool
from errata_shipper.lock import DirectoryLock
from errata_shipper.settings import Settings
from errata_shipper.source import host_name
from errata_wire.refusal import Refused

from api.door.courier import Courier
from api.ingest.accept import Ingest
from errata.state.shards import FIRST

log = logging.getLogger(__name__)

# The organization's id, and the number of a shard but the first.
FOLDER = re.compile(r"\d+(-\d+)?", re.ASCII)
# In the delivery ledger what a node takes itself, for each shard, is told from what a shipper beside it
# delivers.
INSTANCE = "direct"
# Delivered files are kept so long, for a process that is about to write to one of them.
KEEP_DELIVERED_SECONDS = 60.0
ROTATE_BYTES = 128 << 20
# Of the disk: databases beside the spool must not stop for want of space.
FREE_BYTES = 512 << 20
BATCH_LINES = 500
FLUSH_SECONDS = 1.0
# On the way out: what is not delivered by then is delivered after the next start.
STOP_SECONDS = 2.0
# Another process of the node delivers; this one takes over when that has ended.
LOOK_SECONDS = 2.0


class OrganizationSpool:
    """One folder. Each process of a node writes to it; the one that holds its lock delivers."""

    def __init__(self, path: Path, limits: Limits, *, is_synced: bool, clock: SystemClock) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._instance = "-".join([INSTANCE, *path.name.split("-")[1:]])
        self._clock = clock
        notices = Notices(clock.monotonic)
        self._log_file = LogFile(path, is_synced, clock.now)
        self._admission = Admission(path, limits, clock.now, notices)
        self.spool = Spool(self._log_file, lambda: self.lack, clock, notices)
        self._threads: list[threading.Thread] = []

    @property
    def lack(self) -> str:
        """Why nothing can be taken; empty while something can."""
        free = shutil.disk_usage(self._path).free
        if free < FREE_BYTES:
            return f"only {free >> 20} MiB are free on the disk of the spool"
        return self._admission.lack

    def start(self, courier: Courier) -> None:
        for work, name in ((lambda: self._deliver(courier), "deliver"), (self._tidy, "tidy")):
            thread = threading.Thread(target=work, name=f"spool-{name}-{self._path.name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def join(self) -> None:
        """Once the clock has said stop."""
        for thread in self._threads:
            thread.join(STOP_SECONDS + 1)
        self._log_file.close()

    def _deliver(self, courier: Courier) -> None:
        settings = Settings(
            api_key="",
            app_key="",
            base_url="",
            storage_path=self._path,
            timeout_seconds=STOP_SECONDS,
            batch_size=BATCH_LINES,
            flush_interval_seconds=FLUSH_SECONDS,
            compress=False,
        )
        while not self._clock.is_stopping:
            try:
                with DirectoryLock(self._path) as lock:
                    Agent(settings, courier, self._clock, host_name(self._instance), lock=lock).run()
            except DirectoryHeld:
                log.debug("Another process delivers %s", self._path)
            except (OSError, ShipperError) as error:
                log.error("The spool %s is not delivered: %s", self._path, error)
            self._clock.wait(LOOK_SECONDS)

    def _tidy(self) -> None:
        while not self._clock.is_stopping:
            try:
                self._admission.check()
            except (OSError, ShipperError) as error:
                log.error("The spool %s can't be tidied: %s", self._path, error)
            self._clock.wait(CHECK_SECONDS)


class Spools:
    """`path`: the folder of all of them; None: this node takes nothing itself."""

    def __init__(self, path: Path | None, max_bytes: int, *, is_synced: bool, ingest: Ingest) -> None:
        self._path = path
        self._limits = Limits(KEEP_DELIVERED_SECONDS, max_bytes, ROTATE_BYTES)
        self._is_synced = is_synced
        self._ingest = ingest
        self._clock = SystemClock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._spools: dict[str, OrganizationSpool] = {}
        self._lock = threading.Lock()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Delivers what an earlier process of the node left."""
        self._loop = loop
        if self._path is not None and self._path.is_dir():
            for folder in self._path.iterdir():
                if FOLDER.fullmatch(folder.name):
                    self._made(folder.name)

    def stop(self) -> None:
        """Once nothing is taken any more, while the loop still runs."""
        self._clock.stop()
        for spool in self._spools.values():
            spool.join()

    def of(self, organization_id: int, shard: int = FIRST) -> Spool:
        """The spool of an organization's projects on a shard. Raises Refused if this node has none."""
        name = f"{organization_id}" if shard == FIRST else f"{organization_id}-{shard}"
        found = self._spools.get(name)
        if found is None:
            found = self._made(name)
        return found.spool

    @property
    def is_there(self) -> bool:
        return self._path is not None

    @property
    def lack(self) -> str:
        """Why something can't be taken; empty while everything can."""
        return next((lack for each in list(self._spools.values()) if (lack := each.lack)), "")

    def _made(self, name: str) -> OrganizationSpool:
        if self._path is None:
            detail = "this node takes no envelopes: set ERRATA_API_SPOOL_PATH to a directory of its own"
            raise Refused(503, detail, {"Retry-After": "60"})
        with self._lock:
            if name not in self._spools:
                try:
                    made = OrganizationSpool(
                        self._path / name,
                        self._limits,
                        is_synced=self._is_synced,
                        clock=self._clock,
                    )
                except OSError as error:
                    detail = f"the spool can't be written: {error.strerror or error}"
                    raise Refused(503, detail, {"Retry-After": "60"}) from error
                if self._loop is not None:
                    made.start(Courier(self._ingest, self._loop, int(name.partition("-")[0])))
                self._spools[name] = made
            return self._spools[name]

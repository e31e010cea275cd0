"""Puts the story in place: the weeks delivered, people's decisions made, and what came back since."""

import io
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from demo import history, story
from demo.configuration import apply_configuration
from demo.decisions import Decisions
from demo.folder import DemoError, DemoFolder
from demo.progress import Progress
from demo.service import Service
from demo.shop.build import BUILT
from errata.stop_signal import StopSignal

DELIVERED_WITHIN_S = 900.0
SETTLED_AFTER_S = 27.0
"""A build counts rows from 25 seconds before it on."""
Say = Callable[[str], None]


class SetUp:
    """Needs a running service and a shipper that delivers from the folder."""

    def __init__(
        self, folder: DemoFolder, service: Service, weeks: int, say: Say, stopping: StopSignal
    ) -> None:
        self.folder = folder
        self.service = service
        self.weeks = weeks
        self.say = say
        self.stopping = stopping
        self.progress = Progress(folder.set_up_path)
        self.app_key = folder.credentials()["app_key"]
        self.delivered_at = time.monotonic()

    def run(self) -> None:
        for step, make in (
            ("source maps", self._upload),
            ("history", self._deliver),
            ("decisions", self._decide),
            ("recurrence", self._come_back),
        ):
            if self.stopping.is_set():
                return
            if step not in self.progress.steps:
                make()
                if not self.stopping.is_set():
                    self.progress.done(step)

    def _upload(self) -> None:
        """Scripts are known by their debug IDs, so one upload is enough for all releases."""
        self.service.upload(f"{self.service.project}/sourcemaps?prefix=~/static/js", zipped(BUILT))

    def _deliver(self) -> None:
        title = f"Delivering {self.weeks} weeks of history"
        self.say(f"{title}…")
        # An interrupted delivery goes on with the days as they were laid out.
        began = datetime.fromisoformat(
            self.progress.kept.setdefault("began_at", datetime.now(UTC).isoformat())
        )
        self.progress.keep("began_at", began.isoformat())
        for done, days in history.written(self.folder.logs, self.app_key, self.weeks, began):
            if self.stopping.is_set():
                return
            if done % 7 == 0:
                self.say(f"{title}… {done * 50 // days}%")
        self._wait_for_shipper(title)

    def _wait_for_shipper(self, title: str = "") -> None:
        deadline = time.monotonic() + DELIVERED_WITHIN_S
        while not self.stopping.wait(0.5):
            total = shipped(self.folder.shipper_config)
            if title and total["size_bytes"]:
                self.say(f"{title}… {50 + 50 * total['position_bytes'] // total['size_bytes']}%")
            if total["behind_bytes"] == 0 and total["size_bytes"]:
                self.delivered_at = time.monotonic()
                return
            if time.monotonic() > deadline:
                raise DemoError(f"the history is not delivered after {DELIVERED_WITHIN_S:.0f} s")

    def _decide(self) -> None:
        self.say("Making budgets, alerts, a report and decisions about issues…")
        apply_configuration(self.folder)
        Decisions(self.service, self.progress).make()

    def _come_back(self) -> None:
        self.say(f"A resolved issue comes back in {story.NEWEST.version}…")
        now = datetime.now(UTC)
        with (self.folder.logs / f"errata-{now:%Y-%m-%d}.log").open("ab") as file:
            file.write(b"".join(history.recurrence(self.app_key, now)))
        self._wait_for_shipper()

    def seconds_until_settled(self) -> float:
        return max(0.0, self.delivered_at + SETTLED_AFTER_S - time.monotonic())


def zipped(folder: Path) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return made.getvalue()


def shipped(config: Path) -> dict[str, int]:
    asked = [sys.executable, "-m", "errata_shipper", "--config", str(config), "--status", "--json"]
    total: dict[str, int] = json.loads(subprocess.check_output(asked))["total"]
    return total

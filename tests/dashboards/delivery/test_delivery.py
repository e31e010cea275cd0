"""The Delivery page over the real service, fed by the real shipper: it must find what was lost on purpose."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.dashboards.conftest import Site

ROOT = Path(__file__).resolve().parents[3]
# A busy machine is no failure.
WITHIN_SECONDS = 60
TODAY = datetime.now(UTC).date()
RED = ("verdict-bad", "bytes-missing", "state-missing", 'class="losses"', 'class="bad"')

Summary = dict[str, Any]


@dataclass
class Host:
    """A storage path with the shipper that is started and stopped on it."""

    logs: Path
    site: Site
    address: str

    def write(self, days_ago: int, count: int) -> Path:
        file = self.logs / f"errata-{TODAY - timedelta(days=days_ago)}.log"
        now = datetime.now(UTC).isoformat()
        with file.open("a") as log:
            for number in range(count):
                payload = {"message": f"{file.name} {number}"}
                log.write(json.dumps({"type": "event", "logged_at": now, "payload": payload}) + "\n")
        return file

    @contextmanager
    def shipper(self, app_key: str) -> Iterator[None]:
        config = self.logs.parent / "errata.yaml"
        config.touch(0o600)
        config.write_text(
            f"errata:\n  apiKey: {self.site.account.api_key}\n  appKey: {app_key}\n"
            f"  baseUrl: {self.address}\n  storagePath: {self.logs}\n  flushInterval: 500ms\n"
        )
        shipper = subprocess.Popen(
            [sys.executable, "-m", "errata_shipper", "--config", str(config), "--record"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            shipper.send_signal(signal.SIGTERM)
            assert shipper.wait(40) == 0

    def deliver(self, is_done: Callable[[Summary], bool]) -> dict[str, Any]:
        with self.shipper(self.site.account.app_key):
            wait_until(lambda: is_done(self.ledger()["summary"]), self.ledger)
        return self.ledger()

    def see_while_the_key_is_refused(self, file: Path) -> None:
        """The shipper notes what the file holds, and can deliver none of it."""
        with self.shipper("errata_app_of_yesterday"):
            wait_until(lambda: self.tracked(file)["size"] == file.stat().st_size, self.tracker)

    def tracker(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.logs / "tracker.json").read_text())
        return document

    def tracked(self, file: Path) -> dict[str, Any]:
        return next(entry for entry in self.tracker()["files"] if entry["name"] == file.name)

    def pass_over(self, file: Path, until: int) -> None:
        """Edits tracker.json by hand as somebody would who wants lines to be skipped."""
        document = self.tracker()
        for entry in document["files"]:
            if entry["name"] == file.name:
                entry |= {"offset": until, "edge_bytes": 0, "edge_hash": ""}
        (self.logs / "tracker.json").write_text(json.dumps(document))

    def ledger(self) -> dict[str, Any]:
        key = {"Authorization": f"Bearer {self.site.account.api_key}"}
        body: dict[str, Any] = self.site.client.get("/api/projects/shop/delivery", headers=key).json()
        return body

    def page(self) -> str:
        return self.site.client.get("/projects/shop/delivery").text


def wait_until(is_done: Callable[[], bool], state: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not is_done():
        assert time.monotonic() < deadline, state()
        time.sleep(0.1)


@pytest.fixture
def host(live_site: Site, address: str, tmp_path: Path) -> Host:
    live_site.sign_in()
    logs = tmp_path / "logs"
    logs.mkdir()
    return Host(logs, live_site, address)


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_the_page_finds_what_was_lost_on_purpose_and_nothing_else(host: Host) -> None:
    assert "No host ships log files yet" in host.page()
    kept, lost = host.write(2, 30), host.write(1, 10)
    written = kept.stat().st_size + lost.stat().st_size
    clean = host.deliver(lambda summary: summary["delivered_bytes"] == written)
    assert clean["summary"]["is_everything_delivered"]
    html = host.page()
    assert "All reported data has arrived" in html
    assert [red for red in RED if red in html] == []

    delivered, skipped_from = lost.stat().st_size, kept.stat().st_size
    host.write(1, 20)
    size = lost.stat().st_size
    host.see_while_the_key_is_refused(lost)
    lost.unlink()
    skipped_to = host.write(2, 3).stat().st_size
    host.write(2, 5)
    host.pass_over(kept, skipped_to)
    missing = skipped_to - skipped_from + size - delivered
    found = host.deliver(lambda summary: summary["missing_bytes"] == missing and not summary["waiting_bytes"])
    losses = {row["file"]: (row["gaps"], row["file_end"]) for row in found["delivery"]}
    assert losses == {
        kept.name: ([{"from": skipped_from, "to": skipped_to}], ""),
        lost.name: ([{"from": delivered, "to": size}], "removed"),
    }
    html = host.page()
    assert re.search(r"1 gap and 1 cut-off end, [\d.]+ KB missing on ", html)
    assert f"Gap: bytes {skipped_from:,} to {skipped_to:,}" in html
    assert f"Cut-off end: bytes {delivered:,} to {size:,}" in html
    assert "the file was removed before delivery" in html

    # What is still on the host comes again, and the gap closes; what is gone stays missing.
    (host.logs / "tracker.json").unlink()
    mended = host.deliver(lambda summary: summary["gap_count"] == 0 and not summary["waiting_bytes"])
    assert mended["summary"]["missing_bytes"] == size - delivered
    assert mended["summary"]["repeated_bytes"] > 0

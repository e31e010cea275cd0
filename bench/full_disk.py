"""A disk that fills under load: refused in time, with the reason, and everything counted once afterwards."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import urllib3

from bench.figures import figure
from bench.kill import Reader, Writer, event_count, settled_after, start_shipper
from tests.service import Service, running

DISK_BYTES = 1500 << 20
BOUND_BYTES = 200 << 20
STEP_BYTES = 16 << 20
LOAD_SECONDS = 8
FULL_SECONDS = 15
SETTINGS = {
    "ERRATA_API_DISK_FREE_MIN_BYTES": str(BOUND_BYTES),
    "ERRATA_API_DISK_FREE_MIN_PERCENT": "0",
    "ERRATA_PIPELINES_DISK_FREE_MIN_BYTES": str(2 * BOUND_BYTES),
    "ERRATA_PIPELINES_DISK_FREE_MIN_PERCENT": "0",
}


class Asker(threading.Thread):
    """Asks all the time whether a delivery would be taken, and whether the service is well."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.answers: Counter[str] = Counter()
        self.message = ""
        self.least_free_bytes = DISK_BYTES
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(0.1):
            self.answers[self._delivered()] += 1
            self.answers[self._health()] += 1
            self.least_free_bytes = min(self.least_free_bytes, _free_bytes(self.service.directory))

    def _delivered(self) -> str:
        """An empty delivery: it is refused, or taken without counting."""
        try:
            answer = self._ask("POST", "/api/ingest")
        except urllib3.exceptions.HTTPError as error:
            return f"ingest {type(error).__name__}"
        if answer.status != 503:
            return f"ingest {answer.status}"
        body = answer.json()
        if body["error"] == "disk_full":
            self.message = body["message"]
        return f"ingest 503 {body['error']}, Retry-After {answer.headers.get('Retry-After')}"

    def _health(self) -> str:
        try:
            answer = self._ask("GET", "/api/health")
        except urllib3.exceptions.HTTPError as error:
            return f"health {type(error).__name__}"
        failing = [name for name, result in answer.json()["checks"].items() if result == "failing"]
        return f"health {answer.status} failing: {', '.join(failing) or 'nothing'}"

    def _ask(self, method: str, path: str) -> urllib3.BaseHTTPResponse:
        headers = {
            "Authorization": f"Bearer {self.service.credentials['api_key']}",
            "X-Errata-App-Key": self.service.credentials["app_key"],
        }
        address = self.service.credentials["base_url"] + path
        return urllib3.request(method, address, headers=headers, retries=False, timeout=20)


def main() -> None:
    with small_disk() as disk:
        if disk is None:
            sys.stderr.write("full_disk: left out, since this user or machine may not mount a tmpfs\n")
            return
        # One keeps its hands off the last bytes; the other leaves not one.
        for name, left_bytes in (("under_the_bound", BOUND_BYTES * 3 // 4), ("to_the_last_byte", 0)):
            with running("--no-pipelines", directory=disk / name, settings=SETTINGS) as service:
                _fill(name, service, disk / "ballast", left_bytes)
            subprocess.run(["rm", "-rf", str(disk / name)], check=True)


def _fill(name: str, service: Service, ballast: Path, left_bytes: int) -> None:
    with tempfile.TemporaryDirectory(prefix="errata-full-disk-") as host:
        logs = Path(host) / "logs"
        logs.mkdir()
        writer = Writer(logs)
        reader, asker = Reader(service, lambda: writer.written), Asker(service)
        shipper = start_shipper(service, logs)
        for thread in (writer, reader, asker):
            thread.start()
        time.sleep(LOAD_SECONDS)
        filled_after = fill(ballast, left_bytes)
        refused_before = _refused(asker)
        while not _refused(asker) and asker.is_alive():
            time.sleep(0.05)
        time.sleep(3)
        counted_when_full = event_count(service) or 0
        written_when_full = writer.written
        time.sleep(FULL_SECONDS)
        counted_after_waiting = event_count(service) or 0
        ballast.unlink()
        freed_at = time.monotonic()
        taken = asker.answers["ingest 200"]
        while asker.answers["ingest 200"] == taken:
            time.sleep(0.05)
        taken_again_after = time.monotonic() - freed_at
        time.sleep(LOAD_SECONDS)
        writer.stopping.set()
        writer.join()
        seconds_until_settled = settled_after(service, writer.written)
        for thread in (reader, asker):
            thread.stopping.set()
            thread.join()
        lost = writer.written - (event_count(service) or 0)
        build = subprocess.run(
            [sys.executable, "-m", "errata", "build", "--data", str(service.directory)],
            check=False,
            env={**os.environ, **SETTINGS},
            capture_output=True,
            text=True,
        )
        moved = (event_count(service) or 0) - (writer.written - lost)
        shipper.terminate()
        shipper.wait(30)
    figure(f"full_disk_{name}_events_lost", lost, "events", written=writer.written)
    figure(
        f"full_disk_{name}_wrong_reads",
        len(reader.wrong),
        "reads",
        reads=reader.reads,
        wrong=reader.wrong[:5],
    )
    figure(f"full_disk_{name}_unanswered_reads", reader.unanswered, "reads")
    figure(
        f"full_disk_{name}_taken_while_full",
        counted_after_waiting - counted_when_full,
        "events",
        written_meanwhile=writer.written - written_when_full,
        refused_early=refused_before,
    )
    figure(f"full_disk_{name}_least_free", asker.least_free_bytes / 1e6, "MB", filled_after=filled_after)
    figure(f"full_disk_{name}_taken_again_after", taken_again_after, "s", settled_after=seconds_until_settled)
    figure(f"full_disk_{name}_moved_by_a_build", moved, "events", build_code=build.returncode)
    figure(f"full_disk_{name}_answers", sum(asker.answers.values()), "answers", **asker.answers)
    figure(f"full_disk_{name}_refusals", _refused(asker), "answers", message=asker.message)


def _refused(asker: Asker) -> int:
    return sum(count for answer, count in asker.answers.items() if answer.startswith("ingest 503"))


def fill(ballast: Path, left_bytes: int) -> float:
    """Fills the disk but for `left_bytes`, as fast as it goes; how many seconds that took."""
    began = time.monotonic()
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while (free := _free_bytes(ballast.parent)) > left_bytes or not left_bytes:
            wanted = min(STEP_BYTES, max(free - left_bytes, 4096))
            file.write(b"\0" * wanted)
    return time.monotonic() - began


def _free_bytes(path: Path) -> int:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


@contextmanager
def small_disk(size_bytes: int = DISK_BYTES) -> Iterator[Path | None]:
    """A file system of its own for a while; None where none can be mounted."""
    with tempfile.TemporaryDirectory(prefix="errata-small-disk-") as directory:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=0700", "tmpfs", directory]
        if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
            yield None
            return
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", directory], check=True)


if __name__ == "__main__":
    main()

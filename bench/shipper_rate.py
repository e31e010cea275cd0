"""How many events of 24 KB a second one shipper carries, from one file and from several, and its cost.

To a stand-in that takes the time a service takes for each line, as if on machines of its own; and with
`python -m bench.shipper_rate service` to a real one, which shares this machine with the shipper.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.events import repeated
from bench.figures import figure
from bench.shipper import ended, null_server, peak_rss_bytes, started
from errata.warehouse.roles import Role
from tests.service import Service, running

EVENTS = 12_000
# docs/nodes.md: what an event costs the process that decodes it, and the warehouse.
DECODE_SECONDS, INSERT_SECONDS = 0.00057, 0.0005
GIVE_UP_SECONDS = 300
_LOOK_SECONDS = 0.1


def main() -> None:
    if "service" in sys.argv:
        with running("--no-pipelines") as service:
            _from_files("service", 1, service.credentials["base_url"], _stored_by(service), _keys(service))
        return
    for file_count in (1, 4):
        with null_server(DECODE_SECONDS, INSERT_SECONDS) as server:
            _from_files("stand_in", file_count, server.base_url, lambda: server.seen()["lines"], {})


def _from_files(
    name: str, file_count: int, base_url: str, stored_count: Callable[[], int], fields: dict[str, object]
) -> None:
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        storage_path = Path(made)
        size = _write(storage_path, file_count)
        before = stored_count()
        process = started(storage_path, base_url, **fields)
        first_at, first = _when(lambda count: count > 0, stored_count, before)
        last_at, last = _when(lambda count: count >= EVENTS, stored_count, before)
        peak = peak_rss_bytes(process.pid)
        process.send_signal(signal.SIGTERM)
        cost = ended(process, first_at)
    figure(
        f"shipper_rate_{name}_{file_count}_files",
        (last - first) / (last_at - first_at),
        "events per second",
        cpu_ms_per_event=round(cost.cpu_seconds / EVENTS * 1000, 4),
        event_bytes=size // EVENTS,
        peak_rss_mb=round(peak / 1e6),
        repeated_count=last - EVENTS,
    )


def _write(storage_path: Path, file_count: int) -> int:
    size = 0
    for number in range(file_count):
        with (storage_path / f"errata-2026-11-{10 + number}.log").open("wb") as file:
            for line in repeated(EVENTS // file_count, seed=number + 1):
                size += file.write(line)
    return size


def _when(
    is_reached: Callable[[int], bool], stored_count: Callable[[], int], before: int
) -> tuple[float, int]:
    give_up_at = time.monotonic() + GIVE_UP_SECONDS
    while not is_reached(count := stored_count() - before):
        if time.monotonic() > give_up_at:
            raise RuntimeError(f"stored {count} of {EVENTS} events")
        time.sleep(_LOOK_SECONDS)
    return time.monotonic(), count


def _stored_by(service: Service) -> Callable[[], int]:
    warehouse = service.warehouse(Role.ADMIN)

    def count() -> int:
        (row,) = warehouse.rows("select count() as row_count from errata_raw.error_events")
        return int(row["row_count"])

    return count


def _keys(service: Service) -> dict[str, object]:
    return {"apiKey": service.credentials["api_key"], "appKey": service.credentials["app_key"]}


if __name__ == "__main__":
    main()

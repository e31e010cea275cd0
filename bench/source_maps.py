"""What source maps cost and give: one JSON line a figure. `python -m bench.source_maps`

Variants are captured stacks under other function names, so that each is a variant of its own, over builds
that are stored under other names. Maps for the memory are captured ones made longer by unused names.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil

from bench.figures import figure
from errata.source_maps.frames import Position
from errata.source_maps.opened import OpenedMap, OpenedMaps
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.browser_builds import browser_errors, extract_builds
from tests.processes import start_warehouse
from tests.uploading import Uploading, uploading

VARIANTS, BUILDS = 1_000, 20
MAPS, MAP_BYTES, TURNS = 50, 5_000_000, 2
SCRIPTS = ("checkout-ADMYCDFX.js", "product-IYSJEBCP.js", "ui-Z344SUGJ.js", "home-UOSP4GJW.js")


def main() -> None:
    memory()
    with running() as api, tempfile.TemporaryDirectory() as directory:
        builds = extract_builds(Path(directory))
        same_bugs(api, builds)
        thousand_variants(api, builds)


@contextmanager
def running() -> Iterator[Uploading]:
    with tempfile.TemporaryDirectory() as directory:
        warehouse = start_warehouse(Path(directory) / "data")
        admin = warehouse.client(Role.ADMIN)
        migrate(admin)
        admin.close()
        with uploading(warehouse, Path(directory)) as api:
            yield api
        warehouse.stop()


def issue_count(api: Uploading) -> int:
    return len(api.get(f"{api.path}/issues", limit=100)["issues"])


def same_bugs(api: Uploading, builds: Path) -> None:
    """14 bugs over two releases with other names: how many issues they are without maps, and with them."""
    events = browser_errors()
    api.deliver(events)
    api.map_variants()
    figure("source maps, issues of 14 bugs without maps", issue_count(api), "issues", events=len(events))
    for release in ("1.0.0", "1.1.0"):
        api.upload(builds / release / "assets", f"shop-web@{release}", f"~/assets/{release}")
    api.map_variants()
    figure("source maps, issues of 14 bugs, maps after the errors", issue_count(api), "issues")


def thousand_variants(api: Uploading, builds: Path) -> None:
    """CPU of this process, which reads events and groups, and of its child, which opens maps and looks up
    frames; of the job alone."""
    assets = builds / "1.1.0" / "assets"
    for number in range(BUILDS):
        api.upload(assets, f"shop-web@2.{number}.0", f"~/assets/2.{number}.0")
    captured = browser_errors(["1.1.0"])
    events = [other_variant(captured[number % len(captured)], number) for number in range(VARIANTS)]
    for start in range(0, VARIANTS, 200):
        api.deliver(events[start : start + 200])
    before, began = cpu_seconds(), time.perf_counter()
    count = api.map_variants()
    spent = cpu_seconds() - before
    figure(
        "source maps, CPU of reading a variant",
        spent / count * 1000,
        "ms",
        variants=count,
        builds=BUILDS,
        wall_seconds=round(time.perf_counter() - began, 1),
    )


def cpu_seconds() -> float:
    """Of this process and its reader of maps."""
    readers = [
        child
        for child in psutil.Process().children()
        if "errata.source_maps.reader_process" in child.cmdline()
    ]
    used = [psutil.Process().cpu_times(), *(reader.cpu_times() for reader in readers)]
    return sum(each.user + each.system for each in used)


def other_variant(event: dict[str, Any], number: int) -> dict[str, Any]:
    release = f"2.{number % BUILDS}.0"
    text = json.dumps(event).replace("/assets/1.1.0/", f"/assets/{release}/")
    changed: dict[str, Any] = json.loads(text)
    changed |= {"release": f"shop-web@{release}", "event_id": uuid4().hex}
    for value in changed["exception"]["values"]:
        for frame in value.get("stacktrace", {}).get("frames", ()):
            frame["function"] = f"{frame.get('function', '')}_{number}"
    return changed


def memory() -> None:
    """Of a process in which many large maps are used in turn, beside the files' size."""
    with tempfile.TemporaryDirectory() as directory:
        assets = extract_builds(Path(directory)) / "1.1.0" / "assets"
        script = (assets / "checkout-ADMYCDFX.js").read_bytes()
        known = json.loads((assets / "checkout-ADMYCDFX.js.map").read_text())
    opened, process = OpenedMaps(), psutil.Process()
    OpenedMap(script, json.dumps(known).encode())
    before, peak, seconds = process.memory_info().rss, 0, 0.0
    keys = [(uuid4(), uuid4()) for _ in range(MAPS)]
    for _ in range(TURNS):
        for number, key in enumerate(keys):
            began = time.process_time()
            if opened.get(key) is None:
                padding = ["x" * 90 + str(each) for each in range((MAP_BYTES - 1_539_053) // 100)]
                padded = {**known, "names": [*known["names"], *padding, f"map{number}"]}
                opened.keep(key, OpenedMap(script, json.dumps(padded).encode()))
            found = opened.get(key)
            assert found is None or found.original(Position(3, 747_759)) is not None
            seconds += time.process_time() - began
            peak = max(peak, process.memory_info().rss)
    figure(
        "source maps, memory of maps used in turn",
        (peak - before) / 1e6,
        "MB",
        maps=MAPS,
        map_bytes=MAP_BYTES,
        cpu_ms_a_use=round(seconds / (MAPS * TURNS) * 1000, 1),
    )


if __name__ == "__main__":
    main()

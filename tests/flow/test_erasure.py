"""A person is erased from a running service, and no restore of an older backup brings the person back."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flow.erased_person import call, clear_marts, planted_tables, wait_for_rows
from tests.flow.test_backup import build, command, deliver
from tests.planted_person import OTHERS, VERA, events, telemetry
from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def deliveries() -> Iterator[dict[str, Any]]:
    yield from ({"type": "event", "payload": payload} for payload in events(VERA, 6))
    yield from ({"type": "event", "payload": payload} for payload in events(OTHERS[0], 6))
    yield from telemetry({0: VERA, 1: OTHERS[0], 2: OTHERS[1]})


def test_a_restore_of_an_older_backup_does_not_bring_a_person_back(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with running("--no-pipelines", directory=tmp_path / "data") as service:
        deliver(service, list(deliveries()))
        build(service)
        assert {"errata_raw.error_events", "errata_raw.variants"} <= planted_tables(service)
        assert command("backup", old, "--data", service.directory, "--with-secret").returncode == 0
        call(service, "POST", "/erasures", {"email": VERA.email, "confirm": VERA.email})
        receipt = wait_for_rows(service)
        assert receipt["row_count"] > 50
        assert not {one for one in planted_tables(service) if one.startswith("errata_raw.")}
        taken = command("backup", new, "--data", service.directory, "--with-secret")
        assert taken.returncode == 0, taken.stderr
    (older,), (newer,) = (sorted(place.glob("*/erasures.jsonl.gz")) for place in (old, new))
    done = command("restore", old, "--data", tmp_path / "again", "--erasures", newer)
    assert done.returncode == 0, done.stderr
    assert "Reapplied 1 erasure" in done.stdout
    with running("--no-pipelines", directory=tmp_path / "again") as restored:
        # Rows are gone before anybody can ask; titles follow at once.
        found = planted_tables(restored)
        assert not {one for one in found if one.startswith("errata_raw.")} - {"errata_raw.variants"}
        wait_for_rows(restored)
        clear_marts(restored)
        assert planted_tables(restored) == set()
    shutil.rmtree(tmp_path / "again")
    # Without the newer list, the directory knows nothing of the erasure.
    assert older.read_bytes() != newer.read_bytes()

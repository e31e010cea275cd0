"""A person is erased from a running service, and no restore of an older backup brings the person back."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from errata.warehouse.roles import Role
from pipelines.build.erasures import carry_out_erasures
from tests.flow.test_backup import build, command, deliver
from tests.mart_builds import FAST
from tests.planted_person import OTHERS, VERA, events, telemetry
from tests.service import Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

TABLES = """
    select database, name from system.tables
    where database in ('errata_raw', 'errata_mart', 'errata_ops') and engine like '%MergeTree'
"""


def planted_tables(service: Service) -> set[str]:
    """Tables with a text of the person in any column."""
    admin = service.warehouse(Role.ADMIN)
    found = set()
    for row in admin.rows(TABLES):
        table = f"{row['database']}.{row['name']}"
        for text in VERA.texts:
            asked = (
                f"select count() as n from {table} where position(toString(tuple(*)), {{text:String}}) > 0"
            )
            if admin.rows(asked, {"text": text})[0]["n"]:
                found.add(table)
    admin.close()
    return found


def call(service: Service, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    known = service.credentials
    url = f"{known['base_url']}/api/projects/{known['project']}{path}"
    headers = {"Authorization": f"Bearer {known['api_key']}"}
    answer = httpx2.request(method, url, json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


def wait_for_rows(service: Service) -> dict[str, Any]:
    """The receipt, once the service's own job has removed the rows and swept up what was on its way."""
    deadline = time.monotonic() + 180
    warehouse = service.warehouse(Role.INGEST)
    while warehouse.rows("select count() as n from errata_raw.erasures where state = 'settled'") == [
        {"n": 0}
    ]:
        assert time.monotonic() < deadline
        time.sleep(1)
    warehouse.close()
    receipt: dict[str, Any] = call(service, "GET", "/erasures")["erasures"][0]
    return receipt


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
    assert "Carried out 1 erasure again" in done.stdout
    with running("--no-pipelines", directory=tmp_path / "again") as restored:
        # Rows are gone before anybody can ask; titles follow at once.
        found = planted_tables(restored)
        assert not {one for one in found if one.startswith("errata_raw.")} - {"errata_raw.variants"}
        wait_for_rows(restored)
        builder = restored.warehouse(Role.BUILD)
        list(carry_out_erasures(builder, FAST))
        builder.close()
        assert planted_tables(restored) == set()
    shutil.rmtree(tmp_path / "again")
    # Without the newer list, the directory knows nothing of the erasure.
    assert older.read_bytes() != newer.read_bytes()

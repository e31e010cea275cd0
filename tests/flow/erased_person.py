"""The erasure of a person from a running service, asked for over REST."""

import time
from typing import Any

import httpx2

from errata.warehouse.roles import Role
from pipelines.builder.erasures import carry_out_erasures
from tests.mart_builds import FAST
from tests.planted_person import VERA
from tests.service import Service

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


def clear_marts(service: Service) -> None:
    """What the pipelines do for an erasure."""
    builder = service.warehouse(Role.BUILD)
    list(carry_out_erasures(builder, FAST))
    builder.close()

"""Requests made from the schema: each answer is one that the schema tells of, each mistake is refused."""

from pathlib import Path

import pytest

from tests.openapi_requests import ask_by_schema
from tests.openapi_service import serving_openapi
from tests.processes import WarehouseProcess

# What answers out of the state store alone. The rest is asked by `python -m bench.openapi`.
QUICK = (
    r"^/api/(health|ingest|activity|auth|api-key|members|projects$|projects/\{slug\}$|alert-"
    r"|projects/\{slug\}/(app-keys|searches$|share-links|integrations|scrubbing|alert-(rules$|rules/\{|messages)))"
)


@pytest.mark.timeout(300)
def test_no_answer_is_other_than_the_schema_says(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    with serving_openapi(warehouse, tmp_path) as service:
        asked = ask_by_schema(
            service,
            tmp_path,
            phases=["examples", "coverage", "fuzzing"],
            examples=3,
            paths=QUICK,
            seconds=280,
        )
    assert asked.returncode == 0, asked.stdout[-8000:] + asked.stderr[-2000:]

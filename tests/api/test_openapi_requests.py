"""Requests made from the schema: each answer is one that the schema tells of, each mistake is refused."""

import re
from pathlib import Path

import pytest

from tests.openapi_requests import OF_PERSONS, ask_by_schema
from tests.openapi_service import serving_openapi
from tests.processes import WarehouseProcess

# What answers out of the state store alone, and so at once.
QUICK = (
    r"^/api/(health|ingest|activity|auth|api-key|members|projects$|projects/\{slug\}$|alert-"
    r"|projects/\{slug\}/(app-keys|searches$|share-links|integrations|scrubbing|inbound-filters|alert-(rules$|rules/\{|messages)))"
)


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_no_answer_is_other_than_the_schema_says(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    """Of every operation some requests; of some each bound of each field. `bench.openapi` asks more."""
    with serving_openapi(warehouse, tmp_path) as service:
        every = ask_by_schema(
            service, tmp_path, service.by_key, phases=["examples", "fuzzing"], examples=2, seconds=400
        )
        bounds = ask_by_schema(
            service, tmp_path, service.by_key, phases=["coverage"], examples=1, paths=QUICK, seconds=400
        )
        persons = ask_by_schema(
            service,
            tmp_path,
            service.by_session,
            phases=["coverage", "fuzzing"],
            examples=4,
            paths=OF_PERSONS,
            seconds=400,
        )
    for asked in (every, bounds, persons):
        assert asked.returncode == 0, asked.stdout[-8000:] + asked.stderr[-2000:]
    selected = re.search(r"Selected: (\d+)/(\d+)\n +Tested: (\d+)", every.stdout)
    assert selected is not None and len(set(selected.groups())) == 1, every.stdout

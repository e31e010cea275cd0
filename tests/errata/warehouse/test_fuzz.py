"""A few seconds of `python -m bench.fuzz_warehouse`, and that it sees what it looks for."""

from collections.abc import Iterator

import pytest

from errata.warehouse.roles import Role
from tests.errata.warehouse.fuzzing import Fuzzing, migrated_warehouse
from tests.processes import WarehouseProcess

SECONDS = 6
SEED = 20_260_101


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarehouseProcess]:
    running = migrated_warehouse(tmp_path_factory.mktemp("fuzzed"))
    yield running
    running.stop()


@pytest.mark.slow
def test_statements_by_chance_neither_end_the_process_nor_read_more_than_views(
    fuzzed: WarehouseProcess,
) -> None:
    outcome = Fuzzing(fuzzed, SEED).run(SECONDS)
    assert outcome.faults == [], outcome.latest
    assert outcome.statements > 50
    assert outcome.answered > 5
    assert fuzzed.process.poll() is None


@pytest.mark.slow
def test_it_notices_what_was_read_and_an_end(fuzzed: WarehouseProcess) -> None:
    fuzzing = Fuzzing(fuzzed, SEED, Role.INGEST)
    fuzzing.send("select text from errata_raw.canary", {})
    (read,) = fuzzing.outcome.faults
    assert "read what is not for analysts: select text from errata_raw.canary" in read
    fuzzed.process.kill()
    fuzzed.process.wait(10)
    fuzzing.send("select 1", {})
    assert "(process: -9)" in fuzzing.outcome.faults[-1]

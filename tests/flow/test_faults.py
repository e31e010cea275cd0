"""Every fault of the matrix, beside kills of the shipper, the web and the warehouse: nothing lost."""

from collections.abc import Iterator
from itertools import product

import pytest

from tests.cases import each
from tests.flow.faults.matrix import FAULTS
from tests.flow.faults.result import Result
from tests.flow.faults.series import running_series
from tests.service import ROOT

SEEDS = range(2)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, int], Result]]:
    """All runs at once, on one service."""
    with running_series(tmp_path_factory.mktemp("faults")) as series:
        found = series.execute(list(product(FAULTS, SEEDS)), most_kills=1)
    yield {(result.fault, result.seed): result for result in found}


@pytest.mark.timeout(240)
@each("fault", FAULTS)
@each("seed", SEEDS)
@pytest.mark.slow
def test_every_line_written_is_stored_or_set_aside_and_counted_once(
    results: dict[tuple[str, int], Result], fault: str, seed: int
) -> None:
    result = results[fault, seed]
    assert result.written > 0
    assert all(result.kills.values()), "each part is killed during the run"
    assert result.problems == []
    assert (result.lost, result.invented, result.uncounted, result.counted_twice) == (0, 0, 0, 0)
    assert result.stored + result.set_aside == result.written
    assert result.missing_bytes == 0, "the delivery ledger shows a gap where there is none"


def test_the_guide_names_every_fault_and_what_happens() -> None:
    guide = (ROOT / "bench" / "README.md").read_text()
    for name, fault in FAULTS.items():
        assert f"| `{name}` | {fault.__doc__} |" in guide

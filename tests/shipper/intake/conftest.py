from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shipper.intake.listening import Listening


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Listening]:
    made = Listening(tmp_path)
    yield made
    made.stop()

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentry_sdk

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def lines(logs: Path) -> Lines:
    def read() -> list[dict[str, Any]]:
        return [
            json.loads(line) for file in sorted(logs.glob("*.log")) for line in file.read_bytes().splitlines()
        ]

    return read


@pytest.fixture(autouse=True)
def sentry_is_left_as_it_was() -> Iterator[None]:
    yield
    sentry_sdk.get_client().close(timeout=0)
    sentry_sdk.get_global_scope().set_client(None)
    sentry_sdk.get_global_scope().clear()
    sentry_sdk.get_isolation_scope().clear()
    sentry_sdk.get_current_scope().clear()

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentry_sdk
from starlette.testclient import TestClient

from demo.shop.app import create_app
from demo.shop.settings import ShopSettings

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def lines(logs: Path) -> Lines:
    def read() -> list[dict[str, Any]]:
        written = b"".join(file.read_bytes() for file in sorted(logs.glob("*.log")))
        return [json.loads(line) for line in written.splitlines()]

    return read


@pytest.fixture
def shop(logs: Path) -> Iterator[TestClient]:
    app = create_app(ShopSettings("errata_app_test", logs))
    with TestClient(app, raise_server_exceptions=False) as client:
        client.cookies.set("cart", "c1")
        yield client
    sentry_sdk.get_client().close(timeout=0)
    sentry_sdk.get_global_scope().set_client(None)
    sentry_sdk.get_global_scope().clear()
    sentry_sdk.get_isolation_scope().clear()

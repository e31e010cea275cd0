from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shipper.certificates import Authority
from tests.shipper.hosts import Host
from tests.shipper.ingest_server import IngestServer, running_server
from tests.shipper.installation import Installation


@pytest.fixture
def server() -> Iterator[IngestServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def host(tmp_path: Path, server: IngestServer) -> Iterator[Host]:
    made = Host(tmp_path, server)
    yield made
    made.stop()


@pytest.fixture
def installation(tmp_path: Path, server: IngestServer) -> Iterator[Installation]:
    made = Installation(tmp_path, server.base_url)
    yield made
    made.stop_all()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))

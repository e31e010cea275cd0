"""Who writes raw rows, and who asks."""

from collections.abc import Iterator

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess


@pytest.fixture
def ingest(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.INGEST)
    yield client
    client.close()


@pytest.fixture
def read(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.READ)
    yield client
    client.close()

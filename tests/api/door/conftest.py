from collections.abc import Iterator
from pathlib import Path

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from tests.api.door.direct_node import DirectNode, running
from tests.processes import WarehouseProcess


@pytest.fixture
def store(state_url: str) -> Iterator[Store]:
    store = Store.open(state_url, b"s" * 48)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def account(store: Store) -> FirstAccount:
    return store.accounts.create_first("Acme", "Shop", "owner@localhost")


@pytest.fixture
def node(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> Iterator[DirectNode]:
    with running(warehouse, store, account, tmp_path / "spool") as node:
        yield node

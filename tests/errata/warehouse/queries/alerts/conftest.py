"""Three variants: 1 and 2 are issue 101, 3 is issue 103."""

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, insert
from tests.errata.warehouse.queries.alerts.received import BEGIN
from tests.processes import WarehouseProcess


@pytest.fixture
def issues(warehouse: WarehouseProcess) -> None:
    ingest: Warehouse = warehouse.client(Role.INGEST)
    numbers = (1, 2, 3)
    insert(
        ingest, "errata_raw.variants", [a_variant(variant_hash=each, first_seen_at=BEGIN) for each in numbers]
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=each, issue_id=103 if each == 3 else 101) for each in numbers],
    )
    ingest.close()

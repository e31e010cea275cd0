from datetime import UTC, datetime, timedelta

from errata.warehouse.queries.facets import Facets, facets
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.processes import WarehouseProcess


def test_filters_offer_what_was_seen_in_the_period_and_the_latest_release_first(
    warehouse: WarehouseProcess,
) -> None:
    now = datetime.now(UTC)
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(
        ingest,
        "errata_raw.error_events",
        [
            an_error_event(environment="staging", release="shop@1.1", occurred_at=now - timedelta(days=3)),
            an_error_event(environment="production", release="shop@1.2", occurred_at=now),
            an_error_event(environment="production", release="", occurred_at=now),
            an_error_event(environment="old", release="shop@0.1", occurred_at=now - timedelta(days=40)),
            an_error_event(environment="theirs", release="other@1", occurred_at=now, project_id=8),
        ],
    )
    found = facets(read, [7], now - timedelta(days=14))
    assert found == Facets(["production", "staging"], ["shop@1.2", "shop@1.1"])
    ingest.close()
    read.close()


def test_a_project_without_events_offers_nothing(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    assert facets(read, [7], datetime.now(UTC) - timedelta(days=14)) == Facets([], [])
    read.close()

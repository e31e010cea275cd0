import time
from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.queries.performance import facets as facets_module
from errata.warehouse.queries.performance.facets import Facets, facets
from errata.warehouse.roles import Role
from tests.builders import a_deletion, a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
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


@pytest.mark.slow
def test_what_was_deleted_is_not_offered_before_and_after_a_build(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    events = [
        an_error_event(variant_hash=number, environment=name, release=f"shop@{number}", occurred_at=now)
        for number, name in ((1, "staging"), (2, "production"))
    ]
    insert(ingest, "errata_raw.error_events", events)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in (1, 2)])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=1, issue_id=1), a_mapping(variant_hash=2, issue_id=2)],
    )
    time.sleep(0.01)
    insert(ingest, "errata_raw.issue_actions", [a_deletion(1, 1)])
    for is_built in (False, True):
        if is_built:
            build_marts(warehouse, "variant_hourly", "repeated_events", "variant_daily")
        found = facets(read, [7], now - timedelta(days=14))
        assert found == Facets(["production"], ["shop@2"])
    ingest.close()
    read.close()


def test_a_project_without_events_offers_nothing(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    assert facets(read, [7], datetime.now(UTC) - timedelta(days=14)) == Facets([], [])
    read.close()


def test_what_filters_offer_is_not_asked_again_for_a_minute(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    monkeypatch.setattr(facets_module, "KEPT_SECONDS", 1e9)
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)

    def offered(release: str) -> list[str]:
        insert(ingest, "errata_raw.error_events", [an_error_event(release=release, occurred_at=now)])
        return facets(read, [7], now).releases

    assert [offered("shop@1"), offered("shop@2")] == [["shop@1"], ["shop@1"]]
    monkeypatch.setattr(facets_module, "KEPT_SECONDS", 1e-9)
    assert offered("shop@3") == ["shop@3", "shop@2", "shop@1"]
    ingest.close()
    read.close()

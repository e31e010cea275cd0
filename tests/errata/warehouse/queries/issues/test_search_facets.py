from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from errata.period import Period
from errata.search import parse
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.compiled_search import QueryContext
from errata.warehouse.queries.issues.facets import (
    Facet,
    latest_events,
    search_facets,
    tags_of_project,
    values_of_key,
)
from tests.builders import a_mapping, a_variant, an_error_event, insert

NOW = datetime.now(UTC).replace(minute=30, second=0, microsecond=0) - timedelta(hours=1)
PERIOD = Period("24h").of_events(NOW)
CONTEXT = QueryContext(NOW)
HOUR = timedelta(hours=1)


@pytest.fixture
def events(ingest: Warehouse) -> None:
    """Two of this hour, two of the last, one of the one before, and what no search of shop finds."""
    insert(ingest, "errata_raw.variants", [a_variant()])
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])

    def an_event(hours: int, browser: str, **values: Any) -> dict[str, Any]:
        return an_error_event(
            occurred_at=NOW - hours * HOUR, received_at=NOW - hours * HOUR, browser=browser, **values
        )

    rows = [
        an_event(0, "Firefox", tags={"plan": "pro", "region": "eu"}),
        an_event(0, "Chrome", tags={"plan": "free"}, level="fatal"),
        an_event(1, "Firefox", tags={"plan": "pro"}),
        an_event(1, "Firefox", tags={"plan": "free"}, environment="staging"),
        an_event(2, "Safari", tags={"planet": "earth"}, release=""),
        an_event(30, "Opera", tags={"plan": "old"}),
        an_event(0, "Edge", tags={"plan": "theirs"}, project_id=8),
    ]
    insert(ingest, "errata_raw.error_events", rows)
    # A client that retries sends the same event again.
    insert(ingest, "errata_raw.error_events", rows[:1])


@pytest.mark.usefixtures("events")
def test_matching_events_are_counted_by_each_field_and_tag(read: Warehouse) -> None:
    found = search_facets(read, 7, parse(""), PERIOD, CONTEXT)
    facets = {facet.name: facet for facet in found.facets}
    assert facets["browser"] == Facet("browser", False, 5, (("Firefox", 3), ("Chrome", 1), ("Safari", 1)))
    assert facets["release"] == Facet("release", False, 4, (("shop@1.0", 4),))
    assert facets["plan"] == Facet("plan", True, 4, (("free", 2), ("pro", 2)))
    assert facets["level"].values == (("error", 4), ("fatal", 1))
    assert (found.is_all, found.as_of) == (True, NOW)
    narrowed = search_facets(read, 7, parse("browser:Firefox environment:production"), PERIOD, CONTEXT)
    facets = {facet.name: facet for facet in narrowed.facets}
    assert facets["plan"].values == (("pro", 2),) and "planet" not in facets
    assert facets["environment"].values == (("production", 2),)


@pytest.mark.usefixtures("events")
def test_of_many_events_the_latest_hours_are_looked_at(read: Warehouse) -> None:
    everything = latest_events(read, 7, parse(""), PERIOD, CONTEXT)
    assert everything.is_all and everything.since <= NOW - 2 * HOUR
    few = latest_events(read, 7, parse(""), PERIOD, CONTEXT, most=3)
    # The last two hours have four events, the last one but two.
    assert (few.since, few.is_all) == ((NOW - HOUR).replace(minute=0), False)
    assert few.event_count == everything.event_count
    firefox = latest_events(read, 7, parse("browser:Firefox"), PERIOD, CONTEXT, most=1)
    assert firefox.since == NOW.replace(minute=0) and not firefox.is_all


@pytest.mark.usefixtures("events")
def test_what_is_typed_is_completed_from_fields_and_tags(ingest: Warehouse, read: Warehouse) -> None:
    since = NOW - 24 * HOUR
    assert [value for value, _ in values_of_key(read, 7, "browser", "", since)] == [
        "Firefox",
        "Chrome",
        "Safari",
    ]
    # Those that begin with it first, however seldom.
    insert(
        ingest,
        "errata_raw.error_events",
        [an_error_event(occurred_at=NOW, item_id=uuid4(), browser="Old Safari") for _ in range(9)],
    )
    assert values_of_key(read, 7, "browser", "Safari", since) == [("Safari", 1), ("Old Safari", 9)]
    assert values_of_key(read, 7, "planet", "ea", since) == [("earth", 1)]
    assert values_of_key(read, 7, "plan", "old", since) == []
    assert tags_of_project(read, 7, "plan", since) == [("plan", 5), ("planet", 1)]
    assert [name for name, _ in tags_of_project(read, 7, "", since)] == ["plan", "region", "planet"]

"""The first reader of a performance page after a build asks the warehouse nothing that the build made new."""

from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from api.context import Context
from errata.warehouse.published import is_asked_ahead, marts_of
from errata.warehouse.queries.performance import facets
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

PAGES, REST = "/projects/shop/performance", "/api/projects/shop/performance"
ADDRESSES = (
    *(PAGES, f"{PAGES}?tab=endpoints", f"{PAGES}/page?page=/checkout", f"{PAGES}/resources"),
    *(
        f"{PAGES}/page?page=/checkout&tab={tab}"
        for tab in ("loads", "causes", "resources", "images", "calls")
    ),
    *(f"{PAGES}/trends", f"{PAGES}/budgets", f"{PAGES}/releases", f"{PAGES}/recommendations"),
    *(f"{REST}/pages", f"{REST}/endpoints", f"{REST}/resources?by=type", f"{REST}/resources?by=url"),
    *(f"{REST}/trends?period=26w", f"{REST}/loads?page=/checkout"),
    *(f"{REST}/causes?page=/checkout&period=26w", f"{REST}/causes?page=/checkout&period=26w&device=mobile"),
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Statements over marts that readers waited for."""
    found = list[str]()
    query = Client.query

    def noted(client: Client, statement: str, **options: Any) -> Any:
        if marts_of(statement) and not is_asked_ahead():
            found.append(" ".join(statement.split())[:120])
        return query(client, statement, **options)

    monkeypatch.setattr(Client, "query", noted)
    return found


@pytest.mark.slow
def test_the_first_reader_after_a_build_waits_for_no_mart(
    live_site: Site, warehouse: WarehouseProcess, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Choices of filters are of the minute, with new events.
    monkeypatch.setattr(facets, "KEPT_SECONDS", 10**9)
    client, lines = live_site.sign_in(), performance_lines(since_capture())
    context: Context = live_site.client.app.state.context  # type: ignore[attr-defined]
    live_site.deliver(lines[:90])
    build_performance(warehouse)
    for number in (90, 105):
        for address in ADDRESSES:
            assert client.get(address).status_code == 200, address
        assert asked or number > 90
        context.read.ask_ahead()
        live_site.deliver(lines[number : number + 15])
        build_performance(warehouse)
        context.read.ask_ahead()
        asked.clear()
        for address in ADDRESSES:
            assert (client.get(address).status_code, asked) == (200, []), address

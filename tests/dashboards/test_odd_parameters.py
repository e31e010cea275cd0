"""Every page with odd values of each parameter that it reads: never an internal error."""

from collections import defaultdict

import pytest
from starlette.datastructures import QueryParams

from tests.authorization_table import LEVEL_OF
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.dashboards.test_other_organizations import names
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

PAGES = [
    path
    for method, path in (route.split(" ") for route in LEVEL_OF)
    if method == "GET" and not path.startswith("/api/")
]
ODD = ("x", "-1", "9" * 30, "\x00")


@pytest.mark.slow
def test_odd_values_of_any_parameter_cause_no_internal_error(
    live_site: Site, warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    values = names(live_site, {"Authorization": f"Bearer {live_site.account.api_key}"})
    read: set[str] = set()
    get = QueryParams.get

    def recorded(self: QueryParams, key: str, default: object = None) -> object:
        read.add(key)
        return get(self, key, default)

    monkeypatch.setattr(QueryParams, "get", recorded)
    live_site.sign_in()
    failed, asked = [], 0
    for path in PAGES:
        address = path.format_map(defaultdict(lambda: "0", values))
        read.clear()
        live_site.client.get(address)
        for name in sorted(read):
            for value in ODD:
                answer = live_site.client.get(address, params={name: value})
                asked += 1
                if answer.status_code >= 500:
                    failed.append((path, name, value, answer.status_code))
    assert asked > 500
    assert failed == []

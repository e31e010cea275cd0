"""What the delivery ledger refuses; what it tells stands beside the tests of deliveries."""

import pytest

from tests.api.conftest import Api


@pytest.mark.parametrize(
    "query", ["period=0d", "period=x", "format=xml", "limit=0", "cursor=%21", "cursor=MTox"]
)
def test_a_wrong_parameter_of_the_ledger_is_a_400(api: Api, query: str) -> None:
    assert (
        api.error(400, "GET", f"/api/projects/web-shop/delivery?{query}", headers=api.key)
        == "invalid_parameter"
    )


def test_the_ledger_needs_a_key_a_known_project_and_the_warehouse(api: Api) -> None:
    assert api.error(401, "GET", "/api/projects/web-shop/delivery") == "invalid_api_key"
    assert api.error(404, "GET", "/api/projects/other/delivery", headers=api.key) == "project_not_found"
    away = api.error(503, "GET", "/api/projects/web-shop/delivery", headers=api.key)
    assert away == "warehouse_unavailable"

import pytest

from api.reference import operations
from tests.api.conftest import Api

PAGES = "/api/projects/web-shop/performance/pages"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            f"{PAGES}?limit=5",
            "limit: unknown parameter; "
            "supported parameters: format, period, environment, release, device, browser, country",
        ),
        (f"{PAGES}?period=7d&enviroment=x", "enviroment: unknown parameter; did you mean environment?"),
        ("/api/projects/web-shop/issues?Query=x", "Query: unknown parameter; did you mean query?"),
        ("/api/projects?limit=5", "limit: unknown parameter; this endpoint has no parameters"),
        (
            "/api/projects?%00" + "x" * 100,
            "\ufffd" + "x" * 59 + ": unknown parameter; this endpoint has no parameters",
        ),
    ],
)
def test_a_parameter_that_an_address_does_not_know_is_named(api: Api, path: str, message: str) -> None:
    answer = api.client.get(path, headers=api.key)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_parameter")
    assert answer.json()["message"] == message


def test_every_address_refuses_them_whatever_its_method(api: Api) -> None:
    for path, method, operation in operations(api.app.openapi()):
        # A provider may send back more than the protocol says.
        if operation["operationId"] == "complete_single_sign_on":
            continue
        # SDKs of all ages add what they like.
        if path.startswith(("/v1/", "/api/{project_id}/", "/api/embed/")):
            continue
        address = path.replace("{slug}", "web-shop").replace("{", "").replace("}", "")
        code = api.error(400, method, f"{address}?nonsense=1", headers=api.key)
        assert code == "invalid_parameter", path


def test_what_is_declared_by_a_dependency_is_known(api: Api) -> None:
    for given in ("format=csv", "period=7d", "browser=Firefox", "device=", "", "&"):
        assert api.error(503, "GET", f"{PAGES}?{given}", headers=api.key) == "warehouse_unavailable"

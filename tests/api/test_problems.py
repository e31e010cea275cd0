import logging

import pytest
from starlette.types import Message, Scope

from errata.errors import ErrataError, RateLimited
from errata.state.errors import StateUnavailable
from errata.warehouse.client import NoAnswerInTime, QueryFailed, WarehouseUnavailable
from tests.api.conftest import Api


@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/nothing", "/api/projects/", "/api/health/x", "/favicon.ico"]
)
def test_an_unknown_address_is_not_found(api: Api, path: str) -> None:
    assert api.error(404, "GET", path) == "not_found"


def test_a_wrong_method_is_told_all_the_right_ones(api: Api) -> None:
    assert api.error(405, "PUT", "/api/projects") == "method_not_allowed"
    assert api.client.put("/api/projects").headers["Allow"] == "GET, POST"
    assert api.client.get("/api/ingest").headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'"x"', b"{}", b'{"name": 7}', b'{"name": "\\ud800"}', b"\xff", b"[" * 5000],
)
def test_a_body_that_cannot_be_used_is_an_invalid_parameter(api: Api, content: bytes) -> None:
    headers = {**api.key, "Content-Type": "application/json"}
    assert api.error(400, "POST", "/api/projects", content=content, headers=headers) == "invalid_parameter"


def test_the_message_names_the_parameter_and_not_its_value(api: Api) -> None:
    message = api.client.get("/api/activity?limit=secret", headers=api.key).json()["message"]
    assert message.startswith("limit: ") and "secret" not in message


def test_a_body_that_is_not_json_is_told_what_is_needed(api: Api) -> None:
    form = api.client.post("/api/projects", data={"name": "x"}, headers=api.key).json()
    broken = api.client.post(
        "/api/projects", content=b"{", headers={**api.key, "Content-Type": "application/json"}
    ).json()
    assert form["message"] == broken["message"]
    assert form["message"] == "body: send a JSON object with Content-Type: application/json"
    nested = api.client.post("/api/projects", json={"name": "x" * 201}, headers=api.key).json()
    assert nested["message"].startswith("name: ")


def test_a_body_over_the_limit_is_too_large_announced_or_not(api: Api) -> None:
    large = b'{"name": "' + b"x" * (1 << 20) + b'"}'
    headers = {**api.key, "Content-Type": "application/json"}
    assert api.error(413, "POST", "/api/projects", content=large, headers=headers) == "too_large"
    pieces = (large[start : start + 65536] for start in range(0, len(large), 65536))
    assert api.error(413, "POST", "/api/projects", content=pieces, headers=headers) == "too_large"


def test_a_request_id_is_the_clients_own_where_it_is_harmless(api: Api) -> None:
    def answered(sent: str) -> str:
        return str(api.client.get("/api/nothing", headers={"X-Request-Id": sent}).headers["X-Request-Id"])

    assert answered("a-1B") == "a-1B"
    for harmful in ("", "a b", "x" * 65, "a\tb", "<script>", "ASIA" + "N5XDLT6NJQMMLKSF"):
        assert answered(harmful) != harmful


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (QueryFailed("select secret from somewhere", 60), 500, "internal_error"),
        (WarehouseUnavailable("10.0.0.7:8123", "select secret"), 503, "warehouse_unavailable"),
        (StateUnavailable("/var/lib/secret.db is locked"), 503, "state_unavailable"),
        (NoAnswerInTime("Timeout exceeded: select secret", 159), 504, "no_answer_in_time"),
        (RuntimeError("secret"), 500, "internal_error"),
        (ErrataError("secret"), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_a_failure_of_ours_is_logged_and_counted_and_tells_nothing(
    api: Api, caplog: pytest.LogCaptureFixture, error: Exception, status: int, code: str
) -> None:
    def fail() -> None:
        raise error

    api.app.add_api_route("/api/fail", fail)
    with caplog.at_level(logging.WARNING):
        answer = api.client.get("/api/fail")
        assert api.error(status, "GET", "/api/fail") == code
    assert "secret" not in answer.text and "10.0.0.7" not in answer.text
    logged = [record for record in caplog.records if answer.json()["request_id"] in record.getMessage()]
    assert len(logged) == 1 and "secret" in caplog.text
    assert (logged[0].exc_info is not None) == (status == 500)
    assert sum(api.app.state.problem_counters.by_code.values()) == 2
    assert ("Retry-After" in answer.headers) == (status in (503, 504))


def test_who_is_limited_is_told_how_long_to_wait(api: Api) -> None:
    def fail() -> None:
        raise RateLimited(17, shown_at="/settings/limits")

    api.app.add_api_route("/api/fail", fail)
    assert api.error(429, "GET", "/api/fail") == "rate_limited"
    answer = api.client.get("/api/fail")
    assert answer.headers["Retry-After"] == "17"
    assert answer.json()["message"].startswith("Rate Limited")


def test_a_method_is_told_by_the_path_that_says_most(api: Api) -> None:
    project = "/api/projects/web-shop"
    for path, allowed in (
        (f"{project}/app-keys/regenerate", "POST"),
        (f"{project}/alert-rules/backtest", "POST"),
        (f"{project}/searches/completions", "GET"),
        (f"/api/issues/{'0' * 16}/activity", "GET"),
        (f"/api/issues/{'0' * 16}/resolve", "POST"),
        (f"{project}/alert-rules/{'0' * 32}", "DELETE, GET, PUT"),
    ):
        for method in ("DELETE", "PATCH", "POST", "GET", "OPTIONS"):
            if method not in allowed:
                assert api.error(405, method, path, headers=api.key) == "method_not_allowed"
                assert api.client.request(method, path).headers["Allow"] == allowed


def test_a_client_that_leaves_in_its_body_is_no_failure_of_ours(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    bodies = [
        (method.upper(), path)
        for path, methods in api.app.openapi()["paths"].items()
        for method, operation in methods.items()
        if "requestBody" in operation
    ]
    assert len(bodies) > 40
    for method, path in bodies:
        sent = _sent_to_who_leaves(api, method, path.replace("{", "").replace("}", ""))
        # Some addresses are refused before the body is read.
        assert all(400 <= message.get("status", 400) < 500 for message in sent), (method, path)
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


def _sent_to_who_leaves(api: Api, method: str, path: str) -> list[Message]:
    """What is sent to a client that leaves after the first bytes of its body."""
    began: Message = {"type": "http.request", "body": b'{"e', "more_body": True}
    received, sent = iter([began]), list[Message]()
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"authorization", api.key["Authorization"].encode()),
            (b"x-errata-app-key", api.account.app_key.encode()),
            (b"content-type", b"application/json"),
            (b"content-length", b"90000"),
        ],
        "client": ("203.0.113.7", 50000),
        "server": ("localhost", 80),
        "scheme": "http",
    }

    async def receive() -> Message:
        return next(received, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        sent.append(message)

    assert api.client.portal is not None
    api.client.portal.call(api.app, scope, receive, send)
    return sent

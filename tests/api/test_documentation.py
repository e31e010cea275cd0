import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.ingest.names import FEW
from api.ingest.rate import LineRate
from api.reference import operations
from api.settings import ApiSettings
from api.slots import AT_ONCE, AT_ONCE_A_CALLER
from errata.errors import RateLimited
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Api, Prepared

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"`(GET|PUT|POST|DELETE|PATCH) (…?)(/[^\s`]*)`")
OPEN = {
    "health",
    "sign_in",
    "sign_out",
    "use_one_time_link",
    "forgot_password",
    "begin_single_sign_on",
    "complete_single_sign_on",
    # Their keys are those of Sentry's protocol.
    "take_envelope",
    "take_event",
    "take_traces",
    "get_check_in",
    "get_check_in_with_key",
    "post_check_in",
    "post_check_in_with_key",
    "take_logs",
    "error_page_dialog",
    "take_report",
    "refuse_minidump",
    "metrics",
}


def schema_of(api: Api) -> dict[str, Any]:
    schema: dict[str, Any] = api.client.get("/api/openapi.json").json()
    return schema


def test_every_operation_declares_its_failures_in_the_one_shape(api: Api) -> None:
    for path, method, operation in operations(schema_of(api)):
        name, declared = f"{method} {path}", operation["responses"]
        assert "HTTPValidationError" not in str(declared), name
        assert "400" in declared, name
        if operation["operationId"] not in OPEN:
            assert "401" in declared, name
        if "{slug}" in path:
            assert "404" in declared, name
        for status, response in declared.items():
            # OpenTelemetry prescribes a shape of its own.
            if status >= "400" and path != "/api/health" and not path.startswith("/v1/"):
                reference = response["content"]["application/json"]["schema"]["$ref"]
                assert reference.rpartition("/")[2] in {"Problem", "NotVerified"}, f"{name} {status}"


@pytest.mark.slow
def test_what_is_answered_to_the_ill_prepared_is_declared(api: Api) -> None:
    """Each operation with no key, with an unknown project, with nonsense as parameters and as body."""
    for path, method, operation in operations(schema_of(api)):
        address = re.sub(r"\{[^}]*\}", "7", path)
        nonsense = "&".join(
            f"{parameter['name']}=%00nonsense"
            for parameter in operation.get("parameters", [])
            if parameter["in"] == "query"
        )
        for headers in ({}, api.key):
            for content in (b"", b"nonsense", b"{}"):
                sent = {**headers, "Content-Type": "application/json"}
                for query in ("", f"?{nonsense}"):
                    answer = api.client.request(method, address + query, headers=sent, content=content)
                    said = (
                        f"{method} {path}{query} {list(sent)} {content!r}: {answer.status_code} {answer.text}"
                    )
                    assert str(answer.status_code) in operation["responses"], said


def test_the_addresses_in_documents_are_those_of_the_api(api: Api) -> None:
    """Those written with their method; `…/delivery/hosts` stands for an address that ends so."""
    known = {(method.upper(), shape_of(path)) for path, method, _ in operations(schema_of(api))}
    unknown = set()
    for document in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for method, dots, path in ADDRESS.findall(document.read_text()):
            shape = shape_of(path)
            if not any(is_same(shape, one, bool(dots)) for of, one in known if of == method):
                unknown.add(f"{document.name}: {method} {dots}{path}")
    # An endpoint that a budget is for.
    assert unknown == {"budgets.md: POST /orders/*"}


def shape_of(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path.partition("?")[0])


def is_same(told: str, known: str, is_end: bool) -> bool:
    """A name in the place of a parameter is an example."""
    pattern = re.escape(known).replace(r"\{\}", r"(?:\{\}|[\w:.-]+)")
    return bool(re.fullmatch(f".*{re.escape(told)}" if is_end else pattern, known if is_end else told))


def test_every_operation_is_named_and_said_in_words(api: Api) -> None:
    names = [operation["operationId"] for _, _, operation in operations(schema_of(api))]
    assert len(names) == len(set(names))
    for path, method, operation in operations(schema_of(api)):
        assert operation.get("summary"), f"{method} {path}"


def test_the_documentation_page_needs_no_script_and_no_other_host(api: Api) -> None:
    answer = api.client.get("/api/docs")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script|src=|@import|href=\"(?!#|/api/)", answer.text)
    for path, _, _ in operations(schema_of(api)):
        assert path in answer.text
    assert api.client.get("/api/docs.css").headers["Content-Type"].startswith("text/css")


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json"])
def test_the_ready_made_pages_are_off(api: Api, path: str) -> None:
    assert api.error(404, "GET", path) == "not_found"


def test_the_limits_stand_where_a_refusal_says_they_do(store: Store, prepared: Prepared) -> None:
    away = Warehouse(NOWHERE)
    settings = ApiSettings(lines_per_minute=54_321, lines_max=1_234, answer_seconds=7.5, names_per_day=4_321)
    with TestClient(create_app(settings, store, away, away)) as client:
        with pytest.raises(RateLimited) as refused:
            rate = LineRate(store.token_buckets, 1)
            rate.take(1, 1)
            rate.take(1, 1)
        place = re.search(r"limits at (/\S+)", str(refused.value))
        assert place is not None
        address, _, anchor = place[1].partition("#")
        page = client.get(address).text
        shown = page[page.index(f'id="{anchor}"') :].partition("</section>")[0]
        assert "54,321" in shown and "ERRATA_API_LINES_PER_MINUTE" in shown and "1,234" in shown
        assert "ERRATA_API_NAMES_PER_DAY" in shown and "4,321" in shown
        assert "ERRATA_API_ANSWER_SECONDS" in shown and "7.5" in shown
        told = client.get("/api/openapi.json").json()["info"]["x-limits"]
    assert {
        "lines_per_minute": 54_321,
        "lines_max": 1_234,
        "names_per_day": 4_321,
        "releases_per_day": settings.releases_per_day,
        "environments_per_day": settings.environments_per_day,
        "tag_keys_per_day": settings.tag_keys_per_day,
        "names_of_few_kinds_per_day": FEW,
        "answer_seconds": 7.5,
        "requests_at_once": AT_ONCE,
        "requests_at_once_a_caller": AT_ONCE_A_CALLER,
        "sign_in_attempts": 10,
        "sign_in_attempts_of_strangers": 100,
    }.items() <= {limit["name"]: limit["value"] for limit in told}.items()

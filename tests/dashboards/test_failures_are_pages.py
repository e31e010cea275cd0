"""A person is never shown JSON: whatever fails in a browser is a page, below /api too."""

import re

import pytest
from starlette.testclient import TestClient

from tests.authorization_table import ROUTES, Level
from tests.dashboards.conftest import Site

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
ADDRESSES = [
    (method, re.sub(r"\{[^}]*\}", "shop" if "{slug}" in path else "7", path))
    for level, listed in ROUTES.items()
    for method, path in (line.split() for line in listed.split("\n") if line.strip())
    # Exporters of OpenTelemetry read a status in the form of their request, and agents one of JSON-RPC.
    if level is not Level.SDK and path != "/mcp"
]


def failing(client: TestClient, addresses: list[tuple[str, str]]) -> dict[str, set[str]]:
    """The content types of failing responses to a browser, with the requests that got each."""
    found: dict[str, set[str]] = {}
    for method, path in addresses:
        answer = client.request(method, path, headers=BROWSER, content=b"", follow_redirects=False)
        if answer.status_code >= 400 and method != "HEAD" and path != "/api/health":
            kind = answer.headers["Content-Type"].partition(";")[0]
            found.setdefault(kind, set()).add(f"{method} {path} {answer.status_code}")
    return found


def test_failing_responses_to_a_browser_are_pages(site: Site) -> None:
    found = failing(site.client, ADDRESSES[::9])
    assert set(found) == {"text/html"}, found
    assert len(found["text/html"]) > 15


@pytest.mark.slow
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_the_failing_response_of_every_route_to_a_browser_is_a_page(site: Site, is_signed_in: bool) -> None:
    found = failing(site.sign_in() if is_signed_in else site.client, ADDRESSES)
    assert set(found) == {"text/html"}, found
    assert len(found["text/html"]) > 100


def test_an_address_with_a_slash_at_its_end_leads_to_the_page(site: Site) -> None:
    client = site.sign_in()
    for path, target in (
        ("/projects/shop/", "/projects/shop"),
        (
            "/projects/shop/issues/?query=a%20b&status=resolved",
            "/projects/shop/issues?query=a%20b&status=resolved",
        ),
        ("/projects//", "/projects"),
        ("//evil.example/", "/evil.example"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
        ("//evil.example%2F..//", "/evil.example/.."),
        ("/docs/", "/docs"),
    ):
        answer = client.get(f"http://testserver{path}", follow_redirects=False)
        assert (answer.status_code, answer.headers.get("location")) == (308, target), path
    for path in ("/static/none/", "/api/none/", "/projects/none", "/%2F"):
        assert client.get(f"http://testserver{path}", follow_redirects=False).status_code == 404, path
    assert client.post("/projects/shop/", follow_redirects=False).status_code in (403, 404, 405)
    assert "<h1>Page not found</h1>" in client.get("/nothing/").text


def test_programs_and_scripts_are_answered_in_json(site: Site) -> None:
    client = site.sign_in()
    answer = client.get("/api/projects/shop/performance/report", headers={"Accept": "*/*"})
    assert (answer.status_code, answer.json()["error"]) == (503, "warehouse_unavailable")


def test_a_page_of_a_failing_download_says_what_failed(site: Site) -> None:
    answer = site.sign_in().get("/api/projects/none/performance/report", headers=BROWSER)
    assert answer.status_code == 404
    assert answer.headers["X-Request-Id"] in answer.text
    assert "<h1>Page not found</h1>" in answer.text
    assert "Try again" not in answer.text


def test_an_unforeseen_failure_is_a_page_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("boom")

    client = site.sign_in()
    monkeypatch.setattr(site.store.budgets, "of_project", fails)
    answer = client.get("/api/projects/shop/performance/budgets", headers=BROWSER)
    assert answer.status_code == 500
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "boom" not in answer.text

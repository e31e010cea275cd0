"""A report asked for on a page is waited for on a page, whatever it takes."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from itertools import cycle

import httpx2
import pytest
from starlette.testclient import TestClient

from errata.state import Store
from errata.warehouse.roles import Role
from tests.dashboards.conftest import Site
from tests.dashboards.test_failures_are_pages import BROWSER
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.web_process import web

HERE = "/projects/shop/performance/reports"
REFRESH = re.compile(r'http-equiv="refresh" content="(\d);url=([^"]+)"')


def waited(client: TestClient | httpx2.Client, address: str, pause: float = 0.02) -> tuple[str, bytes]:
    """The type and content of what a browser gets in the end, by following refreshes."""
    until = time.monotonic() + 240
    while time.monotonic() < until:
        answer = client.get(address, headers=BROWSER)
        found = (
            REFRESH.search(answer.text) if answer.headers["Content-Type"].startswith("text/html") else None
        )
        if found is None or "Content-Disposition" in answer.headers:
            return answer.headers["Content-Type"].partition(";")[0], answer.content
        assert answer.status_code == 200
        address = unescape(found[2])
        time.sleep(pause)
    raise AssertionError(f"{address} never ended")


def test_a_report_without_data_is_waited_for_and_downloaded(live_site: Site) -> None:
    client = live_site.sign_in()
    page = client.get(HERE).text
    week = re.search(r'<option value="(\d{4}-W\d\d)">', page)
    assert week and f'<form action="{HERE}/file" class="report-form">' in page
    kind, content = waited(client, f"{HERE}/file?week={week[1]}&format=html")
    assert kind == "text/html" and b"Shop: week" in content


@pytest.mark.parametrize(("asked", "status"), [("week=2026-W99", 400), ("version=none", 404)])
def test_a_report_that_cannot_be_made_is_told_on_a_page(live_site: Site, asked: str, status: int) -> None:
    client = live_site.sign_in()
    until = time.monotonic() + 60
    while (answer := client.get(f"{HERE}/file?{asked}", headers=BROWSER)).status_code == 200:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert answer.status_code == status
    assert 'class="status-number"' in answer.text


def test_a_server_without_a_printer_says_what_to_install(
    live_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.reports.printing.find_spec", lambda name: None)
    kind, content = waited(live_site.sign_in(), f"{HERE}/file?period=7d&format=pdf")
    assert kind == "text/html"
    assert b"<h1>Not installed</h1>" in content and b"pip install weasyprint" in content


@pytest.mark.slow
@pytest.mark.timeout(280)
def test_sixteen_reports_at_once_all_arrive_as_pdf(live_site: Site, warehouse: WarehouseProcess) -> None:
    pytest.importorskip("weasyprint")
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    client = live_site.sign_in()
    addresses = [f"{HERE}/file?period={days}d&format=pdf" for days in range(1, 17)]
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda address: waited(client, address, 0.5), addresses))
    assert [kind for kind, _ in found] == ["application/pdf"] * 16
    assert all(content.startswith(b"%PDF") for _, content in found)


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_reports_arrive_where_each_request_of_a_wait_goes_to_another_process(
    store: Store, state_url: str, warehouse: WarehouseProcess
) -> None:
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@shop.example")
    settings = {
        "ERRATA_WAREHOUSE_URL": warehouse.url(Role.INGEST),
        "ERRATA_WAREHOUSE_READ_URL": warehouse.url(Role.READ),
        "ERRATA_STATE_URL": state_url,
        "ERRATA_SECRET": "s" * 32,
        "ERRATA_BUILDS": "false",
    }
    with web(settings) as first, web(settings) as second:
        nodes = cycle([first, second])
        asked: list[str] = []

        def at_next_node(request: httpx2.Request) -> None:
            request.url = httpx2.URL(next(nodes)).join(request.url.raw_path.decode())
            asked.append(str(request.url))

        with httpx2.Client(base_url=first, timeout=60) as client:
            fields = {"email": account.email, "password": account.password, "next": "/projects"}
            assert client.post("/api/auth/sign-in", data=fields).status_code == 303
            client.event_hooks["request"] = [at_next_node]
            for number in range(1, 9):
                kind, content = waited(client, f"{HERE}/file?period={number}d&format=html", 0.1)
                assert kind == "text/html" and b"Performance of Shop" in content
        assert {address[: len(first)] for address in asked} == {first, second}

"""A user whose pages hang waits alone: others get theirs, and deliveries are stored."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import api.app
from api.settings import ApiSettings
from api.slots import AT_ONCE, AT_ONCE_A_CALLER
from dashboards.app import create_app
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.dashboards.conftest import Site
from tests.processes import WarehouseProcess

SECONDS = 3.0
HANGING = "/projects/shop/performance"
# Of the account store alone.
OTHER = "/projects/shop/settings"


@pytest.fixture
def silent() -> Iterator[str]:
    """A warehouse that gives a sign of life, and answers no question until it is gone."""
    with ExitStack() as opened:
        server = opened.enter_context(socket.create_server(("127.0.0.1", 0)))

        def take() -> None:
            while True:
                try:
                    connection = opened.enter_context(server.accept()[0])
                except OSError:
                    return
                if connection.recv(4096).startswith(b"GET /ping "):
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nOk.\n"
                    )

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.fixture
def hanging_site(tmp_path: Path, warehouse: WarehouseProcess, silent: str) -> Iterator[Site]:
    """Deliveries reach a real warehouse, pages one that hangs."""
    store = Store.open(f"sqlite:///{tmp_path}/state.db", b"s" * 32)
    store.migrate()
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@shop.example")
    ingest, read = warehouse.client(Role.INGEST), Warehouse(silent, timeout_seconds=8)
    settings = ApiSettings(answer_seconds=SECONDS)
    mounted = api.app.create_app(settings, store, ingest, read, base_url="http://testserver")
    with TestClient(create_app(mounted), raise_server_exceptions=False) as client:
        yield Site(client, store, account)
    ingest.close()
    read.close()
    store.close()


def another(site: Site, address: str) -> TestClient:
    """A user of the same service from another address, signed in with a session of their own."""
    client = TestClient(site.client.app, client=(address, 1), raise_server_exceptions=False)
    client.portal = site.client.portal
    return Site(client, site.store, site.account).sign_in()


@pytest.mark.slow
def test_a_page_that_hangs_is_answered_and_keeps_nobody_else_waiting(hanging_site: Site) -> None:
    client, other = hanging_site.sign_in(), another(hanging_site, "192.0.2.7")

    def taken(path: str, user: TestClient = client) -> tuple[int, float]:
        began = time.monotonic()
        return user.get(path).status_code, time.monotonic() - began

    with ThreadPoolExecutor(AT_ONCE) as pool:
        pages = [pool.submit(taken, HANGING) for _ in range(50)]
        time.sleep(0.3)
        status, seconds = taken(OTHER, other)
        assert status == 200
        assert seconds < SECONDS
        began = time.monotonic()
        hanging_site.deliver([b'{"type": "event", "payload": {"message": "it broke"}}'])
        assert time.monotonic() - began < SECONDS
        answers = [page.result() for page in pages]
    assert {status for status, _ in answers} == {504, 429}
    # The page that followed the sign-in may hang, too.
    assert sum(status == 504 for status, _ in answers) in (AT_ONCE_A_CALLER - 1, AT_ONCE_A_CALLER)
    # Under load of other tests an answer may come late, but never only when the warehouse gives up.
    assert max(seconds for _, seconds in answers) < SECONDS + 4


@pytest.mark.slow
def test_the_answers_say_what_to_do(hanging_site: Site) -> None:
    client = hanging_site.sign_in()
    with ThreadPoolExecutor(2 * AT_ONCE_A_CALLER) as pool:
        pages = list(pool.map(lambda _: client.get(HANGING), range(2 * AT_ONCE_A_CALLER)))
    by_status = {page.status_code: page for page in pages}
    assert "Try again in a minute" in by_status[504].text
    assert "Wait for them to finish, then reload." in by_status[429].text
    assert by_status[429].headers["Retry-After"]
    assert all("X-Request-Id" in page.headers for page in pages)


@pytest.mark.slow
def test_the_api_answers_in_its_own_shape(hanging_site: Site) -> None:
    key = {"Authorization": f"Bearer {hanging_site.account.api_key}"}
    path = "/api/projects/shop/performance/pages"
    with ThreadPoolExecutor(2 * AT_ONCE_A_CALLER) as pool:
        answers = list(
            pool.map(lambda _: hanging_site.client.get(path, headers=key), range(2 * AT_ONCE_A_CALLER))
        )
    errors = {answer.json()["error"] for answer in answers}
    assert errors == {"no_answer_in_time", "too_many_at_once"}
    assert all(answer.json()["request_id"] for answer in answers)


@pytest.mark.slow
def test_places_are_free_again_when_the_work_ends(hanging_site: Site) -> None:
    client = hanging_site.sign_in()
    with ThreadPoolExecutor(AT_ONCE_A_CALLER) as pool:
        assert set(pool.map(lambda _: client.get(HANGING).status_code, range(6))) <= {504, 429}
    deadline = time.monotonic() + 30
    while client.get(OTHER).status_code != 200:
        assert time.monotonic() < deadline
    assert client.get(OTHER).status_code == 200


def test_a_body_that_is_too_large_is_still_refused_where_it_is_read(site: Site) -> None:
    key = {"Authorization": f"Bearer {site.account.api_key}"}
    answer = site.client.post("/api/projects", headers=key, content=b" " * (2 << 20))
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")

"""Deliveries over HTTP while one server of a pair is killed, by the web process as an operator runs it."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx2
import pytest

from errata.state import Store
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.bare_server import BareServer, MigratedServer, migrated_server
from tests.web_process import web

SENDERS = 3
HALF_SECONDS = 4
SECRET = "s" * 40


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[MigratedServer]]:
    started = [migrated_server(tmp_path / name) for name in ("first", "second")]
    for server in started:
        admin = server.client(Role.ADMIN)
        migrate(admin)
        admin.close()
    yield started
    for server in started:
        server.process.kill()
        server.process.wait()


def settings_of(servers: list[MigratedServer], state_url: str) -> dict[str, str]:
    other = f"127.0.0.1:{servers[1].port}"
    return {
        "ERRATA_WAREHOUSE_URL": f"{servers[0].url(Role.INGEST)},{other}",
        "ERRATA_WAREHOUSE_READ_URL": f"{servers[0].url(Role.READ)},{other}",
        "ERRATA_STATE_URL": state_url,
        "ERRATA_SECRET": SECRET,
        "ERRATA_BUILDS": "false",
    }


def an_event(app_key: str, message: str) -> bytes:
    payload = {
        "platform": "python",
        "exception": {"values": [{"type": "PayError", "value": message}]},
    }
    return json.dumps({"app_key": app_key, "type": "event", "payload": payload}).encode()


def messages(server: MigratedServer) -> list[str]:
    admin = server.client(Role.ADMIN)
    rows = admin.rows("select message from errata_raw.error_events order by message")
    admin.close()
    return [row["message"] for row in rows]


@pytest.mark.slow
def test_deliveries_are_accepted_while_a_server_is_killed(
    servers: list[MigratedServer], tmp_path: Path
) -> None:
    state_url = f"sqlite:///{tmp_path / 'state.db'}"
    store = Store.open(state_url, SECRET.encode())
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    store.close()
    headers = {"Authorization": f"Bearer {account.api_key}"}

    with web(settings_of(servers, state_url)) as address, httpx2.Client(timeout=30) as client:
        is_over, accepted = Event(), list[str]()

        def wait_for_more() -> None:
            """Half of the time, and on a busy machine until each server has been delivered to."""
            deadline, count = time.monotonic() + 60, len(accepted)
            time.sleep(HALF_SECONDS)
            while len(accepted) <= count + 10 + SENDERS:
                assert time.monotonic() < deadline
                time.sleep(0.05)

        def deliver(sender: int) -> tuple[Counter[int], float]:
            statuses, longest = Counter[int](), 0.0
            while not is_over.is_set():
                began = time.monotonic()
                message = f"failed {sender}-{sum(statuses.values())}"
                answer = client.post(
                    f"{address}/api/ingest", content=an_event(account.app_key, message), headers=headers
                )
                statuses[answer.status_code] += 1
                longest = max(longest, time.monotonic() - began)
                if answer.status_code == 200:
                    accepted.append(message)
            return statuses, longest

        def watch_health() -> Counter[tuple[int, str]]:
            seen = Counter[tuple[int, str]]()
            while not is_over.is_set():
                answer = client.get(f"{address}/api/health")
                seen[answer.status_code, answer.json()["checks"]["warehouse"]] += 1
                time.sleep(0.05)
            return seen

        with ThreadPoolExecutor(SENDERS + 1) as threads:
            delivering, watching = threads.map(deliver, range(SENDERS)), threads.submit(watch_health)
            try:
                wait_for_more()
                servers[0].process.kill()
                wait_for_more()
            finally:
                is_over.set()
            results = list(delivering)
        statuses = sum((each[0] for each in results), Counter())
        assert set(statuses) == {200}, statuses
        assert set(watching.result()) == {(200, "ok")}, watching.result()
        assert max(each[1] for each in results) < 5

        # Nobody is left: refused as by one server that is away.
        servers[1].process.kill()
        refused = client.post(
            f"{address}/api/ingest", content=an_event(account.app_key, "x"), headers=headers
        )
        assert refused.status_code == 503 and refused.headers["Retry-After"], refused.text
        assert client.get(f"{address}/api/health").status_code == 503
        for server in servers:
            server.process.wait()
        servers[0].process = BareServer(servers[0].directory, servers[0].port).start()
        deadline = time.monotonic() + 20
        while client.get(f"{address}/api/health").status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        back = client.post(f"{address}/api/ingest", content=an_event(account.app_key, "z"), headers=headers)
        assert back.status_code == 200, back.text

    servers[1].process = BareServer(servers[1].directory, servers[1].port).start()
    first, second = map(messages, servers)
    assert first.pop() == "z" and len(first) > 10 and len(second) > 10
    assert sorted({*first, *second}) == sorted(accepted)
    assert len(set(first)) == len(first) and len(set(second)) == len(second)
    # An insert of several deliveries whose answer the kill took: servers that replicate know its token.
    assert len(set(first) & set(second)) <= SENDERS

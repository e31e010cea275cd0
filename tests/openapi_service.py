"""The whole API on a free port with something of every kind to address, and requests made from its schema."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import urllib3
import uvicorn

from api.app import create_app
from api.authentication import CSRF_HEADER
from api.settings import ApiSettings
from errata.outgoing.connection import Deadline
from errata.outgoing.errors import NotReached
from errata.reports.past_report import past_weeks, week_name
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.roles import Role
from tests.captures import browser_items, moved, payloads
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess, free_port
from tests.tracker_server import TOKEN, TrackerServer, allowing_loopback, running_tracker

# Of what requests may delete there are as many.
OF_EACH = 6
Values = Sequence[str | int]
Headers = Mapping[str, str]


@dataclass(frozen=True)
class OpenApiService:
    """`known` are values of parameters that lead to something, by operation-independent name. Asked by either
    headers: some operations are for a program with the API key or a person, some only for a person."""

    address: str
    by_key: Headers
    by_session: Headers
    known: Mapping[str, Values]


class _Client:
    def __init__(self, address: str, account: FirstAccount) -> None:
        self._address = address
        self._app_key = account.app_key
        self._pool = urllib3.PoolManager()
        self.by_key = {"Authorization": f"Bearer {account.api_key}"}
        self.by_session = self._signed_in(account)

    def _signed_in(self, account: FirstAccount) -> Headers:
        answer = self._pool.request(
            "POST",
            f"{self._address}/api/auth/sign-in",
            json={"email": account.email, "password": account.password},
        )
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        return {"Cookie": cookie, CSRF_HEADER: answer.json()["csrf_token"]}

    def ask(self, method: str, path: str, body: Any = None, headers: Headers | None = None) -> Any:
        sent: dict[str, Any] = {} if body is None else {"json": body}
        answer = self._pool.request(method, self._address + path, headers=headers or self.by_key, **sent)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.data[:500]!r}"
        return answer.json() if answer.data else None

    def deliver(self, lines: Sequence[bytes]) -> None:
        answer = self._pool.request(
            "POST",
            f"{self._address}/api/ingest",
            headers={**self.by_key, "X-Errata-App-Key": self._app_key},
            body=b"\n".join(lines),
        )
        assert answer.status == 200 and not answer.json()["rejected"], answer.data


@contextmanager
def serving_openapi(warehouse: WarehouseProcess, folder: Path) -> Iterator[OpenApiService]:
    """Reports are not printed here: a second each, and what they hold is tested elsewhere."""
    store = Store.open(f"sqlite:///{folder}/state.db", b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@shop.example")
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    app = create_app(ApiSettings(), store, ingest, read, outgoing=allowing_loopback())
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical", access_log=False))
    thread = threading.Thread(target=server.run)
    with (
        running_tracker() as tracker,
        patch("api.reports.pdf_of", lambda _: b"%PDF-1.7\n%%EOF\n"),
        patch("errata.outgoing.connection.resolved", _resolved),
    ):
        thread.start()
        try:
            while not server.started:
                time.sleep(0.02)
            address = f"http://127.0.0.1:{port}"
            client = _Client(address, account)
            yield OpenApiService(
                address, client.by_key, client.by_session, _filled(client, tracker, warehouse)
            )
        finally:
            server.should_exit = True
            thread.join()
            ingest.close()
            read.close()
            store.close()


def _filled(client: _Client, tracker: TrackerServer, warehouse: WarehouseProcess) -> dict[str, Values]:
    by = _since_capture()
    lines = [
        {"type": item.type, "payload": moved(item.payload, by), "headers": item.headers}
        for item in browser_items("v11")
        if item.type in ("transaction", "span")
    ][:120]
    lines += [{"type": "transaction", "payload": moved(one, by)} for one in payloads("python_transactions")][
        :40
    ]
    lines += [{"type": "event", "payload": moved(one, by)} for one in payloads("python_errors")][:60]
    client.deliver([json.dumps(line).encode() for line in lines])
    build_performance(warehouse)
    project = "/api/projects/shop"
    issues = [each["id"] for each in client.ask("GET", f"{project}/issues?limit=20")["issues"]]
    issue = f"/api/issues/{issues[0]}"
    events = [each["event_id"] for each in client.ask("GET", f"{issue}/events")["events"]]
    loads = client.ask("GET", f"{project}/performance/loads?page=%2Fcheckout")["loads"]
    several = range(OF_EACH)
    channel = {"kind": "webhook", "settings": {"url": f"{tracker.url}/hook"}}
    rule = {"kind": "new"}
    budget = {"metric": "load_ms", "statistic": "p75", "threshold": 2500}
    schedule = {"recipients": ["ada@shop.example"]}
    integration = {
        "kind": "github",
        "base_url": tracker.url,
        "target": "acme/shop",
        "token": TOKEN,
    }
    integrations = [client.ask("POST", f"{project}/integrations", integration)["id"] for _ in several]
    link = {"integration_id": integrations[-1]}

    def made(path: str, body: Mapping[str, Any], name: str = "id") -> list[str | int]:
        named = [{"name": f"N{number}", **body} for number in several]
        return [client.ask("POST", path, each)[name] for each in named]

    client.ask("PUT", f"{project}/grouping/draft", {"version": 2, "rules": ""})
    return {
        "slug": ["shop"],
        "issue_id": issues,
        "event_id": [str(UUID(each)) for each in events],
        "id": [each["view_id"] for each in loads],
        "question": ["page_metrics", "endpoint_metrics"],
        "version": ["shop-web@1.2.0"],
        "number": [1, 2],
        "week": _weeks(),
        "key_id": [
            client.ask("POST", f"{project}/app-keys", {"service": f"s{number}"})["id"] for number in several
        ],
        "links_of_issues": [client.ask("POST", f"{issue}/links", link)["id"] for _ in several],
        "share_links": [
            client.ask("POST", f"/api/issues/{each}/share-links", {})["id"] for each in issues[:OF_EACH]
        ],
        "integration_id": integrations,
        "channel_id": made("/api/alert-channels", channel),
        "rule_id": made(f"{project}/alert-rules", rule),
        "budget_id": made(f"{project}/performance/budgets", budget),
        "search_id": [
            client.ask("POST", f"{project}/searches", {"name": f"N{number}", "query": ""}, client.by_session)[
                "id"
            ]
            for number in several
        ],
        "schedule_id": made(f"{project}/performance/report-schedules", schedule),
    }


def _weeks() -> list[str]:
    """The only ones that there are reports of, and none."""
    return ["", *map(week_name, past_weeks(datetime.now(UTC).date(), 3))]


def _resolved(host: str, port: int, deadline: Deadline) -> list[str]:
    """No name is known: nobody else is asked, and nobody is waited for."""
    if host != "127.0.0.1":
        raise NotReached(host, "unknown host name")
    return [host]


def _since_capture() -> timedelta:
    captured = datetime.fromisoformat(next(payloads("python_errors"))["timestamp"].replace("Z", "+00:00"))
    return datetime.now(UTC) - timedelta(hours=1) - captured.replace(tzinfo=UTC)

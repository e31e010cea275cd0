"""What docs/security.md says of files, doors, headers and thieves, of a running service."""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import psutil
import pytest

from errata.warehouse.roles import Role
from tests import stored_files
from tests.cases import each
from tests.flow.test_backup import Person, broken_event, build, captured_lines, deliver
from tests.service import ROOT, Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# Of what the service keeps in plain text for its own use.
KEPT_PLAIN = ("secret", "credentials.json", "run/warehouse-passwords.json")
WEBHOOK_KEY = "whsec_" + "UGxhbnRlZE9mQVRlc3Rz" * 2
TOKEN_IN_EVENTS = "errata_api_" + "Planted0" * 5


@dataclass(frozen=True)
class Scenario:
    """`secrets`: every key and token of the service in use, by what it is."""

    service: Service
    person: Person
    secrets: Mapping[str, str]

    @property
    def base_url(self) -> str:
        url: str = self.service.credentials["base_url"]
        return url


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    with running("--no-pipelines") as service:
        person = Person(service)
        person.sign_in()
        known = service.credentials
        deliver(service, [*captured_lines(), *with_keys_inside(service, person)])
        build(service)
        issue = person.get(f"/api/projects/{known['project']}/issues")["issues"][0]["id"]
        person.post(f"/api/issues/{issue}/comments", {"text": "Seen"})
        channel = {"kind": "webhook", "name": "Ops", "settings": {"url": "https://example.org/hook"}}
        person.post("/api/alert-channels", {**channel, "secret": WEBHOOK_KEY})
        share = made(person, f"/api/issues/{issue}/share-links", {"expires": "7d"})["url"]
        invited = made(person, "/api/invitations", {"email": "bob@shop.example", "role": "viewer"})
        following = made(person, "/api/api-key/next", {})
        secrets = {
            "API key": known["api_key"],
            "next API key": following["api_key"],
            "application key": known["app_key"],
            "password": known["password"],
            "session": person.cookies["errata_session"],
            "public link": share.rpartition("/")[2],
            "one-time link": invited["url"].rpartition("/")[2],
            "key of a webhook": WEBHOOK_KEY,
            "key within an event": TOKEN_IN_EVENTS,
            "the secret": (service.directory / "secret").read_text().strip(),
        }
        yield Scenario(service, person, secrets)


def made(person: Person, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    with person.client as client:
        answer = client.post(path, json=body, headers={"X-CSRF-Token": person.token})
    assert answer.is_success, f"{path}: {answer.text}"
    found: dict[str, Any] = answer.json()
    return found


def with_keys_inside(service: Service, person: Person) -> list[dict[str, Any]]:
    """Applications send what they hold: keys of this service in a message, a header, a cookie and extra."""
    event = broken_event("5ec" + "0" * 29)
    session = person.cookies["errata_session"]
    event["payload"]["exception"]["values"][0]["value"] = f"refused: Authorization: Bearer {TOKEN_IN_EVENTS}"
    event["payload"]["request"] = {
        "url": "https://shop.example/",
        "headers": {"Authorization": f"Bearer {service.credentials['api_key']}"},
        "cookies": {"errata_session": session},
    }
    event["payload"]["extra"] = {"api_key": TOKEN_IN_EVENTS}
    return [event]


def test_no_key_or_token_is_in_any_file_of_the_service(scenario: Scenario) -> None:
    directory = scenario.service.directory
    plain = {directory / name for name in KEPT_PLAIN}
    found, read_count = [], 0
    for path, content in stored_files.contents(directory):
        if path not in plain:
            held = [what for what, secret in scenario.secrets.items() if secret.encode() in content]
            found += [(str(path.relative_to(directory)), what) for what in held]
            read_count += 1
    assert read_count > 100
    assert found == []


def test_no_key_or_token_is_in_any_row_of_the_warehouse(scenario: Scenario) -> None:
    """Files are compressed: the engine reads them."""
    warehouse = scenario.service.warehouse(Role.ADMIN)
    tables = warehouse.rows(
        "select concat(database, '.', name) as name, total_rows as row_count from system.tables "
        "where database like 'errata\\_%' and engine like '%MergeTree' order by name"
    )
    assert sum(row["row_count"] > 0 for row in tables) > 20
    found = []
    for table in tables:
        text = json.dumps(warehouse.rows(f"select toString(tuple(*)) as row from {table['name']}"))
        found += [(table["name"], what) for what, secret in scenario.secrets.items() if secret in text]
    # The search finds what is there.
    assert "Broken5ec0" in json.dumps(
        warehouse.rows("select toString(tuple(*)) as row from errata_raw.error_events")
    )
    warehouse.close()
    assert found == []


def test_files_are_their_owners_alone(scenario: Scenario) -> None:
    directory = scenario.service.directory
    statuses = list(stored_files.statuses(directory))
    open_to_others = [
        path for path, status in statuses if not stat.S_ISLNK(status.st_mode) and status.st_mode & 0o077
    ]
    assert open_to_others == []
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    for name in KEPT_PLAIN:
        assert stat.S_IMODE((directory / name).stat().st_mode) == 0o600, name
    assert {status.st_uid for _, status in statuses} == {os.getuid()}


def test_it_listens_on_this_machine_alone_and_reaches_nobody(scenario: Scenario) -> None:
    connections = [
        connection
        for members in scenario.service.processes().values()
        for process in members
        for connection in process.net_connections("inet")
    ]
    listening = {one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    assert {one.raddr.ip for one in connections if one.status == psutil.CONN_ESTABLISHED} <= {"127.0.0.1"}


@each("path", ["/sign-in", "/projects", "/api/health", "/api/docs", "/no-such-page", "/shared/x"])
def test_every_answer_has_the_headers(scenario: Scenario, path: str) -> None:
    headers = httpx2.get(scenario.base_url + path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'" and "unsafe" not in str(policy)
    assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
    assert "Referrer-Policy" in headers and "Cross-Origin-Opener-Policy" in headers
    assert "Access-Control-Allow-Origin" not in headers


def test_the_cookie_is_out_of_reach_and_a_change_needs_its_token(scenario: Scenario) -> None:
    known = {name: scenario.service.credentials[name] for name in ("email", "password")}
    answer = httpx2.post(f"{scenario.base_url}/api/auth/sign-in", json=known)
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "samesite=lax" in cookie.lower()
    with scenario.person.client as client:
        refused = client.post("/api/projects", json={"name": "X"})
    assert (refused.status_code, refused.json()["error"]) == (403, "csrf_failed")


def test_open_doors_are_those_of_the_page(scenario: Scenario) -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    table = page.partition("| open without a sign-in |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(/[^`]*)`", table))
    for path in named - {"/static"}:
        answer = httpx2.get(scenario.base_url + re.sub(r"\{[^}]+\}", "1", path), follow_redirects=False)
        # Redirects lead to the sign-in.
        at_sign_in = answer.headers.get("location", "").startswith("/sign-in")
        assert answer.status_code in (200, 404, 405, 410) or at_sign_in, path
    for path, operations in scenario.person.get("/api/openapi.json")["paths"].items():
        if "get" not in operations or path in named:
            continue
        asked = httpx2.get(scenario.base_url + re.sub(r"\{[^}]+\}", "1", path))
        assert asked.status_code in (401, 422), path

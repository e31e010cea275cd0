"""Who may read what was received and decided: a canary in each, every address that an owner's pages lead to,
every route, every kind of caller, over the real warehouse."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import Response
from pydantic import SecretStr

from api.jobs.alert_composition import compose
from api.jobs.failures import Failed
from errata.state import Store
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.firings import Found
from errata.state.alerts.rules import NewRule
from errata.state.integrations import NewIntegration
from errata.state.users import Role as Member
from errata.warehouse.roles import Role
from tests.api.conftest import SECRET
from tests.api.test_authorization import Service, serving
from tests.api.test_visible_fields import CALLERS, OWN, SLUGS, WHOLE, canary
from tests.authorization_table import LEVEL_OF, Level
from tests.captured_replays import captured_replays
from tests.captures import browser_items, moved, moved_to
from tests.cases import each
from tests.mart_builds import build_performance
from tests.people import joins
from tests.processes import WarehouseProcess
from tests.request_bodies import query_of

LINK = re.compile(r'="(/[^"]*)"')
# With credentials of their own.
OTHERS = (Level.SDK, Level.SCRAPER)
READING = [route for route, level in LEVEL_OF.items() if route.startswith("GET ") and level not in OTHERS]
PAGES = {
    path: re.compile(re.sub(r"\\{.*?\\}", "[^/]+", re.escape(path)))
    for path in (route.removeprefix("GET ") for route in READING)
    if not path.startswith("/api/")
}
RECEIVED = (
    *("type", "value", "transaction", "server", "function", "line", "variable", "tag", "tagname", "extra"),
    *("context", "header", "query", "body", "crumb", "user", "username", "module", "file", "logger"),
    *("release", "comment", "host", "log", "replay", "monitor", "record", "attribute"),
    *("message", "writer", "attachment"),
)
DECIDED = ("assignee", "note", "rule", "firing", "link")
OF_PAGES = ("page", "asset")
# Where an owner reads what needs no build; of what was decided each name is on its page, too.
TELLING = (
    *("/api/events/{event_id}", "/api/events/{event_id}/logs", "/api/events/{event_id}/attachments"),
    *("/api/issues/{issue_id}/activity", "/api/projects/{slug}/delivery"),
    *("/api/projects/{slug}/replays/{replay_id}", "/api/projects/{slug}/replays"),
    *("/api/projects/{slug}/monitors", "/api/projects/{slug}/feedback"),
)
TELLING_OF_DECISIONS = {
    "/api/projects/{slug}/issues": {"assignee"},
    "/api/issues/{issue_id}/activity": {"assignee", "comment"},
    "/projects/{slug}/issues/{issue_id}": {"assignee", "link"},
    "/api/projects/{slug}/annotations": {"note"},
    "/projects/{slug}/annotations": {"note"},
    "/api/projects/{slug}/alert-rules": {"rule"},
    "/api/projects/{slug}/alert-messages": {"firing"},
    "/projects/{slug}/alerts": {"rule", "firing"},
    "/projects/{slug}/alerts/{rule_id}": {"rule"},
    "/api/issues/{issue_id}/links": {"link"},
    "/api/notifications": {"rule", "firing"},
    "/account/notifications": {"rule", "firing"},
}
# They read one project each; a rule of the other mails them.
LIMITED = ("limited.viewer@example.org", "limited.member@example.org", "another.member@example.org")


def event(where: str) -> dict[str, Any]:
    def of(name: str) -> str:
        return canary(f"data.{name}", where)

    frame = {
        "filename": f"{of('file')}.py",
        "function": of("function"),
        "module": of("module"),
        "lineno": 7,
        "context_line": f"    {of('line')}()",
        "vars": {"name": of("variable")},
        "in_app": True,
    }
    return {
        "event_id": uuid4().hex,
        "timestamp": datetime.now(UTC).isoformat(),
        "platform": "python",
        "level": "error",
        "transaction": of("transaction"),
        "server_name": of("server"),
        "release": f"{of('release')}@1.0",
        "environment": "production",
        "logger": of("logger"),
        "exception": {
            "values": [{"type": of("type"), "value": of("value"), "stacktrace": {"frames": [frame]}}]
        },
        "user": {"id": of("user"), "username": of("username")},
        "tags": {"plan": of("tag"), of("tagname"): "x"},
        "extra": {"note": of("extra")},
        "contexts": {"cart": {"note": of("context")}},
        "request": {
            "url": f"https://shop.example/{of('query')}",
            "headers": {"X-Note": of("header")},
            "data": {"note": of("body")},
        },
        "breadcrumbs": {"values": [{"category": "x", "message": of("crumb")}]},
    }


def log_record(where: str) -> dict[str, Any]:
    attributes = {
        "server.address": canary("data.server", where),
        "sentry.environment": "production",
        "note": canary("data.attribute", where),
    }
    return {
        "timestamp": datetime.now(UTC).timestamp() - 1,
        "body": canary("data.record", where),
        "attributes": {name: {"value": value, "type": "string"} for name, value in attributes.items()},
    }


def lines(where: str) -> Iterator[bytes]:
    """An error with a file and a log record of its host, feedback, a check-in and a replay."""
    failed = event(where)
    yield json.dumps({"type": "event", "payload": failed}).encode()
    yield json.dumps({"type": "log", "payload": {"items": [log_record(where)]}}).encode()
    message = {"message": canary("data.message", where), "name": canary("data.writer", where)}
    yield json.dumps({"type": "feedback", "payload": {"contexts": {"feedback": message}}}).encode()
    headers = {"event_id": failed["event_id"], "filename": canary("data.attachment", where)}
    yield json.dumps({"type": "attachment", "headers": headers, "payload_b64": ""}).encode()
    run = {"monitor_slug": canary("data.monitor", where), "status": "ok"}
    yield json.dumps({"type": "check_in", "payload": run}).encode()
    shortest = min(captured_replays(datetime.now(UTC)), key=lambda one: len(one.events))
    for description in shortest.descriptions.values():
        description["urls"] = [f"https://shop.example/{canary('data.replay', where)}"]
    text = b"\n".join(shortest.lines())
    yield text.replace(shortest.replay_id.encode(), replay_id(where).encode())


def page_loads(where: str) -> Iterator[bytes]:
    by = moved_to(datetime.now(UTC)) - timedelta(minutes=10)
    page, asset = canary("data.page", where), canary("data.asset", where)
    loads = [item for item in browser_items("v11") if item.type in ("transaction", "span")][:60]
    for item in loads:
        line = {"type": item.type, "payload": moved(item.payload, by), "headers": item.headers}
        yield json.dumps(line).replace("/checkout", f"/{page}").replace("monitor-", f"{asset}-").encode()


def replay_id(where: str) -> str:
    return ("a" if where == OWN else "b") * 32


@dataclass(frozen=True)
class Recorded:
    service: Service
    of: Mapping[str, Mapping[str, str]]
    """What variables of paths are, by project."""
    app_keys: Mapping[str, str]

    def addresses(self, route: str) -> Mapping[str, str]:
        """Of a route that reads, by the project that it names: one address for each, or for none."""
        path = route.removeprefix("GET ").replace(":path}", "}")
        query = query_of(self.service.openapi, path, "GET")
        return {
            where if "{" in path else "": path.format(**{**self.service.values, **values}) + query
            for where, values in self.of.items()
        }

    def get(self, address: str, caller: str) -> Response:
        self.service.client.cookies.clear()
        return self.service.client.get(address, headers=self.service.callers[caller].headers)

    def linked(self) -> list[str]:
        """What links of an owner's pages lead to, for each parameter of each page once."""
        waiting, found = ["/projects/web-shop/issues"], list[str]()
        known: set[tuple[str, str]] = set()
        while waiting:
            address = unescape(waiting.pop()).partition("#")[0]
            if news := set(parts_of(address)) - known:
                known |= news
                found.append(address)
                answer = self.get(address, "a confirmed owner")
                if answer.headers.get("content-type", "").startswith("text/html"):
                    waiting += LINK.findall(answer.text)
        return found

    def seen(self, caller: str, addresses: Iterable[str]) -> dict[tuple[str, str], set[str]]:
        """Name and project of each canary that the caller is shown, with the addresses that show it."""
        found: dict[tuple[str, str], set[str]] = {}
        for address in addresses:
            for name, where in re.findall(r"cn-data-([a-z]+)-([a-z]+)-yq", self.get(address, caller).text):
                # What the address itself says is no news.
                if canary(f"data.{name}", where) not in address:
                    found.setdefault((name, where), set()).add(address)
        return found


def parts_of(address: str) -> Iterator[tuple[str, str]]:
    """The page with the name of each parameter."""
    path, _, query = address.partition("?")
    for page, pattern in PAGES.items():
        if pattern.fullmatch(path):
            yield from ((page, part.partition("=")[0]) for part in query.split("&"))
            return


@pytest.fixture(scope="module")
def recorded(
    warehouse_of_module: WarehouseProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recorded]:
    file = tmp_path_factory.mktemp("visible") / "state.db"
    clients = warehouse_of_module.client(Role.INGEST), warehouse_of_module.client(Role.READ)
    with serving(file, *clients) as service:
        with closing(Store.open(f"sqlite:///{file}", SECRET)) as store:
            keys = {where: app_key(store, slug) for where, slug in SLUGS.items()}
            for where, key in keys.items():
                deliver(service, where, key, lines(where))
            of = {where: decide(service, store, where) for where in SLUGS}
        yield Recorded(service, of, keys)
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def built(recorded: Recorded, warehouse_of_module: WarehouseProcess) -> Recorded:
    """With the marts, and a page load of each project."""
    for where, key in recorded.app_keys.items():
        deliver(recorded.service, where, key, page_loads(where))
    build_performance(warehouse_of_module)
    of = {}
    for where, values in recorded.of.items():
        path = f"/api/projects/{values['slug']}/performance/loads?page=/{canary('data.page', where)}"
        view_id = recorded.get(path, "the API key").json()["loads"][0]["view_id"]
        of[where] = {**values, "id": view_id, "view_id": view_id}
    return replace(recorded, of=of)


def app_key(store: Store, slug: str) -> str:
    return str(store.keys.app.create(1, slug, "deliveries", actor="test").key)


def deliver(service: Service, where: str, key: str, lines: Iterable[bytes]) -> None:
    source = f"host={canary('data.host', where)}; file={canary('data.log', where)}.log; id={'0' * 16}; to=9"
    headers = {
        **service.callers["the API key"].headers,
        "X-Errata-App-Key": key,
        "X-Errata-Source": source,
    }
    answer = service.client.post("/api/ingest", content=b"\n".join(lines), headers=headers)
    assert answer.status_code == 200 and not answer.json()["rejected"], answer.text


def decide(service: Service, store: Store, where: str) -> dict[str, str]:
    """Comments on the issue, assigns and links it, annotates charts and fires an alert; what was recorded, by
    the variables of paths."""
    key, slug = service.callers["the API key"].headers, SLUGS[where]
    [project_id] = [each.id for each in store.projects.of_organization(1) if each.slug == slug]

    def of(name: str) -> str:
        return canary(f"data.{name}", where)

    def asked(path: str, name: str) -> Any:
        return service.client.get(path, headers=key).json()[name]

    def change(path: str, **body: Any) -> None:
        owner = service.callers["a confirmed owner"]
        headers = {**owner.headers, "X-CSRF-Token": owner.csrf_token}
        answer = service.client.post(path, json=body, headers=headers)
        assert answer.status_code < 300, answer.text

    issues = asked(f"/api/projects/{slug}/issues", "issues")
    (issue_id,) = [each["id"] for each in issues if of("type") in str(each)]
    change(f"/api/issues/{issue_id}/comments", text=of("comment"))
    assignee = f"{of('assignee')}@example.org"
    joins(store, 1, assignee, Member.MEMBER, [project_id])
    assigned = {"action": "assign", "detail": {"assignee": assignee}}
    change(f"/api/projects/{slug}/issues/actions", ids=[issue_id], **assigned)
    at = datetime.now(UTC) - timedelta(hours=1)
    change(f"/api/projects/{slug}/annotations", text=of("note"), at=at.isoformat())
    link(store, project_id, issue_id, of("link"))
    [event_id] = [each["event_id"] for each in asked(f"/api/issues/{issue_id}/events", "events")]
    [attachment_id] = [each["id"] for each in asked(f"/api/events/{event_id}/attachments", "attachments")]
    user = asked(f"/api/projects/{slug}/users", "users")[0]["key"]
    return {
        "slug": slug,
        "issue_id": issue_id,
        "event_id": event_id,
        "attachment_id": attachment_id,
        "version": f"{of('release')}@1.0",
        "replay_id": replay_id(where),
        "monitor_slug": canary("data.monitor", where),
        "rule_id": fire(service, store, slug, issue_id, of),
        "key": user,
        "user_key": user,
    }


def link(store: Store, project_id: int, issue_id: str, title: str) -> None:
    """With an issue elsewhere."""
    tracker = NewIntegration("jira", "https://jira.example", "SHOP", "bot", "Bug", SecretStr("abcdefgh"))
    fetched = {"key": "SHOP-1", "url": f"https://jira.example/{title}", "title": title}
    store.tracker_links.add(
        store.integrations.add(1, project_id, tracker, actor="x"),
        issue_id,
        {**fetched, "is_open": True, "status": "Open"},
        actor="x",
    )


def fire(service: Service, store: Store, slug: str, issue_id: str, of: Callable[[str], str]) -> str:
    """The id of a rule that fired, whose messages are written, and that tells everybody."""
    to = ["owner@example.org", *LIMITED]
    mail = NewChannel("email", "Mail", {"to": to, "host": "127.0.0.1", "user": ""})
    channel = store.alerts.channels.create(1, mail, actor="x")
    new = NewRule(of("rule"), "new", channel_ids=(channel.id,))
    rule = store.alerts.rules.create(1, slug, new, actor="x")
    now = datetime.now(UTC)
    found = Found(issue_id, "new", now, title=of("firing"), culprit=of("firing"))
    assert store.alerts.firings.add(rule, [found], now) == 1
    failed: Failed = []
    assert compose(service.applications[0].state.context, failed) == 1 and not failed
    return rule.id


def unseen(caller: str, seen: Mapping[tuple[str, str], set[str]]) -> Mapping[tuple[str, str], set[str]]:
    return {told: addresses for told, addresses in seen.items() if told[1] not in CALLERS[caller]}


@each("caller", [caller for caller in CALLERS if CALLERS[caller] != WHOLE])
def test_addresses_of_other_projects_show_nothing(recorded: Recorded, caller: str) -> None:
    """And those of no project show nothing of other projects."""
    others = [
        address
        for route in READING
        for where, address in recorded.addresses(route).items()
        if where not in CALLERS[caller]
    ]
    assert len(others) > 140
    assert unseen(caller, recorded.seen(caller, others)) == {}


def test_an_owner_reads_what_was_received_somewhere(recorded: Recorded) -> None:
    """So that the others' silence says something."""
    addresses = [recorded.addresses(f"GET {path}")[where] for path in TELLING for where in SLUGS]
    seen = recorded.seen("a confirmed owner", addresses)
    assert {(name, where) for name in RECEIVED for where in WHOLE} - set(seen) == set()
    for path, names in TELLING_OF_DECISIONS.items():
        seen = recorded.seen("a confirmed owner", recorded.addresses(f"GET {path}").values())
        assert {(name, where) for name in names for where in WHOLE} - set(seen) == set(), path


@pytest.mark.slow
@pytest.mark.timeout(600)
@each("caller", ["a token to read", "a member of another project", "a confirmed owner"])
def test_no_address_shows_anything_of_other_projects(built: Recorded, caller: str) -> None:
    addresses = [address for route in READING for address in built.addresses(route).values()]
    seen = built.seen(caller, [*addresses, *built.linked()])
    assert unseen(caller, seen) == {}
    if caller == "a confirmed owner":
        assert {(name, where) for name in (*RECEIVED, *DECIDED, *OF_PAGES) for where in WHOLE} == set(seen)

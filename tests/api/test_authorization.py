"""Who may do what: every route of the API and of the pages, asked by every kind of caller."""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from httpx2 import Response
from sqlalchemy import insert, select, update
from starlette.routing import Route
from starlette.testclient import TestClient

import api.app
import dashboards.app
from api.settings import ApiSettings
from errata.outgoing import Outgoing, Policy
from errata.outgoing.policy import parsed_networks
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.annotations import Note
from errata.state.capability import Capability
from errata.state.organization import Organization
from errata.state.project import ProjectRow
from errata.state.project_tokens import CreatedProjectToken, ProjectToken
from errata.state.saved_searches import PageKind
from errata.state.sessions import WebSession
from errata.state.share_links import Shared
from errata.state.users import Role
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, SECRET
from tests.authorization_table import LEVEL_OF, Level
from tests.cases import each
from tests.configured import Configured
from tests.people import joins
from tests.request_bodies import body_of, query_of

NOW = datetime.now(UTC)
LOOPBACK = Policy(parsed_networks("127.0.0.0/8"), allows_http=True)
# One of everything that a path names and a file can declare.
FILE = """\
version: 1
channels:
  - {name: Hook, kind: webhook, settings: {url: "http://127.0.0.1:9/"}}
projects:
  - slug: web-shop
    name: Web shop
    budgets: [{name: LCP, metric: lcp_ms, statistic: p75, threshold: 2500}]
    alert_rules: [{name: New, kind: new}]
    saved_searches: [{name: Mine, query: "level:error"}]
    report_schedules: [{name: Weekly, weekday: monday, hour: 8, recipients: [team@example.org]}]
"""
# Variables that name nothing of an organization.
WITHOUT_A_SESSION = ("/api/auth/sign-in", "/api/auth/sign-in/code", "/api/auth/link", "/api/auth/forgot")
OF_NOBODY = ("question", "action", "token", "organization", "project", "document", "image", "file")
# A link of an issue is one to a tracker, not a share link.
OF_AN_ISSUE = {"link_id": "0" * 32}
REFUSALS = {"invalid_api_key", "forbidden", "password_required", "csrf_failed", "key_refused"}
UNKNOWN, REFUSED, NOT_FOUND, ADMITTED = "unknown", "refused", "not found", "admitted"

KEY, VIEWER, MEMBER, OWNER, CONFIRMED = "key", "viewer", "member", "owner", "confirmed owner"
# A member and a viewer who don't see all projects.
LIMITED_MEMBER, LIMITED_VIEWER = "limited member", "limited viewer"
READ_TOKEN, VERDICT_TOKEN, UPLOAD_TOKEN = "token to read", "token for verdicts", "token for uploads"
TRIAGE_TOKEN, SQL_TOKEN, AGENT_TOKEN = "token to act on issues", "token to run SQL", "token for agents"
CAPABILITY_OF = {
    READ_TOKEN: Capability.READ,
    VERDICT_TOKEN: Capability.VERDICT,
    UPLOAD_TOKEN: Capability.UPLOAD,
    TRIAGE_TOKEN: Capability.TRIAGE,
    SQL_TOKEN: Capability.SQL,
    AGENT_TOKEN: Capability.AGENT,
}
PROGRAMS = {KEY, *CAPABILITY_OF}
READERS = {KEY, READ_TOKEN, VIEWER, LIMITED_VIEWER, MEMBER, LIMITED_MEMBER, OWNER, CONFIRMED}
OF_SOME_PROJECTS = {LIMITED_MEMBER, LIMITED_VIEWER, *CAPABILITY_OF}
ADMITTED_TO = {
    Level.SENDER: {KEY},
    Level.KEY_HOLDER: {KEY},
    Level.GATE: READERS | {VERDICT_TOKEN},
    Level.UPLOADER: {KEY, UPLOAD_TOKEN, OWNER, CONFIRMED},
    Level.SQL: {SQL_TOKEN},
    Level.UPLOAD_TOOL: {UPLOAD_TOKEN},
    Level.READER: READERS,
    Level.WHOLE: {KEY, VIEWER, MEMBER, OWNER, CONFIRMED},
    Level.WORKER: {KEY, MEMBER, LIMITED_MEMBER, OWNER, CONFIRMED},
    Level.TRIAGER: {KEY, TRIAGE_TOKEN, MEMBER, LIMITED_MEMBER, OWNER, CONFIRMED},
    Level.MANAGER: {KEY, OWNER, CONFIRMED},
    Level.CONFIRMED_MANAGER: {KEY, CONFIRMED},
    Level.PERSON: READERS - PROGRAMS,
    # All but one owner of this test have just signed in.
    Level.CONFIRMED_PERSON: READERS - PROGRAMS - {OWNER},
    Level.WORKING_PERSON: {MEMBER, LIMITED_MEMBER, OWNER, CONFIRMED},
    Level.OWNER: {OWNER, CONFIRMED},
    Level.CONFIRMED_OWNER: {CONFIRMED},
}


@dataclass(frozen=True)
class Asking:
    """`kind` is empty for nobody; a stranger is of another organization or of another project."""

    headers: dict[str, str]
    csrf_token: str = ""
    kind: str = ""
    is_stranger: bool = False


@dataclass
class Service:
    client: TestClient
    applications: tuple[FastAPI, FastAPI]
    openapi: dict[str, Any]
    callers: dict[str, Asking]
    values: dict[str, str]
    """Of the variables in paths: what the first organization has."""
    file: Path
    pristine: sqlite3.Connection

    def ask(self, method: str, path: str, asking: Asking) -> Response:
        self.client.cookies.clear()
        values = self.values | (OF_AN_ISSUE if "{issue_id}" in path else {})
        address = re.sub(r":\w+}", "}", path).format(**values) + query_of(self.openapi, path, method)
        headers = {**asking.headers, "X-CSRF-Token": asking.csrf_token}
        if method in ("GET", "HEAD"):
            return self.client.request(method, address, headers=headers)
        if "{project_id:int}" in path or path.startswith("/v1/"):
            headers["Content-Type"] = "application/json"
            return self.client.request(method, address, headers=headers, content=b"{}")
        if not path.startswith("/api/"):
            return self.client.request(
                method, address, headers=headers, data={"csrf_token": asking.csrf_token}
            )
        return self.client.request(method, address, headers=headers, json=body_of(self.openapi, path, method))

    def restore(self) -> None:
        """Undoes what an admitted caller changed."""
        with sqlite3.connect(self.file) as live:
            self.pristine.backup(live)
        live.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    away = Warehouse(NOWHERE)
    with serving(tmp_path_factory.mktemp("authorization") / "state.db", away, away) as running:
        yield running


@contextmanager
def serving(file: Path, ingest: Warehouse, read: Warehouse, **more: Any) -> Iterator[Service]:
    """`more` goes to the API's `create_app`."""
    store = Store.open(f"sqlite:///{file}", SECRET)
    store.migrate()
    account = store.accounts.create_first("Acme", "Web shop", "owner@example.org")
    old_key = account.api_key
    new_key = store.keys.api.regenerate(1, actor="test").key
    callers = {
        "nobody": Asking({}),
        "a wrong key": bearer(f"errata_api_{'x' * 40}"),
        "an application key": bearer(account.app_key),
        "a regenerated key": bearer(old_key),
        "the API key": bearer(new_key, KEY, account.app_key),
        "another API key": other_organization(store, account.app_key),
        **tokens(store),
        **sessions(store, account),
    }
    values = objects(store)
    mounted = api.app.create_app(ApiSettings(), store, ingest, read, **more)
    pristine = sqlite3.connect(":memory:", check_same_thread=False)
    with sqlite3.connect(file) as live:
        live.backup(pristine)
    live.close()
    pages = dashboards.app.create_app(mounted)
    with TestClient(pages, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Service(client, (mounted, pages), mounted.openapi(), callers, values, file, pristine)
    pristine.close()
    store.close()


def bearer(key: str, kind: str = "", app_key: str = "", is_stranger: bool = False) -> Asking:
    headers = {"Authorization": f"Bearer {key}", "X-Errata-App-Key": app_key}
    return Asking(headers, kind=kind, is_stranger=is_stranger)


def other_organization(store: Store, app_key: str) -> Asking:
    """Its key, beside the application key of the first one."""
    with store.database.writing() as connection:
        connection.execute(insert(Organization).values(id=2, name="Other", created_at=NOW))
    key = store.keys.api.regenerate(2, actor="test").key
    store.projects.create(2, "Elsewhere", actor="test")
    return bearer(key, KEY, app_key, is_stranger=True)


def tokens(store: Store) -> dict[str, Asking]:
    """Of each capability, of the project and of another one; beside those that work no more."""

    def token(slug: str, capability: Capability) -> CreatedProjectToken:
        return store.project_tokens.create(1, slug, [capability], "CI", 30, actor="test")

    store.projects.create(1, "Another", actor="test")
    revoked, expired = token("web-shop", Capability.READ), token("web-shop", Capability.READ)
    store.project_tokens.revoke(1, "web-shop", revoked.token.id, actor="test")
    with store.database.writing() as connection:
        connection.execute(
            update(ProjectToken)
            .where(ProjectToken.id == expired.token.id)
            .values(expires_at=NOW - timedelta(seconds=1))
        )
    return {
        "a revoked token": bearer(revoked.text),
        "an expired token": bearer(expired.text),
        **{
            f"a {kind}{of}": bearer(token(slug, capability).text, kind, is_stranger=bool(of))
            for kind, capability in CAPABILITY_OF.items()
            for slug, of in (("web-shop", ""), ("another", " of another project"))
        },
    }


def sessions(store: Store, account: FirstAccount) -> dict[str, Asking]:
    ids = {each.slug: each.id for each in store.projects.of_organization(1)}
    for organization_id, email, role in (
        (1, "viewer@example.org", Role.VIEWER),
        (1, "member@example.org", Role.MEMBER),
        (2, "owner@other.example", Role.OWNER),
    ):
        joins(store, organization_id, email, role)
    for email, role, slug in (
        ("limited.viewer@example.org", Role.VIEWER, "web-shop"),
        ("limited.member@example.org", Role.MEMBER, "web-shop"),
        ("another.member@example.org", Role.MEMBER, "another"),
    ):
        joins(store, 1, email, role, [ids[slug]])

    def signed_in(email: str) -> WebSession:
        session = store.sessions.sign_in(email, account.password)
        assert session is not None
        return session

    ended = signed_in(account.email)
    store.sessions.sign_out(ended.token)
    unconfirmed = signed_in(account.email)
    with store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")
    confirmed = signed_in(account.email)
    return {
        "an ended session": cookie(ended, ""),
        "a viewer": cookie(signed_in("viewer@example.org"), VIEWER),
        "a member": cookie(signed_in("member@example.org"), MEMBER),
        "a viewer of the project": cookie(signed_in("limited.viewer@example.org"), LIMITED_VIEWER),
        "a member of the project": cookie(signed_in("limited.member@example.org"), LIMITED_MEMBER),
        "a member of another project": cookie(
            signed_in("another.member@example.org"), LIMITED_MEMBER, is_stranger=True
        ),
        "an owner": cookie(unconfirmed, OWNER),
        "a confirmed owner": cookie(confirmed, CONFIRMED),
        "an owner elsewhere": cookie(signed_in("owner@other.example"), CONFIRMED, is_stranger=True),
    }


def cookie(session: WebSession, kind: str, is_stranger: bool = False) -> Asking:
    return Asking({"Cookie": f"errata_session={session.token}"}, session.csrf_token, kind, is_stranger)


def objects(store: Store) -> dict[str, str]:
    """Something of each kind in the project, by the variable that names it in paths."""
    slug, actor = "web-shop", "owner@example.org"
    with store.database.reading() as connection:
        project_id = connection.execute(select(ProjectRow.id).where(ProjectRow.slug == slug)).scalar_one()
    Configured(store, outgoing=Outgoing(LOOPBACK)).apply(FILE)
    [channel] = store.alerts.channels.of_organization(1)
    [rule] = store.alerts.rules.of_project(1, slug)
    [budget] = store.budgets.of_project(1, slug)
    [schedule] = store.reports.schedules.of_project(1, slug)
    [search] = store.saved_searches.of_project(1, slug, None, PageKind.ISSUES)
    link = store.share_links.create(1, project_id, Shared("00000000000000aa"), None, actor=actor).link
    note = store.annotations.write(1, slug, 1, Note("Sale", NOW - timedelta(days=1)))
    return {
        "slug": slug,
        "organization": "any",
        "project": slug,
        "bundle_id": "0" * 32,
        "replay_id": "0" * 32,
        "attachment_id": "0" * 32,
        "monitor_slug": "nightly",
        "segment_id": "0",
        "channel_id": channel.id,
        "rule_id": rule.id,
        "budget_id": budget.id,
        "erasure_id": "0" * 32,
        "schedule_id": schedule.id,
        "search_id": str(search.id),
        "link_id": str(link.id),
        "annotation_id": note.id,
        "key_id": "1",
        "token_id": "3",
        "member_id": "2",
        "invitation_id": str(
            store.one_time_links.invite(1, "new@example.org", Role.VIEWER, actor=actor).link.id
        ),
        "number": "1",
        "question": "issues",
        "document": "keys",
        "image": "issue.png",
        "file": "SHA256SUMS",
        "action": "resolve",
        "version": "1.0",
        "token": "x" * 40,
        "mail_id": "0" * 32,
        "integration_id": "0" * 32,
        "notification_id": "1",
        "issue_id": "00000000000000aa",
        "event_id": "0" * 32,
        "comment_id": "0" * 32,
        "view_id": "00000000000000aa",
        "project_id": "1",
        "id": "00000000000000aa",
        "key": "00000000000000aa",
        "user_key": "00000000000000aa",
    }


def routes_of(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Method and path of each, below the routers too."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from routes_of(route.original_router.routes)
        elif isinstance(route, Route):
            # Starlette answers HEAD wherever it answers GET.
            methods = (route.methods or set()) - (set() if isinstance(route, APIRoute) else {"HEAD"})
            yield from ((method, route.path) for method in methods)


def test_every_route_says_who_may_use_it(service: Service) -> None:
    found = {f"{method} {path}" for each in service.applications for method, path in routes_of(each.routes)}
    assert found == set(LEVEL_OF)


def test_the_reference_says_which_tokens_an_operation_accepts(service: Service) -> None:
    told = {
        f"{method.upper()} {path}": set(operation.get("x-capabilities", ()))
        for path, methods in service.openapi["paths"].items()
        for method, operation in methods.items()
    }
    of_routes = {
        re.sub(r":\w+}", "}", route): {of for kind, of in CAPABILITY_OF.items() if kind in ADMITTED_TO[level]}
        for route, level in LEVEL_OF.items()
        if level in ADMITTED_TO
    }
    assert {route: found for route, found in told.items() if found} == {
        route: accepted for route, accepted in of_routes.items() if accepted and route in told
    }


def expected(level: Level, asking: Asking, path: str) -> str:
    if level is Level.PUBLIC:
        return ADMITTED
    if level is Level.SDK:
        # Exporters of OpenTelemetry send it as a Bearer token; the address of a project asks for its own key.
        has_key = asking.headers.get("Authorization", "").startswith("Bearer errata_app_")
        return ADMITTED if has_key and path.startswith("/v1/") else REFUSED
    if level is Level.SCRAPER:
        return REFUSED
    if level is Level.AGENT:
        return ADMITTED if asking.kind == AGENT_TOKEN else REFUSED
    is_page = not path.startswith(("/api/", "/v1/"))
    if not asking.kind or (asking.kind in PROGRAMS and is_page):
        return UNKNOWN
    if asking.is_stranger and asking.kind in OF_SOME_PROJECTS and path.startswith("/api/projects/{slug}"):
        # Before anything else: for them there is no such project.
        return NOT_FOUND
    if asking.kind not in ADMITTED_TO[level]:
        # A session is no API key.
        return UNKNOWN if level in (Level.SENDER, Level.KEY_HOLDER) else REFUSED
    names = {part[1:].partition("}")[0].partition(":")[0] for part in path.split("/") if part[:1] == "{"}
    if level in (Level.UPLOAD_TOOL, Level.SQL):
        # The token says the project.
        return ADMITTED
    if asking.is_stranger and (level is Level.SENDER or names - set(OF_NOBODY)):
        return NOT_FOUND
    return ADMITTED


def outcome(answer: Response, path: str) -> str:
    if not path.startswith("/api/") or "/otlp/" in path:
        if answer.status_code == 303 and answer.headers["location"].startswith("/sign-in"):
            return UNKNOWN
        # Agents are told by 401 where they find out who gives tokens.
        return {401: REFUSED, 403: REFUSED, 404: NOT_FOUND}.get(answer.status_code, ADMITTED)
    code = answer.json().get("error", "") if answer.status_code in (401, 403, 404) else ""
    if code in REFUSALS:
        return UNKNOWN if answer.status_code == 401 else REFUSED
    return NOT_FOUND if answer.status_code == 404 else ADMITTED


@pytest.mark.timeout(600)
@each("route", LEVEL_OF)
def test_a_route_admits_whom_it_says(service: Service, route: str) -> None:
    method, path = route.split(" ")
    level = LEVEL_OF[route]
    for name, asking in service.callers.items():
        answer = service.ask(method, path, asking)
        found, wanted = outcome(answer, path), expected(level, asking, path)
        what = f"{route} by {name}: {answer.status_code} {answer.text[:300]}"
        if wanted == ADMITTED:
            # Of what an admitted caller names some does not exist, or the warehouse would know.
            assert found in (ADMITTED, NOT_FOUND), what
            assert answer.status_code != 500, what
        elif wanted == NOT_FOUND:
            assert found == NOT_FOUND or is_the_warehouses(answer, path), what
        else:
            assert found == wanted, what
        if method not in ("GET", "HEAD") and found == ADMITTED:
            service.restore()


def is_the_warehouses(answer: Response, path: str) -> bool:
    """Whether only the warehouse, which is away, knows whose it is: a path without a project."""
    return "{slug}" not in path and answer.status_code == 503


@pytest.mark.timeout(600)
@each("route", [route for route in LEVEL_OF if route.split(" ")[0] not in ("GET", "HEAD")])
def test_a_change_by_a_browser_needs_the_token_of_its_session(service: Service, route: str) -> None:
    method, path = route.split(" ")
    if (
        LEVEL_OF[route] in (Level.SENDER, Level.SDK, Level.AGENT)
        or method == "OPTIONS"
        or path in WITHOUT_A_SESSION
    ):
        return
    owner = service.callers["a confirmed owner"]
    for token in ("", "x" * len(owner.csrf_token)):
        answer = service.ask(method, path, Asking(owner.headers, token))
        assert answer.status_code == 403, answer.text
        assert not path.startswith("/api/") or answer.json()["error"] == "csrf_failed"

"""Someone signs in by a real provider, in a real browser."""

import re
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from playwright.sync_api import Page, expect, sync_playwright
from starlette.testclient import TestClient

import api.app
from api.settings import ApiSettings
from dashboards.app import create_app
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.dashboards.browser import CHROMIUM, FLAGS, violations
from tests.dashboards.conftest import NOWHERE
from tests.dashboards.organization.test_key_rotation import shot
from tests.dashboards.organization.test_people import sign_in
from tests.oidc_provider import ADA, configuration, outgoing, real_provider
from tests.processes import free_port

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
PEOPLE = (
    ADA,
    {**ADA, "sub": "eve", "email": "eve@elsewhere.example"},
    {**ADA, "sub": "bob", "email": "bob@example.org", "email_verified": False},
)


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with real_provider(*PEOPLE) as running:
        yield running


@pytest.fixture
def serve(store: Store) -> Iterator["Serve"]:
    with Serve(store) as started:
        yield started


class Serve:
    """The pages on a port of their own, where the provider can lead back to."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ends: list[tuple[uvicorn.Server, threading.Thread]] = []

    def __enter__(self) -> "Serve":
        return self

    def __exit__(self, *_: object) -> None:
        for server, thread in self._ends:
            server.should_exit = True
            thread.join()

    def at(self, issuer: str) -> str:
        port, away = free_port(), Warehouse(NOWHERE)
        address = f"http://127.0.0.1:{port}"
        oidc = configuration(issuer, address, label="Acme")
        mounted = api.app.create_app(
            ApiSettings(), self.store, away, away, base_url=address, oidc=oidc, outgoing=outgoing()
        )
        app = TestClient(create_app(mounted)).app
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run)
        thread.start()
        self._ends.append((server, thread))
        while not server.started:
            time.sleep(0.05)
        return address


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        opened.set_default_timeout(20_000)
        yield opened
        browser.close()


def authorize(page: Page, name: str) -> None:
    """At the provider, whose page offers those whom it knows."""
    page.get_by_role("link", name="Sign in with Acme").click()
    page.wait_for_url(re.compile("/oauth2/authorize"))
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_people_sign_in_by_a_real_provider(store: Store, serve: Serve, issuer: str, page: Page) -> None:
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@example.org")
    address = serve.at(issuer)
    page.goto(f"{address}/settings/account")
    page.wait_for_load_state("load")
    assert violations(page) == []
    shot(page, "sso-sign-in")
    authorize(page, "ada")
    expect(page.get_by_role("heading", name="Password", exact=True)).to_be_visible()
    assert page.url == f"{address}/settings/account"
    expect(page.get_by_text("ada@example.org · member")).to_be_visible()
    shot(page, "sso-signed-in")

    for name, words in (
        ("eve", "Email addresses of your domain can't sign in here."),
        ("bob", "The sign-in provider hasn't verified your email address."),
    ):
        page.context.clear_cookies()
        page.goto(f"{address}/settings/account")
        authorize(page, name)
        expect(page.get_by_role("alert")).to_contain_text(words)
    shot(page, "sso-refused")
    people = {person.email for person in store.users.of_organization(1)}
    assert people == {account.email, "ada@example.org"}


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_while_the_provider_is_down_passwords_work(store: Store, serve: Serve, page: Page) -> None:
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@example.org")
    address = serve.at("http://127.0.0.1:9")
    page.goto(f"{address}/settings/account")
    page.get_by_role("link", name="Sign in with Acme").click()
    expect(page.get_by_role("alert")).to_contain_text("The sign-in provider can't be reached.")
    shot(page, "sso-unreachable")
    sign_in(page, account.email, account.password)
    expect(page.get_by_role("heading", name="Password", exact=True)).to_be_visible()

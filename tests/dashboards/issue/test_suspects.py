"""Suspect commits on the page of an issue."""

import re
from typing import Any

import msgspec
import pytest
from playwright.sync_api import ViewportSize, expect

from errata.state.capability import Capability
from tests.api.rest.test_suspect_commits import COMMITS, RELEASE, event
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.organization.test_key_rotation import shot

FILES = ("/srv/shop/src/main.py", "/srv/shop/src/views.py", "/srv/shop/src/cart.py")


def deliver(site: Site, *events: dict[str, Any]) -> dict[str, str]:
    """The addresses of the issues, by their types."""
    site.deliver([msgspec.json.encode({"type": "event", "payload": one}) for one in events])
    found = site.client.get("/api/projects/shop/issues?period=90d").json()["issues"]
    return {one["type"]: f"/projects/shop/issues/{one['id']}" for one in found}


def send_commits(site: Site, commits: list[dict[str, Any]]) -> None:
    token = site.store.project_tokens.create(1, "shop", [Capability.UPLOAD], "CI", 30, actor="test").text
    answer = site.client.post(
        "/api/0/organizations/any/releases/",
        json={"version": RELEASE, "projects": ["shop"], "commits": commits},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201, answer.text


def test_suspects_are_named_or_the_page_says_why_not(live_site: Site) -> None:
    client = live_site.sign_in()
    unnamed = event("NoRelease", "/srv/shop/src/cart.py", release="")
    addresses = deliver(
        live_site,
        event("CartError", *FILES),
        event("OtherError", "/srv/shop/src/other.py"),
        event("NoStack"),
        event("OldError", *FILES, release="shop@1.0"),
        unnamed,
    )

    def part(name: str) -> str:
        answer = client.get(f"{addresses[name]}/suspect-commits")
        assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
        return answer.text

    page = client.get(addresses["CartError"]).text
    assert f'data-suspects="{addresses["CartError"]}/suspect-commits"' in page and "suspects.js" in page
    assert "no commits were sent for this release" in part("CartError")
    send_commits(live_site, COMMITS)
    shown = part("CartError")
    assert re.findall(r'suspect-title">([^<]+)<', shown) == ["Divide the cart", "Show the cart"]
    assert "by Ada" in shown and "bbbbbbbbbbbb</code>" in shown and "<code>src/cart.py</code>" in shown
    for name, why in (
        ("OtherError", "no commit of this release changed a file of the stack"),
        ("NoStack", "the latest event has no file of the application in its stack"),
        ("OldError", "no commits were sent for this release"),
        ("NoRelease", "events of this issue name no release"),
    ):
        assert why in part(name).replace("&#39;", "'")


def test_what_a_commit_says_is_text(live_site: Site) -> None:
    client = live_site.sign_in()
    addresses = deliver(live_site, event("CartError", *FILES))
    hostile = "<script>alert(1)</script>" + "x" * 500
    send_commits(live_site, [{**COMMITS[1], "message": hostile, "author_name": "<b>Ada</b>"}])
    shown = client.get(f"{addresses['CartError']}/suspect-commits").text
    assert "<script" not in shown and "<b>" not in shown and "&lt;script&gt;" in shown


def test_an_unknown_issue_has_no_suspects(live_site: Site) -> None:
    client = live_site.sign_in()
    assert client.get("/projects/shop/issues/00000000000000aa/suspect-commits").status_code == 404
    assert client.get("/projects/shop/issues/no/suspect-commits").status_code == 400


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_page_loads_them_after_the_event(live_site: Site, watched: Watched) -> None:
    live_site.sign_in()
    addresses = deliver(live_site, event("CartError", *FILES), event("OtherError", "/srv/shop/src/other.py"))
    send_commits(live_site, COMMITS)
    page, card = watched.page, watched.page.locator("#suspects")
    watched.sign_in("/projects/shop/users", live_site.account)
    expect(page.locator("h1")).to_have_text("Users")
    for width in (1280, 390):
        page.set_viewport_size(ViewportSize(width=width, height=900))
        watched.go(addresses["CartError"])
        expect(card.locator(".suspect-title")).to_have_text(["Divide the cart", "Show the cart"])
        expect(card.locator("[aria-busy]")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    shot(page, "suspects")
    watched.go(addresses["OtherError"])
    expect(card).to_contain_text("no commit of this release changed a file of the stack")
    assert watched.complaints == []

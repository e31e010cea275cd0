"""Usage, and limits of projects and services, as an owner sets them in a real browser."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec
import pytest
from playwright.sync_api import expect

from dashboards.shared.delivery_verdict import REASON_WORDS
from errata.state.ingest_limits import NOT_LEARNED, LimitKind, limits_of
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.delivery.test_services import deliver
from tests.dashboards.organization.test_key_rotation import shot

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def sign_in(live_site: Site, watched: Watched) -> None:
    cookies = [
        {"name": cookie.name, "value": cookie.value or "", "url": watched.address}
        for cookie in live_site.sign_in().cookies.jar
    ]
    watched.page.context.add_cookies(cookies)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_an_owner_limits_a_service_and_sees_its_use_and_refusals(live_site: Site, watched: Watched) -> None:
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    own = live_site.account.app_key
    worker, web = (
        live_site.store.keys.app.create(owner.organization_id, "shop", service, actor="x").key
        for service in ("worker", "web-frontend")
    )
    deliver(live_site, 1, *[worker] * 12)
    deliver(live_site, 2, *[own] * 5, worker)
    deliver(live_site, 3, *[web] * 7)
    sign_in(live_site, watched)
    page = watched.page
    watched.go("/settings/usage?tab=limits")
    field = page.get_by_label("Lines per minute of Shop, service worker")
    of_worker = page.locator("summary", has_text="change limits of Shop, service worker")
    of_worker.click()
    expect(field).to_have_value("")
    field.fill("10")
    with page.expect_navigation():
        page.get_by_role("button", name="Save limits of Shop, service worker").click()
    of_worker.click()
    expect(field).to_have_value("10")
    route = live_site.store.keys.app.routes(owner.organization_id, {worker})[worker]
    assert limits_of(route.limits).of_service == {LimitKind.LINES: 10}
    page.locator("summary", has_text="change limits of Shop").first.click()
    page.get_by_label("Bytes per minute of Shop").first.fill("50000000")
    page.get_by_label("Payloads per minute and variant of Shop").fill("2")
    page.get_by_label("Spike protection of Shop").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Save limits of Shop", exact=True).click()
    expect(page.get_by_text("spike protection, not enough data yet")).to_be_visible()
    route = live_site.store.keys.app.routes(owner.organization_id, {own})[own]
    kept = {LimitKind.BYTES: 50_000_000, LimitKind.PAYLOADS: 2, LimitKind.SPIKES: NOT_LEARNED}
    assert limits_of(route.limits).of_project == kept

    deliver(live_site, 4, *[worker] * 10)
    deliver(live_site, 5, *[worker] * 10, status=429)
    deliver(live_site, 6, *[own] * 3)
    page.reload()
    rows = page.locator("#line-limits tbody tr").all_inner_texts()
    cells = {row.split("\t")[0].strip(): row.split("\t")[1:4] for row in rows}
    assert cells == {
        "Shop": ["38", "0", "0"],
        "web-frontend": ["7", "0", "0"],
        "worker": ["23", "0", "1"],
        "No service": ["8", "0", "0"],
    }
    expect(page.get_by_text("Deliveries over the limit of the service")).to_be_visible()
    assert violations(page) == []
    shot(page, "limits")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})

    page.locator("#line-limits").get_by_role("link", name="worker").click()
    expect(page.get_by_label("Service")).to_have_value("worker")
    expect(page.locator("#log-files tbody tr")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    shot(page, "delivery-of-worker")
    watched.go("/projects/shop/delivery")
    page.wait_for_load_state("networkidle")
    shot(page, "delivery")
    assert watched.complaints == []


def test_a_member_sees_limits_and_cannot_change_them(live_site: Site) -> None:
    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    organization_id = owner.organization_id
    live_site.store.ingest_limits.replace(organization_id, "shop", "", {LimitKind.LINES: 1_234}, actor="x")
    with live_site.store.database.writing() as connection:
        connection.exec_driver_sql("update memberships set role = 'member'")
    client = live_site.sign_in()
    page = client.get("/settings/limits").text
    assert "1,234" in page and "Only an owner can change limits." in page
    assert "/api/projects/shop/limits" not in page
    # Who loses what over a limit, whichever refused it.
    assert "Shippers deliver it again and lose nothing; SDKs that send by DSN drop it" in page
    limiting = [words for reason, (_, words) in REASON_WORDS.items() if reason.endswith("rate_limited")]
    assert len(limiting) == 4 and all("SDKs that send by DSN drop them." in words for words in limiting)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_usage_says_what_became_of_everything(live_site: Site, watched: Watched) -> None:
    now = datetime.now(UTC)
    event = {"exception": {"values": [{"type": "KeyError", "value": "x"}]}, "timestamp": now.timestamp()}
    discarded = [{"reason": "sample_rate", "category": "transaction", "quantity": 40}]
    lines = [
        *({"type": "event", "payload": {**event, "event_id": uuid4().hex}} for _ in range(6)),
        {"type": "event", "payload": {**event, "timestamp": (now - timedelta(days=400)).timestamp()}},
        {"type": "client_report", "payload": {"discarded_events": discarded}},
        {"type": "profile", "payload": {}},
    ]
    live_site.deliver([msgspec.json.encode(line) for line in lines])
    headers = {
        "Authorization": f"Bearer {live_site.account.api_key}",
        "X-Errata-App-Key": live_site.account.app_key,
    }
    refused = live_site.client.post("/api/ingest", content=b"no JSON", headers=headers)
    assert len(refused.json()["rejected"]) == 1
    sign_in(live_site, watched)
    page = watched.page
    for width, height in ((390, 844), (768, 1024), (1280, 900)):
        page.set_viewport_size({"width": width, "height": height})
        watched.go("/settings/usage")
        expect(page.locator(".chart .plotly, .chart svg").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.wait_for_load_state("networkidle")
        assert violations(page) == []
        shot(page, f"usage-{width}")
    rows = page.locator("#outcomes tbody tr").all_inner_texts()
    cells = sorted((row.split("\t")[1], row.split("\t")[2]) for row in rows)
    assert cells == [
        ("discarded by SDKs", "40 items"),
        ("invalid", "1 item"),
        ("invalid", "1 item"),
        ("invalid", "1 line"),
    ]
    assert "Not enough data for a forecast" in page.locator("main").inner_text()
    assert [cell.inner_text() for cell in page.locator("#services tbody td.number").all()][:2] == ["9", "1"]
    answer = page.request.get(f"{watched.address}/api/usage?period=24h").json()
    last = answer["steps"][-1]
    assert (last["accepted"], last["invalid"], last["client_discard"]) == (7, 3, 40)
    assert {(each["outcome"], each["detail"], each["item_count"]) for each in answer["outcomes"]} == {
        ("client_discard", "client_discard", 40),
        ("invalid", "invalid_json", 1),
        ("invalid", "not_stored_yet", 1),
        ("invalid", "too_old", 1),
    }
    page.get_by_label("Period").select_option("7d")
    expect(page.get_by_role("heading", name="Lines and items by outcome")).to_be_visible()
    page.get_by_role("link", name="This service").click()
    expect(page.get_by_role("heading", name="Limits in force")).to_be_visible()
    assert watched.complaints == []

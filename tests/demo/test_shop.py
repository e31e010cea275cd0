import gzip
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from demo import captured, originals
from demo.shop import build
from demo.shop.catalogue import PRODUCTS

Lines = Callable[[], list[dict[str, Any]]]


def errors(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line["payload"] for line in lines if line["type"] == "event"]


def kinds(lines: list[dict[str, Any]]) -> list[list[str]]:
    """The types of each error's chain, the first cause first."""
    return [[value["type"] for value in e["exception"]["values"]] for e in errors(lines) if "exception" in e]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/products", "/products?q=lamp", "/products?kind=Seating", "/products/sofa-drift", "/cart"),
        *(
            "/checkout",
            "/thanks?order=7",
            "/pictures/vase-ember.svg",
            "/static/js/shop.js",
            "/static/shop.css",
        ),
        "/vendor/sentry-browser/sentry-browser-11.12.0.min.js",
    ],
)
def test_a_page_is_served(shop: TestClient, path: str) -> None:
    assert shop.get(path).status_code == 200


@pytest.mark.slow
def test_everything_a_page_names_is_there_and_from_the_shop(shop: TestClient) -> None:
    shop.post("/api/cart", json={"sku": "table-delta"})
    for path in ("/", "/products", "/products/chair-fjord", "/cart", "/checkout"):
        named = re.findall(r'(?:src|href)="([^"]+)"', shop.get(path).text)
        assert named
        for address in set(named) - {"data:,"} - {f"/products/{p.sku}" for p in PRODUCTS}:
            assert address.startswith("/")
            assert shop.get(address).status_code == 200, address


def test_a_page_carries_the_trace_of_its_request(shop: TestClient, lines: Lines) -> None:
    trace_id = re.search(r'name="sentry-trace" content="(\w{32})-', shop.get("/").text)
    assert trace_id is not None
    (transaction,) = [line["payload"] for line in lines() if line["type"] == "transaction"]
    assert transaction["contexts"]["trace"]["trace_id"] == trace_id[1]


def test_an_old_coupon_is_a_key_error(shop: TestClient, lines: Lines) -> None:
    assert shop.get("/api/coupons/SUMMER24?cents=100").status_code == 500
    (error,) = errors(lines())
    frame = error["exception"]["values"][-1]["stacktrace"]["frames"][-1]
    assert error["exception"]["values"][-1]["type"] == "KeyError"
    assert (frame["function"], frame["in_app"], frame["arguments"]) == ("percent_of", True, ["coupon"])
    assert error["contexts"]["framework"]["name"] == "FastAPI"


def test_tax_in_monaco_is_a_zero_division_error(shop: TestClient, lines: Lines) -> None:
    assert shop.get("/api/tax?country=MC&cents=100").status_code == 500
    assert kinds(lines()) == [["ZeroDivisionError"]]


def test_a_declined_payment_names_its_cause_its_user_and_its_cart(shop: TestClient, lines: Lines) -> None:
    shop.post("/sign-in/1004", follow_redirects=False)
    shop.post("/api/cart", json={"sku": "chair-fjord"})
    order = {"name": "Lena", "country": "CZ", "card_number": "4000000000000002"}
    assert shop.post("/api/pay", json=order).status_code == 402
    (error,) = errors(lines())
    assert kinds(lines()) == [["GatewayRefusalError", "PaymentDeclinedError"]]
    assert (error["user"]["id"], error["user"]["email"]) == ("1004", "lena@example.com")
    assert error["tags"]["plan"] == "enterprise"
    assert error["extra"]["cart"] == {"chair-fjord": 1}
    assert error["request"]["data"]["card_number"] == "[FILTERED]"
    assert "4000000000000002" not in str(lines())


def test_a_silent_warehouse_is_a_timeout_with_its_consequence(shop: TestClient, lines: Lines) -> None:
    assert shop.get("/api/stock/rug-meadow").status_code == 504
    (chain,) = kinds(lines())
    assert chain == ["TimeoutError", "StockUnavailableError"]


def test_a_lamp_without_dimensions_fails_in_its_template(shop: TestClient, lines: Lines) -> None:
    assert shop.get("/products/lamp-aurora").status_code == 500
    assert kinds(lines()) == [["UndefinedError"]]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_invoice_for_zoe_fails_in_its_thread(shop: TestClient, lines: Lines) -> None:
    shop.post("/api/cart", json={"sku": "sofa-drift", "quantity": 2})
    order = {"name": "Zoë Müller", "country": "DE", "card_number": "4242424242424242"}
    assert shop.post("/api/pay", json=order).status_code == 200
    deadline = time.monotonic() + 5
    while ["UnicodeEncodeError"] not in kinds(lines()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert ["UnicodeEncodeError"] in kinds(lines())
    # Its event is written before it has ended; what it raises is this test's, not the next one's.
    for thread in [each for each in threading.enumerate() if each.name == "invoice"]:
        thread.join(5)
    logged = [error["logentry"] for error in errors(lines()) if "logentry" in error]
    assert [entry["message"] for entry in logged] == ["Ledger and gateway differ by %s cents"]


def test_expected_answers_are_no_errors(shop: TestClient, lines: Lines) -> None:
    assert shop.get("/api/stock/vase-ember").status_code == 503
    assert shop.get("/api/products/nothing").status_code == 404
    assert shop.get("/products/nothing").status_code == 404
    assert shop.post("/api/newsletter", json={"email": "ada"}).status_code == 422
    assert errors(lines()) == []
    statuses = {
        line["payload"]["contexts"]["response"]["status_code"]
        for line in lines()
        if line["type"] == "transaction"
    }
    assert statuses == {503, 404, 422}


def test_a_new_release_has_a_slower_checkout(shop: TestClient, lines: Lines) -> None:
    def seconds() -> float:
        shop.post("/api/cart", json={"sku": "chair-fjord"})
        started = time.monotonic()
        order = {"name": "Ada", "country": "GB", "card_number": "4242424242424242"}
        assert shop.post("/api/pay", json=order).json()["status"] == "paid"
        return time.monotonic() - started

    def opened_in() -> float:
        started = time.monotonic()
        shop.get("/checkout")
        return time.monotonic() - started

    before, opened_before = seconds(), opened_in()
    state = shop.app.state  # type: ignore[attr-defined]
    state.settings = replace(state.settings, release="shop-web@1.5.0")
    assert seconds() > before + 0.7
    assert opened_in() > opened_before + 0.3


def test_files_and_the_tunnel_are_no_traffic(shop: TestClient, lines: Lines) -> None:
    shop.get("/static/shop.css")
    shop.post("/tunnel", content=b"{}\n")
    assert [line["type"] for line in lines()] == []


def test_what_a_browser_tells_comes_through_the_tunnel(shop: TestClient, lines: Lines) -> None:
    envelope = next(e for e in captured.envelopes() if e["items"][0]["headers"]["type"] == "event")
    answer = shop.post(
        "/tunnel",
        content=captured.body(envelope, timedelta(days=1), "r"),
        headers={"Content-Type": "text/plain;charset=UTF-8"},
    )
    assert answer.status_code == 200
    (error,) = errors(lines())
    assert error["platform"] == "javascript"
    assert error["event_id"] != envelope["items"][0]["payload"]["event_id"]
    assert error["timestamp"] == pytest.approx(envelope["items"][0]["payload"]["timestamp"] + 86_400)


def test_scripts_are_built_from_their_sources() -> None:
    scripts = {path.name: path.read_text("utf-8") for path in build.SCRIPTS.glob("*.js")}
    built = {path.name for path in build.BUILT.glob("*.js")}
    assert set(scripts) == built
    for name in built:
        mapped = json.loads((build.BUILT / f"{name}.map").read_text("utf-8"))
        for source, content in zip(mapped["sources"], mapped["sourcesContent"], strict=True):
            assert content == scripts[source.removeprefix("scripts/")], source
        assert f"debugId={mapped['debug_id']}" in (build.BUILT / name).read_text("utf-8")


def test_captured_errors_are_of_the_scripts_as_built_and_have_replays() -> None:
    with gzip.open(originals.SHOP_FILE, "rt", encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    for each in found:
        for image in each["event"]["debug_meta"]["images"]:
            script = build.BUILT / image["code_file"].rpartition("/")[2]
            assert f"debugId={image['debug_id']}" in script.read_text("utf-8"), each["event"]["extra"]
        named = [event_id for segment in each["segments"] for event_id in segment["event"]["error_ids"]]
        assert each["event"]["event_id"] in named
        assert all(segment["recorded"] for segment in each["segments"])


@pytest.mark.parametrize(
    ("path", "case"),
    [
        ("/api/coupons/SUMMER24?cents=100", "KeyError"),
        ("/api/tax?country=MC&cents=100", "ZeroDivisionError"),
        ("/api/stock/rug-meadow", "StockUnavailableError"),
    ],
)
def test_an_error_of_the_live_shop_has_the_stack_of_the_history_s(
    shop: TestClient, lines: Lines, path: str, case: str
) -> None:
    shop.get(path)
    (live,) = errors(lines())
    with gzip.open(originals.SERVER_FILE, "rt", encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    captured_events = [
        item["payload"]
        for item in items
        if item["type"] == "event" and "case" not in item["payload"].get("extra", {})
    ]
    of_case = [event for event in captured_events if event["exception"]["values"][-1]["type"] == case]
    stacks = {own_stack(event) for event in [live, *of_case]}
    assert len(stacks) == 1


def own_stack(event: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    frames = event["exception"]["values"][-1]["stacktrace"]["frames"]
    return tuple((frame["module"], frame["function"]) for frame in frames if frame["in_app"])

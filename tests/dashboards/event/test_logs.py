"""Log records on the page of an event, as a real SDK sends them."""

import json
import logging
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import errata_sdk
import pytest
import sentry_sdk
from httpx2 import Response
from sentry_sdk import logger
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import first_issue

BODY = re.compile(r'<span class="log-text">([^<]*)</span>')
LEVEL = re.compile(r'<span class="log-level log-(\w+)">')


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def start(site: Site, folder: Path) -> None:
    errata_sdk.init(
        app_key=site.account.app_key,
        storage_path=str(folder),
        environment="production",
        release="shop@1.4",
        server_name="web-1",
        enable_logs=True,
    )


def written(folder: Path) -> list[bytes]:
    sentry_sdk.flush(timeout=20)
    return [line for file in folder.glob("errata-*.log") for line in file.read_bytes().splitlines()]


def fail_after_logs() -> None:
    with sentry_sdk.start_transaction(op="task", name="pay"):
        logger.info("Paying order {order}", order=17, attributes={"shop.card": "visa"})
        logging.getLogger("shop").warning("Retrying %s", "once")
        logger.error("password=hunter2-hunter2 is <b>wrong</b>", attributes={"api_key": "hunter2-hunter2"})
        sentry_sdk.capture_message("Payment failed", "error")
        logger.debug("Rolled back")


def page(client: TestClient, query: str = "") -> str:
    answer = client.get(f"{first_issue(client)}{query}")
    assert answer.status_code == 200
    return answer.text.split('id="logs"')[1].split("</section>")[0]


def test_records_of_the_trace_are_beside_the_error(live_site: Site, folder: Path) -> None:
    client = live_site.sign_in()
    start(live_site, folder)
    fail_after_logs()
    lines = written(folder)
    for _ in range(2):
        live_site.deliver(lines)
    shown = page(client)
    bodies = BODY.findall(shown)
    assert bodies[0] == "Paying order 17" and bodies[-1] == "Rolled back"
    assert LEVEL.findall(shown) == ["info", "warn", "error", "debug"]
    # The event is between what was logged before it and after it.
    assert shown.index("is &lt;b&gt;wrong") < shown.index('class="event-itself"') < shown.index("Rolled back")
    assert "shop.card" in shown and "visa" in shown
    assert "hunter2" not in shown
    assert "Records of this event's trace" in shown
    (computed,) = re.findall(r'href="(/computed/logs_beside_event[^"]+)"', shown)
    assert "errata_raw.logs" in client.get(unescape(computed)).text


def test_records_are_filtered_by_level_and_text(live_site: Site, folder: Path) -> None:
    client = live_site.sign_in()
    start(live_site, folder)
    fail_after_logs()
    live_site.deliver(written(folder))
    assert LEVEL.findall(page(client, "?log_level=warn")) == ["warn", "error"]
    assert BODY.findall(page(client, "?log_query=VISA")) == ["Paying order 17"]
    assert BODY.findall(page(client, "?log_query=retrying&log_level=warn")) == ["Retrying once"]
    nothing = page(client, "?log_query=nowhere")
    assert "No matching log records" in nothing and 'value="nowhere"' in nothing


def test_records_of_the_host_stand_in_for_an_event_without_records_of_its_trace(
    live_site: Site, folder: Path
) -> None:
    client = live_site.sign_in()
    start(live_site, folder)
    with sentry_sdk.new_scope():
        logger.info("Disk is full")
    sentry_sdk.flush()
    with sentry_sdk.isolation_scope() as scope:
        scope.set_new_propagation_context()
        sentry_sdk.capture_message("Payment failed", "error")
    live_site.deliver(written(folder))
    shown = page(client)
    assert "from the same host and environment" in shown
    assert BODY.findall(shown) == ["Disk is full"]


def test_an_event_without_records_says_how_to_get_them(live_site: Site, folder: Path) -> None:
    client = live_site.sign_in()
    start(live_site, folder)
    sentry_sdk.capture_message("Payment failed", "error")
    live_site.deliver(written(folder))
    shown = page(client)
    assert "once they are enabled" in shown and "<form" not in shown


def test_more_than_a_hundred_records_are_counted(live_site: Site, folder: Path) -> None:
    client = live_site.sign_in()
    start(live_site, folder)
    with sentry_sdk.start_transaction(op="task", name="pay"):
        # At 100 records the SDK writes in a thread of its own, for which a flush does not wait.
        for part in (range(65), range(65, 130)):
            for number in part:
                logger.info(f"Step {number}")
            sentry_sdk.flush()
        sentry_sdk.capture_message("Payment failed", "error")
    live_site.deliver(written(folder))
    shown = page(client)
    assert "130 match; showing the 100 nearest to the event" in shown
    assert len(BODY.findall(shown)) == 100


def test_rest_lists_the_records_of_an_event(live_site: Site, folder: Path) -> None:
    start(live_site, folder)
    fail_after_logs()
    lines = written(folder)
    live_site.deliver(lines)
    headers = {"Authorization": f"Bearer {live_site.account.api_key}"}
    (event_id,) = (line["payload"]["event_id"] for line in map(json.loads, lines) if line["type"] == "event")

    def asked(event: str = event_id, **query: object) -> Response:
        parameters = {name: str(value) for name, value in query.items()}
        return live_site.client.get(f"/api/events/{event}/logs", params=parameters, headers=headers)

    found = asked().json()
    assert (found["scope"], found["record_count"]) == ("trace", 4)
    first = found["logs"][0]
    assert (first["body"], first["level"], first["server_name"]) == ("Paying order 17", "info", "web-1")
    assert first["attributes"]["shop.card"] == "visa" and len(first["span_id"]) == 16
    assert [one["level"] for one in asked(level="warn").json()["logs"]] == ["warn", "error"]
    assert [one["body"] for one in asked(query="RETRYING").json()["logs"]] == ["Retrying once"]
    limited = asked(limit=2).json()
    assert (limited["record_count"], len(limited["logs"])) == (4, 2)
    nothing = asked(query="nowhere").json()
    assert (nothing["scope"], nothing["record_count"], nothing["logs"]) == ("trace", 0, [])
    assert asked(level="loud").status_code == asked(limit=1001).status_code == 400
    assert asked("0" * 32).status_code == 404

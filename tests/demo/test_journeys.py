import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from demo import chromium, journeys
from demo.stage import answers

Lines = Callable[[], list[dict[str, Any]]]
EXECUTABLE = chromium.found()


@pytest.fixture
def address(logs: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "demo.shop", "--port", str(port)),
            *("--app-key", "errata_app_test", "--logs", str(logs)),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 30
    while not answers(url):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield url
    process.terminate()
    process.wait(10)


async def walk(address: str) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=EXECUTABLE, args=list(chromium.ARGUMENTS))
        for journey in (
            journeys.meet_a_discontinued_product,
            journeys.compare_products,
            journeys.subscribe_with_a_typo,
            journeys.use_loyalty_points,
            journeys.ask_when_a_vase_arrives,
        ):
            page = await browser.new_page()
            await journey(journeys.Visit(page, address, 0.25))
            await page.goto("about:blank")
            await page.close()
        await browser.close()


@pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on this machine")
@pytest.mark.slow
def test_what_goes_wrong_in_a_real_browser_is_in_the_log_with_its_page_loads(
    address: str, lines: Lines
) -> None:
    asyncio.run(walk(address))
    events = [line["payload"] for line in lines() if line["type"] == "event"]
    browser = [event for event in events if event["platform"] == "javascript"]
    found = {event["exception"]["values"][-1]["type"] for event in browser}
    assert found == {"TypeError", "ReferenceError", "RangeError", "ApiError"}
    assert "6" in {event.get("user", {}).get("id", "")[-1:] for event in browser}
    spans = [span for line in lines() if line["type"] == "span" for span in line["payload"]["items"]]
    operations = {span["attributes"]["sentry.op"]["value"] for span in spans}
    assert {
        "pageload",
        "http.client",
        "browser.load_event",
        "resource.script",
        "ui.webvital.lcp",
    } <= operations

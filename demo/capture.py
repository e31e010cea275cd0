"""`python -m demo.capture`: what goes wrong on the shop's pages, and its replays, captured in a real browser.

Needed again after each change of the shop's scripts: positions in them are part of what is captured.
"""

import asyncio
import base64
import gzip
import json
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

from demo import chromium, journeys
from demo.folder import DemoFolder
from demo.originals import SHOP_FILE
from demo.stage import answers

CASES = {
    "coupon": journeys.use_an_old_coupon,
    "tax": journeys.pay_taxes_in_monaco,
    "declined": journeys.pay_with_an_empty_card,
    "stock": journeys.ask_the_north_warehouse,
    "related-price": journeys.meet_a_discontinued_product,
    "compare": journeys.compare_products,
    "newsletter": journeys.subscribe_with_a_typo,
    "loyalty": journeys.use_loyalty_points,
    "delivery-date": journeys.ask_when_a_vase_arrives,
}

LOOKS_AFTERWARDS = 8


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = DemoFolder(Path(directory))
        port = str(folder.port("shop"))
        shop = ("-m", "demo.shop", "--port", port, "--app-key", "errata_app_of_capture")
        process = subprocess.Popen([sys.executable, *shop, "--logs", str(folder.logs)])
        try:
            while not answers(f"http://127.0.0.1:{port}"):
                time.sleep(0.2)
            found = asyncio.run(walk(f"http://127.0.0.1:{port}", folder.logs))
        finally:
            process.terminate()
            process.wait(10)
    with gzip.open(SHOP_FILE, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in found)


async def walk(shop: str, logs: Path) -> list[dict[str, Any]]:
    from playwright.async_api import async_playwright

    found: list[dict[str, Any]] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium.found(), args=list(chromium.ARGUMENTS)
        )
        for case, journey in CASES.items():
            before = len(lines_of(logs))
            page = await browser.new_page(viewport={"width": 1100, "height": 700})
            visit = journeys.Visit(page, shop, 0.7)
            await journey(visit)
            for _ in range(LOOKS_AFTERWARDS):
                await visit.look()
            await page.goto("about:blank")
            await asyncio.sleep(1)
            await page.close()
            found.append(told(case, lines_of(logs)[before:]))
        await browser.close()
    return found


def lines_of(logs: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in sorted(logs.glob("*.log")) for line in path.read_bytes().splitlines()
    ]


def told(case: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The last error of a page, with the segments of its replay."""
    segments: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        if line["type"] == "replay_event":
            segments[line["payload"]["replay_id"]].append({"event": line["payload"]})
        if line["type"] == "replay_recording":
            _, _, recorded = base64.b64decode(line["payload_b64"]).partition(b"\n")
            segments[line["headers"]["event_id"]][-1]["recorded"] = json.loads(zlib.decompress(recorded))
    events = [line["payload"] for line in lines if line["type"] == "event"]
    event = [each for each in events if each["platform"] == "javascript"][-1]
    event.setdefault("extra", {})["case"] = case
    return {"event": event, "segments": segments[event["tags"]["replayId"]]}


if __name__ == "__main__":
    main()

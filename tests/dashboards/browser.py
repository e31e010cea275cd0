"""A real browser that hears what a page complains of."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import ConsoleMessage, Error, Page, Request, expect, sync_playwright

FOUND = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
CHROMIUM = next((path for path in FOUND if path), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Controls that a screen reader could not name, and ids that are there twice.
UNNAMED = """() => [
    ...[...document.querySelectorAll("input:not([type=hidden]), select, button, a, summary")]
        .filter(control => !control.labels?.length && !control.textContent.trim() && !control.ariaLabel)
        .map(control => control.outerHTML),
    ...[...document.querySelectorAll("[id]")]
        .filter(element => document.querySelectorAll("#" + CSS.escape(element.id)).length > 1)
        .map(element => "twice: " + element.id),
]"""

# A busy machine is no failure.
expect.set_options(timeout=20_000)


@dataclass
class Watched:
    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def fail(self, error: Error) -> None:
        self.complaints.append(str(error))

    def ask(self, request: Request) -> None:
        if not request.url.startswith(self.address):
            self.complaints.append(f"asked {request.url}")

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)


@pytest.fixture
def watched(address: str) -> Iterator[Watched]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(20_000)
        seen = Watched(page, address)
        page.on("console", seen.hear)
        page.on("pageerror", seen.fail)
        page.on("request", seen.ask)
        yield seen
        browser.close()

"""A real browser that hears what a page complains of."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from errata.state.accounts import FirstAccount

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

    def sign_in(self, path: str, account: FirstAccount) -> None:
        """By keyboard, on the way to the path."""
        self.go(path)
        self.page.fill("input[name=email]", account.email)
        self.page.fill("input[name=password]", account.password)
        self.page.keyboard.press("Enter")


CUT_OFF = """() => {
  const isBox = (style) => ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
  const cut = [];
  for (const one of document.querySelectorAll("main :is(td, th, a, button, input, select, h1, h2)")) {
    const right = one.getBoundingClientRect().right;
    if (!one.getClientRects().length || one.closest(".visually-hidden, .chart, summary, thead")) continue;
    if (one.matches(".stacked :is(td, th)") && one.scrollWidth > one.clientWidth + 1) {
      cut.push(`${one.localName} spills over ${one.textContent.trim().slice(0, 40)}`);
    }
    for (let box = one.parentElement; box.localName !== "main"; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (["auto", "scroll"].includes(style.overflowX)) break;
      if (isBox(style) && right > box.getBoundingClientRect().right + 1) {
        cut.push(`${one.localName} ${one.textContent.trim().slice(0, 40)}`);
        break;
      }
    }
  }
  return cut;
}"""
BUTTONS_OUT_OF_SIGHT = """() => [...document.querySelectorAll("main :is(button, a.button)")]
  .filter((one) => one.getClientRects().length && !one.closest(".visually-hidden, .tabs, .searches")
    && one.getBoundingClientRect().left >= innerWidth)
  .map((one) => one.textContent.trim())"""


def out_of_sight(page: Page) -> list[str]:
    """What a window of this width cuts off, and buttons that only scrolling sideways would reveal."""
    return [*page.evaluate(CUT_OFF), *page.evaluate(BUTTONS_OUT_OF_SIGHT)]


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with a page as it stands: WCAG 2 A and AA, and common practice."""
    # What is being fetched is paler for a moment.
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    options = {"resultTypes": ["violations"], "rules": {"duplicate-id": {"enabled": True}}}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


# What is wrong with where the focus is; empty: it is somewhere, can be seen, and is marked.
FOCUS = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return "nothing has it";
    if (!at.checkVisibility({ visibilityProperty: true })) return `hidden: ${at.outerHTML}`;
    const box = at.getBoundingClientRect();
    if (box.bottom <= 0 || box.top >= innerHeight) return `out of sight: ${at.outerHTML}`;
    return getComputedStyle(at).outlineStyle === "none" ? `not marked: ${at.outerHTML}` : "";
}"""


@dataclass(frozen=True)
class Weight:
    """Bytes on the wire of a first visit. `charts`: those of the library that draws them."""

    document: int
    styles: int
    scripts: int
    fonts: int
    charts: int
    others: int

    @property
    def without_charts(self) -> int:
        return self.document + self.styles + self.scripts + self.fonts + self.others


KINDS = {"Document": "document", "Stylesheet": "styles", "Script": "scripts", "Font": "fonts"}


def weight(context: BrowserContext, url: str) -> Weight:
    """Of a page opened in a context whose cache is empty."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    kinds: dict[str, str] = {}
    sizes = dict.fromkeys(Weight.__dataclass_fields__, 0)

    def answered(event: dict[str, Any]) -> None:
        is_chart = "/vendor/plotly/" in event["response"]["url"]
        kinds[event["requestId"]] = "charts" if is_chart else KINDS.get(event["type"], "others")

    def ended(event: dict[str, Any]) -> None:
        sizes[kinds.get(event["requestId"], "others")] += int(event["encodedDataLength"])

    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", ended)
    page.goto(url, wait_until="networkidle")
    page.close()
    return Weight(**sizes)


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

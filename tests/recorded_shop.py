"""A shop of two pages that record themselves with the real SDK, and a visit that ends in an error."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from errata_sdk import tunnel
from playwright.sync_api import Page
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.ports import free_port, wait_for

FILES = Path(__file__).parent / "data" / "recorded_shop"
SIZE = {"width": 800, "height": 600}
PHOTO = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='64' height='40'>"
    b"<rect width='64' height='40' fill='#c8452f'/></svg>"
)
# The SDK keeps what is younger than this to itself.
SHORTEST_MS = 5500
# What the SDK does by default to text, input and media before it sends them:
# https://docs.sentry.io/platforms/javascript/session-replay/privacy/
MASK = """() => {
  const written = document.querySelectorAll("input:not([type=checkbox]), textarea");
  const fields = [...written].map((one) => [one, one.value]);
  const media = [...document.querySelectorAll("img, svg")].map((one) => [one, one.getBoundingClientRect()]);
  const masked = (root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode, tag = text.parentElement?.tagName ?? "";
      if (tag === "OPTION") text.data = "*".repeat(text.data.length);
      else if (tag !== "STYLE" && tag !== "SCRIPT") text.data = text.data.replace(/\\S/g, "*");
    }
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) masked(one.shadowRoot);
  };
  masked(document.body);
  for (const [field, value] of fields) field.value = "*".repeat(value.length);
  for (const [one, { width, height }] of media) {
    const empty = document.createElementNS(one.namespaceURI, one.localName);
    empty.setAttribute("class", one.getAttribute("class") ?? "");
    Object.assign(empty.style, { width: `${width}px`, height: `${height}px` });
    one.replaceWith(empty);
  }
}"""


@contextmanager
def running(app_key: str, logs: Path) -> Iterator[str]:
    """The shop's address; what its visitors' SDKs send is written to log files in the folder."""
    routes = [
        Route("/tunnel", tunnel.asgi(app_key, logs), methods=["POST"]),
        Route("/photo.png", lambda _: Response(PHOTO, media_type="image/svg+xml")),
        Mount("/", StaticFiles(directory=FILES, html=True)),
    ]
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(port)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def visit(page: Page, address: str, is_masked: bool) -> bytes:
    """Goes from page to page, types, chooses, scrolls and pays, which fails. Returns a picture of the page at
    that moment, masked as the recording is. The page changes for the last time three seconds later."""
    page.context.add_cookies([{"name": "masked", "value": "yes" if is_masked else "no", "url": address}])
    page.set_viewport_size(SIZE)  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_timeout(SHORTEST_MS)
    page.get_by_role("link", name="Basket").click()
    page.locator("#lines li").nth(1).wait_for()
    page.get_by_label("Name").press_sequentially("Ada Byron")
    page.get_by_label("Delivery").select_option("At the nursery")
    page.get_by_label("Note").press_sequentially("By the gate, please")
    page.get_by_label("It is a gift").check()
    page.locator(".terms").evaluate("terms => terms.scrollTo(0, 40)")
    page.evaluate("scrollTo(0, 30)")
    # What happens later is not yet so two seconds before the error.
    page.wait_for_timeout(2500)
    page.get_by_role("button", name="Pay").click()
    page.wait_for_selector("body[data-failed]")
    if is_masked:
        page.evaluate(MASK)
    picture = page.screenshot(animations="disabled")
    assert page.locator("body[data-advised]").count() == 0, "the picture was taken too late"
    page.wait_for_selector("body[data-advised]")
    page.wait_for_timeout(500)
    page.evaluate("Sentry.getReplay().flush()")
    return picture

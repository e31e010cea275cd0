"""A page of another origin, with Sentry's SDK for browsers as it is published, sends by DSN."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from errata.dsn import dsn_of
from tests.dashboards.browser import CHROMIUM, FLAGS
from tests.dashboards.conftest import Site

ROOT = Path(__file__).resolve().parents[3]
SDK = ROOT / "demo/shop/vendor/sentry-browser/sentry-browser-11.12.0.min.js"
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
LISTED_WITHIN_SECONDS = 20


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (as the base names it)
        """Says nothing."""


@contextmanager
def pages(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@needs_chromium
@pytest.mark.slow
def test_errors_of_a_page_arrive_unless_its_origin_is_not_listed(
    live_site: Site, address: str, tmp_path: Path
) -> None:
    account = live_site.account
    dsn = dsn_of(address, account.public_key, account.project_id)
    (tmp_path / "sdk.js").write_bytes(SDK.read_bytes())
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>Shop</title><script src=sdk.js></script>"
        f"<script>Sentry.init({{ dsn: '{dsn}', release: 'page@1' }});</script>"
    )
    client = live_site.sign_in()

    def titles() -> list[str]:
        return [issue["title"] for issue in client.get("/api/projects/shop/issues").json()["issues"]]

    with pages(tmp_path) as origin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()

        def fail(message: str) -> int:
            page.goto(origin)
            with page.expect_response(lambda response: "/envelope/" in response.url) as sent:
                page.evaluate(f"setTimeout(() => {{ throw new Error('{message}') }})")
            # Sessions may go before the error.
            page.wait_for_timeout(300)
            return sent.value.status

        assert fail("from another origin") == 200
        until = time.monotonic() + LISTED_WITHIN_SECONDS
        while "Error: from another origin" not in titles() and time.monotonic() < until:
            time.sleep(0.2)
        assert "Error: from another origin" in titles()
        live_site.store.allowed_origins.replace(1, "shop", ["https://shop.example"], actor="test")
        page.wait_for_timeout(11_000)
        assert fail("not listed") == 403
        browser.close()
    assert "Error: not listed" not in titles()


OPEN_DIALOG = """
    (address) => new Promise((resolve) => {
      window.addEventListener("message", (event) => {
        if (event.data === "__sentry_reportdialog_closed__") document.title = "closed";
      });
      const script = document.createElement("script");
      script.crossOrigin = "anonymous";
      script.src = address;
      script.onload = () => resolve("loaded");
      script.onerror = () => resolve("refused");
      document.head.append(script);
    })
"""


@needs_chromium
@pytest.mark.slow
def test_the_dialog_of_an_error_page_sends_feedback_under_a_strict_policy(
    live_site: Site, address: str, tmp_path: Path
) -> None:
    account = live_site.account
    dsn = dsn_of(address, account.public_key, account.project_id)
    asked = f"{address}/api/embed/error-page/?dsn={dsn}&eventId={'ab' * 16}&name=Ann&title=Oh%20no"
    policy = f"default-src 'none'; script-src {address}; connect-src {address}"
    (tmp_path / "index.html").write_text(
        f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}"><title>Shop</title>'
    )
    with pages(tmp_path) as origin, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(origin)
        # As the SDK's showReportDialog does it.
        assert page.evaluate(OPEN_DIALOG, asked) == "loaded"
        # The name is known, so the focus is behind it.
        for typed in ("ann@example.com", "I paid & it broke"):
            page.keyboard.type(typed)
            page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        with page.expect_response(lambda response: response.request.method == "POST") as sent:
            page.keyboard.press("Enter")
        assert sent.value.status == 200
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        page.wait_for_function("document.title === 'closed'")
        assert not complaints
        assert page.evaluate(OPEN_DIALOG, asked.replace(account.public_key, "errata_public_x")) == "refused"
        browser.close()
    client, until = live_site.sign_in(), time.monotonic() + LISTED_WITHIN_SECONDS
    while not (found := client.get("/api/projects/shop/feedback").json()["feedback"]):
        assert time.monotonic() < until
        time.sleep(0.2)
    (one,) = found
    assert (one["message"], one["user_name"], one["user_email"]) == (
        "I paid & it broke",
        "Ann",
        "ann@example.com",
    )

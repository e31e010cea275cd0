"""What a first visit to a page weighs on the wire, in bytes as Chromium asks for them.

`python -m bench.page_weights --address URL --email EMAIL --password PASSWORD [PATH …]` opens pages of a
running service, each with an empty cache; without paths, the sign-in page and those of the navigation.
"""

import argparse
from dataclasses import asdict

from playwright.sync_api import sync_playwright

from bench.figures import figure
from tests.dashboards.browser import CHROMIUM, FLAGS, weight

NAVIGATION = "[...document.querySelectorAll('nav.primary > a')].map((link) => link.getAttribute('href'))"


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--address", "--email", "--password"):
        parser.add_argument(name, required=True)
    parser.add_argument("paths", nargs="*")
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(given.address + "/sign-in")
        page.locator("#email").fill(given.email)
        page.locator("#password").fill(given.password)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "/sign-in" not in url)
        signed_in = page.context.storage_state()
        for path in given.paths or ["/sign-in", *page.evaluate(NAVIGATION)]:
            context = browser.new_context(storage_state=None if path == "/sign-in" else signed_in)
            found = weight(context, given.address + path)
            figure(
                "page_weight", found.without_charts / 1000, "KB without charts", path=path, **asdict(found)
            )
            context.close()
        browser.close()


if __name__ == "__main__":
    main()

"""The `?` beside headings."""

import re

import pytest
from playwright.sync_api import expect

from dashboards.shared.help_topics import HELP
from dashboards.shared.rendering import DASHBOARDS
from errata.documentation.documents import documents
from tests.cases import each
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site

USED = re.compile(r'\bhelp\("([^"]+)"\)')


@each("topic", HELP)
def test_a_topic_leads_to_a_heading(topic: str) -> None:
    name, _, anchor = HELP[topic].partition("#")
    document = documents()[f"{name}.md"]
    assert anchor in {"", *(section.anchor for section in document.sections)}


def test_topics_are_those_that_templates_name() -> None:
    assert set(HELP) == {
        topic for path in DASHBOARDS.rglob("*.html") for topic in USED.findall(path.read_text())
    }


def test_help_is_a_link_without_scripts(site: Site) -> None:
    page = site.sign_in().get("/settings/people").text
    assert '<a class="help" href="/docs/people" data-help aria-label="Help: people">' in page


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_help_opens_beside_the_page_and_gives_the_focus_back(live_site: Site, watched: Watched) -> None:
    page = watched.page
    watched.sign_in("/settings/people", live_site.account)
    link = page.get_by_role("link", name="Help: people")
    link.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="People")
    expect(panel).to_contain_text("Settings → People")
    expect(panel.get_by_role("link", name="Open page")).to_have_attribute(
        "href", f"{watched.address}/docs/people"
    )
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(link).to_be_focused()

    watched.go("/projects/shop/alerts")
    page.set_viewport_size({"width": 390, "height": 800})
    page.get_by_role("link", name="Help: channels").click()
    panel = page.get_by_role("dialog", name="Channels")
    expect(panel).to_contain_text("webhook")
    assert violations(page) == []
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    assert watched.complaints == []

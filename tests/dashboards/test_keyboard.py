"""The whole way from the list to a shared issue and back in a real browser, with the keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.browser import CHROMIUM, FOCUS, Watched
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

ROW = "tr[data-issue]:focus-within"


class Hands:
    """Presses keys, nothing else; after each the focus must be somewhere that people see."""

    def __init__(self, watched: Watched) -> None:
        self.page: Page = watched.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        self.page.keyboard.type(words)

    def tab_to(self, selector: str, key: str = "Tab") -> None:
        for _ in range(80):
            self.page.keyboard.press(key)
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                self.sees_the_focus()
                return
        raise AssertionError(f"no {key} leads to {selector}")

    def sees_the_focus(self) -> None:
        assert self.page.evaluate(FOCUS) == ""

    def says(self, words: str) -> None:
        expect(self.page.locator("[data-toast]")).to_contain_text(words)


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_the_whole_workflow_needs_no_mouse(live_site: Site, watched: Watched) -> None:
    live_site.deliver(event_lines("python_errors", since_capture())[:60])
    hands = Hands(watched)
    watched.go("/projects/shop/issues?sort=events")
    somebody_signs_in(hands, live_site)
    issues_are_selected(hands)
    they_are_resolved_and_it_is_undone(hands)
    one_is_assigned(hands, live_site)
    a_search_is_completed(hands)
    help_lists_the_keys(hands)
    heading = an_issue_is_opened(hands)
    the_list_is_walked(hands)
    its_events_are_leafed_through(hands)
    it_is_resolved_in_a_release(hands)
    it_is_commented_on(hands)
    two_events_are_compared(hands)
    it_is_shared(hands)
    the_way_back_leads_to_its_row(hands, heading)
    assert watched.complaints == []


def somebody_signs_in(hands: Hands, site: Site) -> None:
    hands.tab_to("input[name=email]")
    hands.type(site.account.email)
    hands.press("Tab")
    hands.type(site.account.password)
    hands.press("Enter")
    expect(hands.page.locator("h1")).to_have_text("Issues")
    # Its scripts come after the page; they show this button.
    expect(hands.page.locator("[data-save-search]")).to_be_visible()


def issues_are_selected(hands: Hands) -> None:
    rows = hands.page.locator("tr[data-issue]")
    picked = hands.page.locator("tr.is-picked")
    hands.press("j")
    hands.sees_the_focus()
    hands.press("j", "j", "k")
    expect(hands.page.locator(ROW)).to_have_attribute(
        "data-issue", rows.nth(1).get_attribute("data-issue") or ""
    )
    hands.press("x", "j", "j", "Shift+X")
    expect(picked).to_have_count(3)
    hands.press("x")
    expect(picked).to_have_count(2)
    hands.sees_the_focus()


def they_are_resolved_and_it_is_undone(hands: Hands) -> None:
    rows = hands.page.locator("tr[data-issue]")
    before = rows.count()
    hands.press("e")
    hands.says("2 issues resolved.")
    expect(rows).to_have_count(before - 2)
    hands.sees_the_focus()
    hands.press("z")
    hands.says("Undone.")
    expect(rows).to_have_count(before)
    hands.sees_the_focus()


def one_is_assigned(hands: Hands, site: Site) -> None:
    hands.press("a")
    select = hands.page.locator("#assignee")
    expect(select).to_be_focused()
    expect(select).to_have_value(site.account.email)
    hands.press("Escape")
    hands.sees_the_focus()
    hands.press("a")
    hands.tab_to("[data-assign-dialog] button[type=submit]")
    hands.press("Enter")
    hands.says("1 issue assigned.")
    expect(hands.page.locator("tr[data-issue] .assignee")).to_contain_text(site.account.email)
    hands.sees_the_focus()


def a_search_is_completed(hands: Hands) -> None:
    page = hands.page
    box, options = page.locator("#query"), page.locator("[role=option]")
    row = page.locator(ROW).get_attribute("data-issue")
    hands.press("/")
    expect(box).to_be_focused()
    hands.press("Escape")
    expect(page.locator(ROW)).to_have_attribute("data-issue", row or "")
    hands.press("/")
    hands.type("envir")
    expect(options.first).to_contain_text("environment")
    hands.press("ArrowDown", "Enter")
    expect(box).to_have_value("environment:")
    expect(options.filter(has_text="production").first).to_be_visible()
    marked = page.locator("[role=option][aria-selected=true]", has_text="production")
    while not marked.count():
        hands.press("ArrowDown")
    hands.press("Enter")
    expect(box).to_have_value("environment:production ")
    expect(options.first).to_be_hidden()
    hands.press("Enter")
    page.wait_for_url("**query=environment*")
    assert "sort=events" in page.url
    expect(page.locator("tr[data-issue]").first).to_be_visible()


def help_lists_the_keys(hands: Hands) -> None:
    hands.press("j", "?")
    dialog = hands.page.get_by_role("dialog", name="Keyboard")
    expect(dialog).to_contain_text("Select issue")
    hands.sees_the_focus()
    hands.press("Escape")
    expect(dialog).to_have_count(0)
    hands.sees_the_focus()


def an_issue_is_opened(hands: Hands) -> str:
    words = hands.page.locator(f"{ROW} .type").inner_text()
    hands.press("Enter")
    hands.page.wait_for_url("**/issues/*")
    expect(hands.page.locator("h1")).to_contain_text(words)
    return words


def the_list_is_walked(hands: Hands) -> None:
    page = hands.page
    opened = page.url.split("?")[0]
    hands.press("j")
    page.wait_for_url(lambda address: not address.startswith(opened))
    expect(page.locator("[data-neighbor=previous]")).to_be_visible()
    hands.press("k")
    page.wait_for_url(f"{opened}?*")
    expect(page.locator("[data-neighbor=next]")).to_be_visible()
    hands.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Next issue in the list")
    hands.press("Escape")


def its_events_are_leafed_through(hands: Hands) -> None:
    page = hands.page
    newest = page.url
    hands.press("[")
    page.wait_for_url("**event=*")
    older = page.url
    hands.press("]")
    page.wait_for_url(lambda address: address != older)
    assert newest.split("?")[0] in page.url
    hands.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Older event")
    hands.press("Escape")


def it_is_resolved_in_a_release(hands: Hands) -> None:
    status = hands.page.locator(".marks .status")
    hands.press("e")
    expect(status).to_have_text("resolved")
    hands.press("z")
    expect(status).to_have_text("unresolved")
    hands.press("a")
    expect(hands.page.locator(".assignee")).to_be_visible()

    hands.tab_to("summary[aria-label='More resolve options']")
    hands.press("Enter", "Escape")
    hands.sees_the_focus()
    hands.press("Enter")
    hands.tab_to("#resolve-release")
    hands.type("shop@99.0.0")
    hands.press("Enter")
    expect(status).to_have_text("resolved")
    expect(hands.page.locator(".marks")).to_contain_text("shop@99.0.0")
    hands.sees_the_focus()
    hands.press("u")
    expect(status).to_have_text("unresolved")
    hands.sees_the_focus()


def it_is_commented_on(hands: Hands) -> None:
    hands.tab_to("nav.tabs a[href*='tab=activity']")
    hands.press("Enter")
    hands.page.wait_for_url("**tab=activity*")
    hands.tab_to("#comment")
    hands.type("Found **it**.")
    hands.press("Tab", "Enter")
    expect(hands.page.locator(".comment strong")).to_have_text("it")
    hands.sees_the_focus()


def two_events_are_compared(hands: Hands) -> None:
    hands.tab_to("nav.tabs a[href*='tab=events']", "Shift+Tab")
    hands.press("Enter")
    hands.page.wait_for_url("**tab=events*")
    hands.tab_to("form[method=get] table .button")
    hands.press("Enter")
    hands.page.wait_for_url("**tab=compare*")
    expect(hands.page.locator("section.compare").first).to_be_visible()


def it_is_shared(hands: Hands) -> None:
    hands.tab_to(".actions details:has(#share-issue) > summary")
    hands.press("Enter")
    hands.tab_to("form[data-api$='/share-links'] .primary-action")
    hands.press("Enter")
    made = hands.page.locator("[data-made] input")
    expect(made).to_be_focused()
    assert "/shared/" in made.input_value()
    expect(hands.page.locator("#share-links code")).to_have_count(1)
    hands.press("Escape")
    expect(hands.page.locator("#share-issue")).to_be_hidden()
    hands.sees_the_focus()


def the_way_back_leads_to_its_row(hands: Hands, heading: str) -> None:
    hands.press("Escape")
    hands.page.wait_for_url("**/issues?*query=environment*")
    expect(hands.page.locator(f"{ROW} .type")).to_have_text(heading)
    hands.sees_the_focus()

"""The head of an issue and its activity in a real browser, by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from dashboards.shared.markdown import markdown
from errata.warehouse.queries.vocabulary import issue_text
from errata.warehouse.roles import Role
from tests.cases import each
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import Site
from tests.dashboards.events import MARK
from tests.dashboards.test_live_pages import event_lines, since_capture
from tests.processes import WarehouseProcess

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def the_issue(warehouse: WarehouseProcess) -> str:
    rows = warehouse.client(Role.INGEST).rows("select issue_id from errata_raw.variant_issues limit 1")
    return issue_text(rows[0]["issue_id"])


def press(page: Page, name: str, key: str = "Enter") -> None:
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press(key)


def open_menu(page: Page, words: str) -> None:
    page.locator(f"summary:has-text('{words}'), summary[aria-label='{words}']").first.focus()
    page.keyboard.press("Enter")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_decisions_are_made_taken_back_and_told(
    live_site: Site, watched: Watched, warehouse: WarehouseProcess
) -> None:
    live_site.deliver(event_lines("python_errors", since_capture())[:1])
    page = watched.page
    page.set_default_timeout(90_000)
    watched.go("/sign-in")
    page.fill("input[name=email]", live_site.account.email)
    page.fill("input[name=password]", live_site.account.password)
    page.click("button.primary-action")
    watched.go(f"/issues/{the_issue(warehouse)}?period=90d")
    status = page.locator(".marks .status")
    expect.set_options(timeout=60_000)
    expect(status).to_have_text("unresolved")

    press(page, "Resolve")
    press(page, "Undo")
    expect(page.locator("[data-toast]")).to_have_text("Undone.")
    expect(status).to_have_text("unresolved")

    open_menu(page, "Ignore")
    press(page, "Until it escalates")
    expect(status).to_have_text("ignored")
    expect(page.locator(".marks")).to_contain_text("until it escalates")
    open_menu(page, "Assign")
    press(page, f"Me {live_site.account.email}")
    expect(page.locator(".assignee")).to_have_text(live_site.account.email)
    open_menu(page, "priority")
    press(page, "Set to high")
    expect(page.locator(".priority-high")).to_be_visible()

    page.get_by_role("link", name="Activity").click()
    page.fill("#comment", f"**Found** it in `cart.py`: https://example.org/1 {MARK}")
    press(page, "Comment")
    comment = page.locator(".comment")
    expect(comment.locator("strong")).to_have_text("Found")
    expect(comment.locator("a")).to_have_attribute("href", "https://example.org/1")
    expect(comment.locator("img, script")).to_have_count(0)
    lines = page.locator(".timeline-line strong + *, .timeline-line span:first-child")
    expect(lines.filter(has_text="ignored it until it escalates")).to_have_count(1)
    press(page, "Undo: ignored it until it escalates")
    expect(status).to_have_text("unresolved")
    expect(page.locator(".is-undone")).to_have_count(2)
    assert violations(page) == []

    open_menu(page, "More")
    press(page, "Delete issue…")
    press(page, "Cancel")
    expect(page.locator("dialog[open]")).to_have_count(0)
    open_menu(page, "More")
    press(page, "Delete issue…")
    page.locator("#delete-issue button.danger").press("Enter")
    expect(page.locator(".marks")).to_contain_text("reappears as new if it recurs")
    press(page, "Undo")
    expect(page.locator(".marks")).not_to_contain_text("deleted by")
    assert watched.complaints == []


@each(
    ("text", "html"),
    [
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("- a\n- *b*", "<ul><li>a</li><li><em>b</em></li></ul>"),
        ("```py\n<b>x</b>\n```", "<p></p><pre>&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("`**a**`", "<p><code>**a**</code></p>"),
        ("**open", "<p>**open</p>"),
    ],
    ids=["lines", "list", "fence", "no other scheme", "code is code", "not closed"],
)
def test_a_comment_is_a_small_part_of_markdown(text: str, html: str) -> None:
    assert markdown(text) == html.replace("<p></p>", "")


def test_hostile_comments_give_text_alone() -> None:
    for hostile in (MARK, f"[{MARK}](https://x)", "`" * 9999, "*" * 9999, "[" * 9999, "https://" * 2000):
        html = str(markdown(hostile)).lower()
        assert "<script" not in html and "<img" not in html

"""The documentation as pages, without a warehouse and for everybody."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboards.documentation.markdown import anchors, html
from dashboards.shared.rendering import THEMES
from errata.documentation.documents import INDEX, Document, documents, read_sections
from tests.dashboards.browser import CHROMIUM, Watched, out_of_sight, violations
from tests.dashboards.conftest import Site

ROOT = Path(__file__).parents[3]
LINK = re.compile(r'href="(/docs[^"]*|#[^"]*)"')


def written(source: str, path: str = "page.md") -> str:
    return str(html(Document(path, tuple(read_sections(source)))))


def test_every_document_is_a_page_and_linked_from_the_index(site: Site) -> None:
    assert len(documents()) == len(list((ROOT / "docs").rglob("*.md")))
    index = site.client.get("/docs").text
    for document in documents().values():
        page = site.client.get(document.address)
        assert page.status_code == 200 and "<h1" in page.text, document.path
        assert f'href="{document.address}"' in index or document.path.startswith(("decisions/", INDEX))


def test_links_and_images_of_documents_lead_to_what_there_is(site: Site) -> None:
    known = {document.address: anchors(document) for document in documents().values()}
    for document in documents().values():
        page = str(html(document))
        for link in LINK.findall(page):
            address, _, anchor = link.partition("#")
            assert not anchor or anchor in known[address or document.address], f"{document.path}: {link}"
            assert not address or address in known, f"{document.path}: {link}"
        for image in re.findall(r'src="([^"]+)"', page):
            assert site.client.get(image).headers["Content-Type"].startswith("image/"), document.path


def test_a_link_to_another_file_is_text() -> None:
    page = written("# T\n\n[`api/app.py`](../api/app.py) [one](settings.md#errata_) [far](https://e.example)")
    assert '<p><code>api/app.py</code> <a href="/docs/settings#errata_">one</a>' in page
    assert '<a href="https://e.example">far</a>' in page
    assert '<a href="/docs/decisions">' in written("# T\n\n[all](./)", "decisions/page.md")


def test_html_and_scripts_of_a_document_are_text() -> None:
    page = written("# <b>T</b>\n\n<script>x</script> [a](javascript:alert(1))\n\n<div onclick=x>")
    assert "<script" not in page and "<b>" not in page and "<div" not in page and "<a" not in page


def test_headings_in_code_are_no_sections_and_equal_ones_have_anchors_of_their_own() -> None:
    page = written("# T\n\n```sh\n# a comment\n```\n\n## One\n\n## One\n")
    assert re.findall(r'id="([^"]+)"', page) == ["t", "one", "one-1"]


def test_a_row_that_begins_with_a_code_has_an_anchor() -> None:
    page = written("# T\n\n| code | words |\n|---|---|\n| `not_found` | none |\n| `a b` | none |\n")
    assert '<tr id="not_found">' in page and page.count("<tr id") == 1


def test_a_corner_without_words_is_no_header() -> None:
    page = written("# T\n\n| | b |\n|---|---|\n| 1 | 2 |\n")
    assert "<td></td>\n<th>b</th>" in page


@pytest.mark.parametrize("name", ["no-such-page", "%2e%2e%2fREADME", "decisions/no-such", "images/x.png"])
def test_what_is_not_a_document_is_not_found(site: Site, name: str) -> None:
    assert site.client.get(f"/docs/{name}").status_code == 404


def test_search_lists_sections_with_all_words_headings_first(site: Site) -> None:
    page = site.client.get("/docs", params={"q": "SLACK webhook"}).text
    found = re.findall(r'<li><a href="([^"]+)"', page.partition('class="matches"')[2])
    assert found[0] == "/docs/alert-channels#slack-and-mattermost" and len(found) > 3
    assert "<mark>Slack</mark>" in page
    assert "<mark>notifies</mark>" in site.client.get("/docs", params={"q": "what notifies"}).text
    asked = site.client.get("/docs", params={"q": "How do I set a budget?"}).text
    assert "/docs/budgets" in asked and "<mark>budget</mark>" in asked and "<mark>a</mark>" not in asked
    assert 'href="/docs/alerts' in site.client.get("/docs", params={"q": "alerts zzqqy"}).text
    assert "No section with “zzqqy" in site.client.get("/docs", params={"q": "zzqqy"}).text


@pytest.mark.parametrize("text", ["<b>x</b>", "(", "*", "\\", "\x00", "🙂", "x" * 9000, "%", "{{7*7}}"])
def test_odd_searches_are_answered(site: Site, text: str) -> None:
    page = site.client.get("/docs", params={"q": text})
    assert page.status_code == 200 and "<b>x</b>" not in page.text


def test_a_reader_without_an_account_has_a_plain_frame(site: Site) -> None:
    assert "Sign out" not in site.client.get("/docs/alerts").text
    assert "Sign out" in site.sign_in().get("/docs/alerts").text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("theme", THEMES[1:])
def test_documents_are_accessible_and_fit_every_width(watched: Watched, theme: str) -> None:
    page = watched.page
    watched.go("/docs")
    page.context.add_cookies([{"name": "errata_theme", "value": theme, "url": watched.address}])
    for path in ("/docs", "/docs/errors", "/docs/grouping", "/docs/decisions", "/docs?q=alert+rules"):
        for width in (390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            watched.go(path)
            assert violations(page) == [], (path, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
            assert out_of_sight(page) == [], (path, width)
    watched.go("/docs/alerts")
    page.locator(".contents a", has_text="How soon").click()
    expect(page).to_have_url(f"{watched.address}/docs/alerts#how-soon")
    assert watched.complaints == []


def test_headings_are_found_by_name(site: Site) -> None:
    found = site.sign_in().get("/api/find", params={"text": "rotate KEYS"}).json()["results"]
    # The place of the keys comes first.
    assert [one["address"] for one in found] == [
        "/settings/api-keys",
        "/docs/keys#rotate-the-api-key-without-downtime",
    ]
    assert found[1:] == [
        {
            "kind": "docs",
            "title": "Rotate the API key without downtime",
            "detail": "Keys",
            "address": "/docs/keys#rotate-the-api-key-without-downtime",
        }
    ]

"""From the table of pages to one real load: each page leads to the next, with its filters."""

import json
import re
from datetime import UTC, datetime
from html import unescape

import pytest

from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, browser_items, moved_to
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

PAGES = "/projects/shop/performance"


def links(html: str, beginning: str) -> list[str]:
    return [unescape(found) for found in re.findall(rf'href="({re.escape(beginning)}[^"]*)"', html)]


@pytest.mark.slow
def test_a_page_leads_to_the_waterfalls_of_its_median_and_p95_load(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    empty = client.get(f"{PAGES}/page?page=/checkout").text
    assert "This page has no page loads" in empty and "No data yet" in empty
    assert "No resources yet" in client.get(f"{PAGES}/resources").text
    live_site.deliver(performance_lines(since_capture())[:120])
    build_performance(warehouse)

    table = client.get(f"{PAGES}?period=7d&device=desktop").text
    (address,) = {link for link in links(table, f"{PAGES}/page") if "%2Fcheckout" in link}
    assert "period=7d" in address and "device=desktop" in address
    (address,) = {link for link in links(client.get(address).text, f"{PAGES}/page") if "tab=loads" in link}
    assert "period=7d" in address and "device=desktop" in address
    detail = client.get(address).text
    for title in ("Load p75", "TTFB p75", "DOM ready p75", "FCP p75", "LCP p75", "CLS p75", "INP p75"):
        assert f"<dt>{title}</dt>" in detail
    assert set(re.findall(r'data-label="Device">(\w+)', detail)) == {"desktop"}
    near = links(detail, f"{PAGES}/waterfall/")[:2]

    assert re.search(r"\?on=[-0-9]{10}&trace=[0-9a-f]{32}$", near[1])
    waterfall = client.get(near[1]).text
    assert "Page load of /checkout" in waterfall
    assert "wf-line-lcp_ms" in waterfall and "wf-held" in waterfall
    names = re.findall(r'class="wf-short">([^<]*)', waterfall)
    assert "/api/cart" in names and any(name.endswith(".css") for name in names)
    # Day and trace in the address only spare looking further; with wrong ones it finds the load all the same.
    for wrong in ("?on=2020-02-02", "?on=x&trace=x", f"?trace={1:032x}"):
        other = client.get(near[1].partition("?")[0] + wrong).text
        assert other.count("<rect") == waterfall.count("<rect")
    assert client.get(f"{PAGES}/waterfall/00000000000000ff").status_code == 404
    assert client.get(f"{PAGES}/waterfall/nonsense").status_code == 404
    assert client.get(f"{PAGES}/page").url.path == PAGES


@pytest.mark.slow
def test_pictures_of_a_page_show_the_figures_of_its_tables(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.deliver(performance_lines(since_capture())[:120])
    build_performance(warehouse)
    address = f"{PAGES}/page?page=/checkout&period=7d"
    html = client.get(f"{address}&metric=lcp_ms").text
    rated, spread, trend = (
        json.loads(found)
        for found in re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    )
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", html.split('id="ratings"')[1], re.S)
    for place, row in enumerate(rows):
        counts = [int(found) for found in re.findall(r'data-value="(\d+)"', row)]
        assert sum(counts[:3]) == counts[3]
        assert [bars["text"][place] for bars in rated["data"]] == re.findall(r"([<\d.&lt;]+%)", row)
        assert [bars["x"][place] for bars in rated["data"]] == [count / counts[3] for count in counts[:3]]
    assert [words(row.partition("</th>")[0]) for row in rows] == rated["data"][0]["y"]
    card = words(html.partition("<dt>LCP p75</dt>")[2].partition("</dd>")[0])
    marks = [one["text"].split(" ", 1) for one in spread["layout"]["annotations"]]
    assert [name for name, _ in marks] == ["p50", "p75", "p95"]
    assert card.startswith(marks[1][1]) and all(value in card for _, value in marks)
    assert sum(count for bars in spread["data"] for count in bars["y"]) == counts_of(rows, "LCP")
    loads = int(words(html.partition("<dt>Page loads</dt>")[2].partition("<span")[0]))
    for title in ("Devices", "Browsers"):
        card = html.partition(f'aria-label="{title}"')[2].partition("</section>")[0]
        assert sum(int(found) for found in re.findall(r'<span class="muted">(\d+)</span>', card)) == loads
    assert trend["data"][1]["name"] == "p75"


@pytest.mark.slow
def test_each_tab_of_a_page_has_tables_of_its_own_and_keeps_the_filters(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.deliver(performance_lines(since_capture())[:120])
    build_performance(warehouse)
    address = f"{PAGES}/page?page=/checkout&period=7d&device=desktop"
    tables = {
        tab: re.findall(r'<table class="list stacked" id="([\w-]+)"', client.get(f"{address}&tab={tab}").text)
        for tab in ("overview", "loads", "resources", "images", "calls")
    }
    assert tables == {
        "overview": ["ratings"],
        "loads": ["loads"],
        "resources": ["types", "blocking", "urls"],
        "images": ["images"],
        "calls": ["calls"],
    }
    html = client.get(f"{address}&tab=calls").text
    assert '<input type="hidden" name="tab" value="calls">' in html
    (loads,) = {link for link in links(html, f"{PAGES}/page") if "tab=loads" in link}
    assert "device=desktop" in loads and "period=7d" in loads
    (budget,) = links(html, f"{PAGES}/budgets/new")
    assert re.search('id="pattern"[^>]* value="/checkout"', client.get(budget).text)
    assert 'id="ratings"' in client.get(f"{address}&tab=nonsense&metric=nonsense").text


def words(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def counts_of(rows: list[str], vital: str) -> int:
    (row,) = (row for row in rows if words(row).startswith(vital))
    return int(re.findall(r'data-value="(\d+)"', row)[3])


@pytest.mark.slow
def test_a_load_that_two_projects_received_is_shown_in_each(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    lines = performance_lines(since_capture())[:120]
    live_site.deliver(lines)
    client = live_site.sign_in()
    other = live_site.store.projects.create(1, "Other", actor="owner")
    headers = {"Authorization": f"Bearer {live_site.account.api_key}", "X-Errata-App-Key": other.app_key.key}
    again = b"\n".join(lines).replace(b"shop-web@", b"other-web@")
    assert client.post("/api/ingest", content=again, headers=headers).status_code == 200
    admin = warehouse.client(Role.ADMIN)
    rows = admin.rows(
        "select view_id, groupUniqArray(project_id) as projects from errata_raw.page_views where is_load"
        " group by view_id"
    )
    admin.close()
    assert rows and all(len(row["projects"]) == 2 for row in rows)
    view_id = f"{rows[0]['view_id']:016x}"
    resources = set()
    for slug in ("shop", "other"):
        assert client.get(f"/projects/{slug}/performance/waterfall/{view_id}").status_code == 200
        told = client.get(f"/api/page-views/{view_id}/waterfall?project={slug}").json()
        assert told["view"]["release"].startswith("other-") == (slug == "other")
        resources.add(len(told["resources"]))
    assert len(resources) == 1
    assert client.get(f"/api/page-views/{view_id}/waterfall?project=none").status_code == 404


@pytest.mark.slow
def test_resources_are_told_by_type_with_what_holds_the_first_paint_back(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.deliver(performance_lines(since_capture())[:120])
    build_performance(warehouse)
    html = client.get(f"{PAGES}/resources?page=/checkout").text
    for name in ("JavaScript", "CSS", "Image", "Font", "API"):
        assert f'data-value="{name}"' in html
    assert re.search(r'class="impact impact-(high|medium|low)">(High|Medium|Low)</span>', html)
    by_type = html[html.index('id="types"') : html.index('id="urls"')]
    compressed, decoded = (
        [
            float(found)
            for found in re.findall(rf'data-label="{name} per load" data-value="([\d.]+)"', by_type)
        ]
        for name in ("Compressed", "Decoded")
    )
    assert len(decoded) >= 3 and decoded[0] >= compressed[0]
    largest = html[html.index('id="urls"') :]
    sizes = [float(found) for found in re.findall(r'data-label="Decoded" data-value="([\d.]+)"', largest)]
    assert len(sizes) > 5 and sizes == sorted(sizes, reverse=True)
    only = client.get(f"{PAGES}/resources?page=/checkout&type=font&sort=-duration_ms").text
    urls = re.findall(r'<span class="url">([^<]*)', only[only.index('id="urls"') :])
    assert urls and all(url.endswith(".woff2") for url in urls)
    assert 'aria-sort="descending"' in only
    (address,) = {
        link
        for link in links(html, "/api/projects/shop/performance/resources")
        if "by=url&" in link and "csv" in link
    }
    answer = client.get(address)
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(answer.text.splitlines()) > len(urls)


@pytest.mark.slow
def test_a_recommendation_leads_to_one_load_with_what_is_meant_marked(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    items = [
        {"type": item.type, "payload": item.payload, "headers": item.headers}
        for generation in GENERATIONS
        for item in browser_items(generation, moved_to(datetime.now(UTC)), ("transaction", "span"))
    ]
    live_site.deliver([json.dumps(item).encode() for item in items])
    build_performance(warehouse)
    html = client.get(f"{PAGES}/recommendations?period=7d").text
    assert "Blocks first paint" in html and "Slow endpoint" in html
    (address, *_) = [
        link for link in links(html, f"{PAGES}/waterfall/") if "main-" in link and "resource=" in link
    ]
    waterfall = client.get(address).text
    (marked,) = re.findall(r'<tr class="wf-meant" id="meant">(.*?)</tr>', waterfall, re.S)
    assert "main-SJ2AGBLD.css" in marked and "blocking" in marked
    assert "wf-meant" not in client.get(address.partition("&resource")[0]).text

"""The page of one API endpoint: what leads to it, what it leads to, and the issues of its requests."""

import json
import re
from collections import Counter
from html import unescape

import pytest

from tests.captures import payloads
from tests.dashboards.conftest import Site
from tests.dashboards.performance.test_load_pages import PAGES, links
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

VIEW = "no_discount_payments_view"


def of_view(name: str) -> list[dict[str, object]]:
    return [payload for payload in payloads(name) if payload.get("transaction") == VIEW]


@pytest.mark.slow
def test_an_endpoint_has_a_page_that_every_place_of_its_calls_leads_to(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    by = since_capture()
    live_site.deliver([*performance_lines(by), *event_lines("python_errors", by)])
    build_performance(warehouse)

    table = client.get(f"{PAGES}?tab=endpoints&period=7d").text
    (address,) = [link for link in links(table, f"{PAGES}/endpoint?") if f"path={VIEW}" in link]
    assert "method=POST" in address and "period=7d" in address
    html = client.get(address).text
    calls = of_view("python_transactions")
    assert f"<dt>Calls</dt><dd>{len(calls)}" in html and "<dt>p99</dt>" in html
    assert "on servers; no browser reports calls to it. The two" in html
    # None of these calls came from a traced page: no column says so ten times over.
    assert "None of these calls carries a browser" in html and 'data-label="Browser"' not in html
    assert 'data-label="Path" class="wide"><span class="url">/api/no_discount_payments/' in html

    # Three charts with one axis of time show the figures of the cards; the releases are named once.
    drawn = [
        json.loads(found)
        for found in re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    ]
    assert [[trace["name"] for trace in figure["data"]] for figure in drawn[:2]] == [
        ["calls"],
        ["p50", "p95"],
    ]
    assert sum(drawn[0]["data"][0]["y"]) == len(calls)
    card = dict(re.findall(r"<dt>([45]xx)</dt><dd>(\d+)", html))
    errors = {bars["name"]: sum(bars["y"]) for figure in drawn[2:] for bars in figure["data"]}
    assert errors == {name: int(count) for name, count in card.items() if int(count)}
    axes = [figure["layout"]["xaxis"] | {"showticklabels": True} for figure in drawn]
    assert all(axis == axes[0] for axis in axes)
    assert {figure["layout"]["margin"]["l"] for figure in drawn} == {72}
    assert not [figure for figure in drawn[1:] if figure["layout"]["meta"].get("marks")]

    # Its issues are those whose events name the transaction, as counted in what was captured.
    events = of_view("python_errors")
    types = Counter(payload["exception"]["values"][-1]["type"] for payload in events)  # type: ignore[index]
    issues = html[html.index('id="issues"') :]
    counted = re.findall(r'data-label="Events" data-value="(\d+)"', issues)
    assert sum(map(int, counted)) == len(events) == types.total() > 20
    traced = {payload["contexts"]["trace"]["trace_id"] for payload in calls}  # type: ignore[index]
    shared = sum(payload["contexts"]["trace"]["trace_id"] in traced for payload in events)  # type: ignore[index]
    assert sum(map(int, re.findall(r'data-label="Traced" data-value="(\d+)"', issues))) == shared
    (issue, *_) = links(issues, "/projects/shop/issues/")
    assert client.get(issue).status_code == 200


@pytest.mark.slow
def test_a_call_of_a_page_leads_to_its_endpoint_and_from_its_slowest_call_to_the_waterfall(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    # The table of all endpoints lists what no server reports, and says who measured.
    table = client.get(f"{PAGES}?tab=endpoints&period=7d").text
    (row,) = [one for one in table.split("<tr>") if "path=%2Fapi%2Fstock%2F%7Bid%7D" in one]
    assert 'measured by browsers">browsers</span>' in row and "side=page" in row and "shop.localhost" in row
    assert "Calls as measured by servers" in table and "endpoints?period=7d&amp;side=both" in table
    browsers = client.get(f"{PAGES}?tab=endpoints&period=7d&side=page").text
    assert "Calls as measured by browsers" in browsers and f"path={VIEW}" not in browsers
    detail = f"{PAGES}/page?page=/products/{{id}}&period=7d"
    loads = client.get(f"{detail}&tab=loads").text
    waterfall = client.get(links(loads, f"{PAGES}/waterfall/")[0]).text
    for place in (client.get(f"{detail}&tab=calls").text, waterfall):
        address = next(link for link in links(place, f"{PAGES}/endpoint?") if "stock" in link)
        assert "path=%2Fapi%2Fstock%2F%7Bid%7D" in address
        answer = client.get(address)
        # The method is not known of a URL: that of the most called one.
        assert "method=GET" in str(answer.url)
        assert "Measured by browsers; called at shop.localhost:8471" in answer.text
        assert 'data-label="Browser"' in answer.text
        assert "in browsers; no server reports this endpoint. The two" in answer.text
    html = unescape(answer.text)
    pages = html[html.index('id="pages"') : html.index('id="slowest"')]
    assert "/products/{id}</a>" in pages and re.search(
        r'data-label="Calls per load" data-value="[\d.]+"', pages
    )
    (slowest, *_) = links(answer.text[answer.text.index('id="slowest"') :], f"{PAGES}/waterfall/")
    shown = client.get(slowest).text
    (marked,) = re.findall(r'<tr class="wf-meant" id="meant">(.*?)</tr>', shown, re.S)
    assert "/api/stock/" in marked
    nothing = client.get(f"{PAGES}/endpoint?method=GET&path=/no/such").text
    assert "No calls of this endpoint in the last 14 days" in nothing
    assert client.get(f"{PAGES}/endpoint").url.params["tab"] == "endpoints"

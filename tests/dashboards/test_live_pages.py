"""The pages over the real warehouse, fed with captured items through the API."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient

from errata.warehouse.roles import Role
from tests.builders import a_delivery, insert
from tests.captures import GENERATIONS, browser_items, moved, payloads
from tests.dashboards.conftest import Site
from tests.dashboards.events import marked
from tests.mart_builds import build_performance
from tests.page_loads import deliver, loads
from tests.processes import WarehouseProcess


def event_lines(name: str, by: timedelta = timedelta()) -> list[bytes]:
    return [
        json.dumps({"type": "event", "payload": moved(payload, by)}).encode() for payload in payloads(name)
    ]


def performance_lines(by: timedelta, generations: Sequence[str] = ("v11",)) -> list[bytes]:
    lines = [
        {"type": item.type, "payload": moved(item.payload, by), "headers": item.headers}
        for generation in generations
        for item in browser_items(generation)
        if item.type in ("transaction", "span")
    ]
    lines += [{"type": "transaction", "payload": moved(one, by)} for one in payloads("python_transactions")]
    return [json.dumps(line).encode() for line in lines]


def since_capture() -> timedelta:
    """Brings the captured hour to the last one."""
    captured = datetime.fromisoformat(next(payloads("python_errors"))["timestamp"].replace("Z", "+00:00"))
    return datetime.now(UTC) - timedelta(hours=1) - captured.replace(tzinfo=UTC)


def rows(html: str) -> list[str]:
    body = re.search(r"<tbody>(.*?)</tbody>", html, re.S)
    return re.findall(r"<tr[^>]*>.*?</tr>", body[1], re.S) if body else []


def titles(client: TestClient, query: str = "") -> list[str]:
    html = client.get(f"/projects/shop/issues{query}").text
    return re.findall(r'class="issue-title".*?<span class="type">(.*?)</span>', html)


@pytest.mark.slow
def test_a_project_without_events_says_how_to_send_the_first(live_site: Site) -> None:
    html = unescape(live_site.sign_in().get("/projects/shop/issues").text)
    assert "Send your first event" in html
    assert "errata-shipper --config ~/errata/errata.yaml --record" in html
    (prefix,) = re.findall(r'app_key="(errata_app_[^"…]*)…"', html)
    assert live_site.account.app_key.startswith(prefix)
    assert live_site.account.app_key not in html


@pytest.mark.slow
def test_issues_are_listed_filtered_sorted_and_paged_by_the_address(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture()))
    html = client.get("/projects/shop/issues?sort=events").text
    shown = rows(html)
    counts = [
        int(found.replace(",", ""))
        for found in re.findall(r'data-label="Events"><span title="([\d,]+)"', html)
    ]
    assert len(shown) == len(counts) > 20
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == 363
    assert 'aria-sort="descending" class="number"' in html
    assert '<path class="bars" d="M' in shown[0]
    assert set(titles(client, "?query=type:KeyError")) == {"KeyError"}
    assert titles(client, "?query=no-such-words") == []
    assert "No matching issues" in client.get("/projects/shop/issues?query=no-such-words").text
    assert titles(client, "?status=resolved") == []
    assert ">production</option>" in html
    assert 0 < len(titles(client, "?environment=production")) <= len(shown)
    assert titles(client, "?environment=nowhere") == []
    assert "<option selected>nowhere</option>" in client.get("/projects/shop/issues?environment=nowhere").text
    assert 'value="&#34;&gt;&lt;x"' in client.get('/projects/shop/issues?query="><x').text


@pytest.mark.slow
def test_a_refresh_sends_nothing_while_nothing_has_changed(live_site: Site) -> None:
    client = live_site.sign_in()
    lines = event_lines("javascript_errors", since_capture())
    live_site.deliver(lines[:3])
    first = client.get("/projects/shop/issues")
    ask = {"X-Errata-Refresh": "1", "If-None-Match": first.headers["etag"]}
    assert client.get("/projects/shop/issues", headers=ask).status_code == 304
    assert client.get("/projects/shop/issues").status_code == 200
    live_site.deliver(lines[3:9])
    second = client.get("/projects/shop/issues", headers=ask)
    assert second.status_code == 200
    assert len(rows(second.text)) > len(rows(first.text))


@pytest.mark.slow
def test_performance_shows_pages_and_endpoints_with_percentiles_and_a_weekly_trend(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    empty = client.get("/projects/shop/performance").text
    assert "No page loads yet" in empty and "not built yet" in empty
    live_site.deliver(performance_lines(since_capture(), GENERATIONS))
    build_performance(warehouse)
    html = client.get("/projects/shop/performance?sort=-load_ms").text
    assert 'aria-sort="descending"' in html
    assert "/checkout" in html
    (source,) = re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    figure = json.loads(source)
    assert [trace["name"] for trace in figure["data"]] == ["p50", "p75", "p95"]
    assert len(figure["data"][0]["x"]) >= 12
    loads = [float(found) for found in re.findall(r'data-label="Load p75">([\d.]+) ms', html)]
    assert loads == sorted(loads, reverse=True)
    # Captured loads that the SDK reported before they had ended.
    assert "7 of 109 loads had not finished when reported: p95 is at least " in html
    assert 'data-label="Load p75">≥\xa01.' in html and "≥ marks load times that are lower bounds" in html
    home = client.get("/projects/shop/performance/page?page=/").text
    assert re.search(
        r"4 of 22 loads had not finished when reported: p75 is [\d.]+ s to [\d.]+ s and p95", home
    )
    assert "lines are lower bounds" in home
    endpoints = client.get("/projects/shop/performance?tab=endpoints&sort=route").text
    assert 'data-label="5xx"' in endpoints
    assert 'aria-sort="ascending"' in endpoints
    assert client.get("/projects/shop/performance?metric=cls&page=/cart").status_code == 200
    (address,) = set(re.findall(r'href="(/computed/endpoint_metrics[^"]*)"', endpoints))
    computed = client.get(address).text
    assert "errata_mart.endpoint_metrics_daily" in computed and "quantilesTDigestMerge" in computed
    assert client.get("/computed/nothing").status_code == 404


def test_values_in_the_address_that_mean_nothing_fall_back_to_the_defaults(live_site: Site) -> None:
    client = live_site.sign_in()
    assert client.get("/projects/shop/issues?period=never&sort=up&status=odd").status_code == 200
    assert client.get("/projects/shop/performance?period=9y&metric=x&sort=x&tab=x").status_code == 200
    assert client.get("/projects/shop/issues?cursor=%21%21").status_code == 400


def first_issue(client: TestClient, query: str = "?sort=events") -> str:
    html = client.get(f"/projects/shop/issues{query}").text
    return str(re.findall(r'class="issue-title" href="([^"?]+)', html)[0])


@pytest.mark.slow
def test_an_issue_shows_its_head_its_history_and_its_newest_event(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture()))
    address = first_issue(client)
    html = client.get(address).text
    assert 'data-act=\'{"action": "resolve"}\'' in html
    assert "Events in 14 days" in html
    (source,) = re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    assert sum(sum(bars["y"]) for bars in json.loads(source)["data"]) > 20
    assert 'class="source"' in html
    assert "Across events" in html
    steps = re.findall(r'<a class="button small" href="([^"]+)"', html)
    older = client.get(steps[1].replace("&amp;", "&"))
    assert older.status_code == 200
    assert re.search(r'rel="next"[^>]*>Newer', older.text)
    listed = client.get(f"{address}?tab=events").text
    assert 20 < len(rows(listed)) <= 50
    short = client.get(f"/issues/{address.rsplit('/', 1)[1]}?tab=events")
    assert short.url.path == address.partition("?")[0]


@pytest.mark.slow
def test_every_captured_event_has_a_page_of_its_own_that_holds_nothing_unescaped(live_site: Site) -> None:
    client = live_site.sign_in()
    lines = event_lines("javascript_errors", since_capture())[::6]
    lines += event_lines("python_errors", since_capture())[::60]
    hostile = json.loads(lines[0])
    hostile["payload"] = marked(hostile["payload"])
    hostile["payload"]["event_id"] = "0" * 31 + "1"
    live_site.deliver([*lines, json.dumps(hostile).encode()])
    shown = 0
    for address in re.findall(
        r'class="issue-title" href="([^"?]+)', client.get("/projects/shop/issues?status=all").text
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
        shown += 1
    assert shown > 5


@pytest.mark.slow
def test_an_issue_or_event_that_is_not_there_is_said(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("javascript_errors", since_capture())[:2])
    address = first_issue(client)
    for path in ("/issues/zz", "/issues/1", "/projects/shop/issues/ffffffffffffffff"):
        answer = client.get(path)
        assert (answer.status_code, "Issue not found" in answer.text) == (404, True)
    for event in ("zz", "0" * 32):
        answer = client.get(f"{address}?event={event}")
        assert (answer.status_code, "part of the issue" in answer.text) == (404, True)


def test_projects_are_listed_with_what_is_going_on_in_them(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("javascript_errors", since_capture())[:4])
    html = client.get("/projects").text
    assert 'data-label="Events, 24 h"><span title="4">4</span>' in html


@pytest.mark.slow
def test_a_page_without_figures_says_why(live_site: Site, warehouse: WarehouseProcess) -> None:
    client = live_site.sign_in()
    pages = "/projects/shop/performance"
    assert "No page loads yet" in client.get(pages).text and "Sentry.init" in client.get(pages).text
    assert "No calls yet" in client.get(f"{pages}?tab=endpoints").text
    assert "No page loads yet" in client.get(f"{pages}/releases").text

    live_site.deliver(performance_lines(since_capture()))
    for path in ("", "?tab=endpoints", "/resources", "/recommendations", "/trends", "/page?page=/checkout"):
        html = client.get(f"{pages}{path}").text
        assert "Being built" in html and 'http-equiv="refresh"' in html, path
        assert "Sentry.init" not in html and "not built yet" in html
    assert "Being built" in client.get(f"{pages}/releases").text

    build_performance(warehouse)
    for path, what in (("", "page loads"), ("?tab=endpoints", "calls"), ("/resources", "resources")):
        joint = "&" if "?" in path else "?"
        html = client.get(f"{pages}{path}{joint}environment=nowhere").text
        assert f"No {what} match these filters" in html and "Clear filters" in html, path
        assert "Sentry.init" not in html and "errata_sdk.init" not in html and "@sentry" not in html
        assert "Being built" not in client.get(f"{pages}{path}").text
    none = client.get(f"{pages}/recommendations?environment=nowhere").text
    assert "or other filters" in none and "Clear filters" in none


@pytest.mark.slow
def test_facets_and_an_empty_list_tell_of_issues_in_other_states(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture())[:3])
    facets = client.get("/projects/shop/issue-facets?status=resolved").text
    assert "Counts include events of issues that aren't resolved." in unescape(facets)
    assert "Counts include" not in client.get("/projects/shop/issue-facets?status=all").text
    html = client.get("/projects/shop/issues?status=resolved&query=level:error").text
    assert "No matching issues" in html and "Waiting for the first event" not in html
    assert '?query=level%3Aerror&amp;status=all">Include all statuses' in html


@pytest.mark.slow
def test_a_budget_is_saved_with_what_its_form_proposes(live_site: Site, warehouse: WarehouseProcess) -> None:
    client = live_site.sign_in()
    address = "/projects/shop/performance/budgets"
    fields = dict(
        re.findall(
            r'<input type="(?:text|hidden)"[^>]*name="(\w+)"[^>]*value="([^"]*)"',
            client.get(f"{address}/new").text,
        )
    )
    chosen = {"metric": "load_ms", "statistic": "p75", "window_hours": "24", "device": "", "action": "save"}
    refused = client.post(f"{address}/new", data={**fields, **chosen})
    assert refused.status_code == 400 and "not enough data to suggest a limit; enter one" in refused.text
    deliver_loads(live_site, warehouse)
    made = client.post(f"{address}/new", data={**fields, **chosen})
    assert made.url.path == address
    assert "Total load time p75, all pages" in made.text
    assert "three of four windows must agree, at the earliest" in made.text
    assert re.search(r"Limit set to [\d.]+ m?s, from the current [\d.]+ m?s plus 10%, rounded up", made.text)
    assert "samples in the last 7 days" in made.text
    wrong = client.post(f"{address}/new", data={**fields, **chosen, "threshold": "300 KB"})
    assert 'id="threshold-error">Limit: enter a time such as 1500, 1500 ms or 1.5 s<' in wrong.text
    tried = client.get(f"{address}/new", params={**fields, **chosen, "action": "preview", "pattern": "/*"})
    assert re.search(r"<dt>Pages</dt><dd>\d+ match(es)? /\*: <code>/", tried.text)


def deliver_loads(site: Site, warehouse: WarehouseProcess) -> None:
    """More page loads of nobody known than a budget needs, in one or two of its windows."""
    (project_id,) = site.store.projects.ids()
    now = datetime.now(UTC)
    # Windows end with the hour, and are evaluated ten minutes later.
    at = now.replace(minute=0, second=0, microsecond=0) - timedelta(minutes=61)
    rows = [
        {**row, "occurred_at": at, "received_at": now}
        for row in loads("shop@1.0", now - timedelta(hours=1), 171, project_id=project_id)
    ]
    deliver(warehouse, rows)
    build_performance(warehouse)


@pytest.mark.slow
def test_a_table_as_json_has_a_name_when_it_is_saved(live_site: Site, warehouse: WarehouseProcess) -> None:
    client = live_site.sign_in()
    live_site.deliver(performance_lines(since_capture())[:120])
    build_performance(warehouse)
    html = client.get("/projects/shop/performance").text
    assert re.search(
        r'<a href="/api/projects/shop/performance/pages[^"]*" download="shop-figures.json">JSON', html
    )


@pytest.mark.slow
def test_hosts_that_reported_long_ago_need_no_installation(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    assert "No host ships log files yet" in client.get("/projects/shop/delivery").text
    (project_id,) = live_site.store.projects.ids()
    at = datetime.now(UTC) - timedelta(days=40)
    row = a_delivery(
        project_id=project_id, file=f"errata-{at:%Y-%m-%d}.log", received_at=at, newest_logged_at=at
    )
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.deliveries", [row])
    ingest.close()
    html = client.get("/projects/shop/delivery").text
    assert "No host ships log files yet" not in html and "No log files in the last 14 days" in html


@pytest.mark.slow
def test_what_is_not_found_keeps_the_navigation_of_its_project(live_site: Site) -> None:
    client = live_site.sign_in()
    for path in (
        "issues/00000000000000ff",
        "performance/waterfall/00000000000000ff",
        "performance/release?version=9",
    ):
        answer = client.get(f"/projects/shop/{path}")
        assert answer.status_code == 404
        assert 'href="/projects/shop/delivery"' in answer.text, path

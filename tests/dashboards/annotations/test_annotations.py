"""Annotations without a script: written from a chart, drawn on every chart of time, changed and deleted."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

HERE = "/projects/shop/annotations"


def sent(client: TestClient, fields: dict[str, str], status: int = 200) -> str:
    csrf = re.findall(r'name="csrf_token" value="([^"]+)"', client.get(HERE).text)[0]
    answer = client.post(HERE, data={"csrf_token": csrf, **fields})
    assert answer.status_code == status, answer.text
    return answer.text


def minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M}"


@pytest.mark.slow
def test_an_annotation_is_drawn_on_every_chart_of_time(live_site: Site, warehouse: WarehouseProcess) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:5])
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    client = live_site.sign_in()
    issue = re.findall(
        r'href="(/projects/shop/issues/[0-9a-f]{16})', client.get("/projects/shop/issues").text
    )[0]
    calls = client.get("/projects/shop/performance?tab=endpoints").text
    endpoint = unescape(re.findall(r'href="(/projects/shop/performance/endpoint\?[^"]+)"', calls)[0])
    charts = [
        f"{issue}?period=14d",
        "/projects/shop/performance?period=14d",
        "/projects/shop/performance/page?page=/checkout&period=14d",
        "/projects/shop/performance/trends?period=4w",
        endpoint,
    ]
    assert [address for address in charts if "data-figure" not in client.get(address).text] == []
    link = unescape(re.findall(rf'href="({HERE}\?[^"]+)"', client.get(charts[1]).text)[0])
    form = client.get(link).text
    assert 'name="back" value="/projects/shop/performance?period=14d"' in form
    now = datetime.now(UTC)
    assert re.findall(r'name="at" value="([^"]+)"', form)[0] in {
        minute(now),
        minute(now - timedelta(minutes=1)),
    }

    fields = {"action": "write", "text": "<b>Sale</b>", "at": minute(now - timedelta(minutes=2))}
    html = sent(client, {**fields, "back": charts[1]})
    assert "<h1>Performance</h1>" in html
    for address in charts:
        html = client.get(address).text
        assert '"kind": "annotation"' in html and "\\u2039b\\u203aSale\\u2039/b\\u203a" in html, address


def test_annotations_are_changed_and_deleted_and_lead_back_into_the_project(site: Site) -> None:
    client = site.sign_in()
    assert "No annotations yet" in client.get(HERE).text
    fields = {"action": "write", "text": "<b>Sale</b>", "at": "2026-11-02T10:00", "until": ""}
    for foreign in ("https://evil.example/", "//evil.example", "/projects/shopping"):
        html = sent(client, {**fields, "back": foreign, "at": ""}, 400)
        assert "a date and time" in html and 'name="back" value=""' in html
    assert client.post(HERE, data={**fields, "csrf_token": "x"}).status_code == 403
    html = sent(client, fields)
    assert "&lt;b&gt;Sale&lt;/b&gt;" in html and "<b>Sale" not in html and "Mon 2 Nov 2026" in html
    known = {"id": re.findall(r'name="id" value="([0-9a-f]{32})"', html)[0]}
    html = sent(
        client, {**fields, **known, "action": "change", "text": "Sale", "until": "2026-11-02T09:00"}, 400
    )
    assert "Change annotation" in html and "a time after the first one" in html
    html = sent(client, {**fields, **known, "action": "change", "text": "Sale", "until": "2026-11-02T12:00"})
    assert ">Sale</th>" in html and "&lt;b&gt;" not in html
    assert "No annotations yet" in sent(client, {**known, "action": "delete"})
    sent(client, {**known, "action": "delete"}, 404)

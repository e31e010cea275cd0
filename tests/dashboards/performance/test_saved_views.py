"""Saved views of performance pages, without a script: the menu on the pages, and the page of all of them."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site

HERE = "/projects/shop/performance"


def token(html: str) -> str:
    return str(re.findall(r'name="csrf_token" value="([^"]+)"', html)[0])


def send(client: TestClient, fields: dict[str, str], status_code: int = 200) -> str:
    csrf = token(client.get("/projects").text)
    answer = client.post(f"{HERE}/views", data=fields | {"csrf_token": csrf})
    assert answer.status_code == status_code, answer.text
    return answer.text


def listed(client: TestClient) -> dict[str, str]:
    html = client.get(f"{HERE}/views").text
    return {
        name: unescape(address)
        for address, name in re.findall(r'<th scope="row" class="wide"><a href="([^"]+)">([^<]+)', html)
    }


@pytest.mark.slow
def test_a_view_is_saved_opened_renamed_overwritten_and_deleted(live_site: Site) -> None:
    client = live_site.sign_in()
    reports = client.get(f"{HERE}/reports").text
    assert '<a href="/projects/shop/performance/reports" aria-current="page">Reports</a>' in reports
    send(client, {"action": "save", "address": f"{HERE}/views", "name": "x"}, 400)
    for foreign in ("https://evil.example/", "//evil.example", "/projects/other/performance"):
        send(client, {"action": "save", "address": foreign, "name": "x"}, 400)
    csrf = token(client.get("/projects").text)
    fields = {"action": "save", "name": "Slow", "address": f"{HERE}/trends?metric=cls", "is_shared": "yes"}
    answer = client.post(f"{HERE}/views", data=fields | {"csrf_token": csrf}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{HERE}/trends?metric=cls")
    assert client.post(f"{HERE}/views", data=fields | {"csrf_token": "x"}).status_code == 403
    assert listed(client) == {"Slow": f"{HERE}/trends?metric=cls"}
    menu = re.sub(r"<[^>]*>", " ", client.get(f"{HERE}?period=7d").text)
    assert re.search(r"Saved views\s+Slow\s+Trends\s+Save this view as", menu)
    assert re.search(r"Report\s+PDF\s+of report\s+HTML", menu) and "CSV" not in menu

    api = "/api/projects/shop/searches"
    (saved,) = client.get(api, params={"page": "performance"}).json()["searches"]
    assert (saved["address"], saved["is_shared"]) == (f"{HERE}/trends?metric=cls", True)
    assert "Slow" not in [one["name"] for one in client.get(api).json()["searches"]]

    known = {"id": str(saved["id"]), "address": f"{HERE}?tab=endpoints&sort=-p95_ms"}
    manage = send(client, known | {"action": "rename", "name": "Slow calls"})
    assert f'value="{HERE}?tab=endpoints&amp;sort=-p95_ms"' in manage
    send(client, known | {"action": "overwrite"})
    assert listed(client) == {"Slow calls": f"{HERE}?sort=-p95_ms&tab=endpoints"}
    headers = {"X-CSRF-Token": csrf}
    wanted = {"page": "performance", "name": "By REST", "address": f"{HERE}/budgets"}
    changed = client.put(f"{api}/{saved['id']}", json=wanted, headers=headers).json()
    assert (changed["name"], changed["address"]) == ("By REST", f"{HERE}/budgets")
    for wrong in ({"address": "https://evil.example/"}, {"query": "is:new"}, {"page": "issues"}):
        assert client.put(f"{api}/{saved['id']}", json=wanted | wrong, headers=headers).status_code == 400
    send(client, known | {"action": "delete"})
    assert listed(client) == {}
    send(client, known | {"action": "delete"}, 404)

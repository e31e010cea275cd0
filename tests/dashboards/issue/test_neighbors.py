"""The way along the list that an issue was opened from."""

import json
import re
from html import unescape
from uuid import uuid4

import pytest
from httpx2 import Response

from tests.dashboards.conftest import Site

KINDS = ("KeyError", "TypeError", "ValueError")


def deliver(site: Site) -> None:
    """Three issues of one, two and three events."""
    payloads = [
        {
            "event_id": uuid4().hex,
            "platform": "python",
            "tags": {"plan": "enterprise"},
            "exception": {"values": [{"type": kind, "value": "failed"}]},
        }
        for number, kind in enumerate(KINDS, 1)
        for _ in range(number)
    ]
    site.deliver([json.dumps({"type": "event", "payload": payload}).encode() for payload in payloads])


def ways(page: Response) -> dict[str, tuple[str, str]]:
    """Title and address of the neighbors."""
    found = re.findall(r'<a href="([^"]+)" data-neighbor="(\w+)" title="[^:]+: (\w+)', page.text)
    return {way: (title, unescape(address)) for address, way, title in found}


@pytest.mark.slow
def test_an_issue_leads_along_its_list_also_once_it_has_left_it(live_site: Site) -> None:
    client = live_site.sign_in()
    deliver(live_site)
    listed = client.get("/projects/shop/issues?sort=events&period=7d")
    links = re.findall(r'class="issue-title" href="([^"]+)"', listed.text)
    first = client.get(unescape(links[0]))
    assert set(ways(first)) == {"next"} and ways(first)["next"][0] == "TypeError"
    assert 'href="/projects/shop/issues?period=7d&amp;sort=events"' in first.text

    second = client.get(ways(first)["next"][1])
    around = {"previous": "ValueError", "next": "KeyError"}
    assert {way: title for way, (title, _) in ways(second).items()} == around
    assert second.url.params["period"] == "7d"
    assert all(link.count("?") <= 1 for link in re.findall(r'href="([^"]+)"', second.text))
    assert 'href="/projects/shop/issues?query=plan%3Aenterprise"' in second.text
    body = {"action": "resolve", "ids": [second.url.path.rpartition("/")[2]]}
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    assert client.post("/api/projects/shop/issues/actions", json=body, headers=key).status_code == 200
    resolved = client.get(str(second.url))
    assert {way: title for way, (title, _) in ways(resolved).items()} == around
    assert set(ways(client.get(ways(second)["next"][1]))) == {"previous"}

    alone = client.get(second.url.path)
    assert ways(alone) == {}
    mistaken = client.get(f"{second.url.path}?list=query%3Dage%3Ax")
    assert (mistaken.status_code, ways(mistaken)) == (200, {})

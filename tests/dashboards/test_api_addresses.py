"""What the pages ask of the API is what the API takes."""

import json
import re
from collections import defaultdict
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from api.reference import operations
from tests.captures import moved, payloads
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

FILTERS = {
    "period": "7d",
    "environment": "production",
    "release": "shop-web@1.2.0",
    "device": "desktop",
    "browser": "Chrome",
}
PAGES = (
    "issues",
    "replays",
    "performance",
    "performance?tab=endpoints",
    "performance/page?page=/checkout",
    *(
        f"performance/page?page=/checkout&tab={tab}"
        for tab in ("loads", "causes", "resources", "images", "calls")
    ),
    "performance/resources",
    "performance/resources?page=/checkout",
    "performance/budgets",
    "performance/trends",
    "performance/releases",
    "performance/recommendations",
    "performance/reports",
    "delivery",
    "settings",
    "alerts",
    "grouping",
)
# What scripts add themselves.
BY_SCRIPTS = (
    "/api/projects/shop/searches/completions?query=is%3A&cursor=3",
    "/api/projects/shop/issues?query=x&period=90d&limit=8",
)
ADDRESS = re.compile(r'(?:href|action|data-[\w-]+)="(/api/[^"]*)"')
BELOW = re.compile(r"/issues/[0-9a-f]{16}|/waterfall/|/releases/")
PAGE = re.compile(r'href="(/projects/shop/[^"]*)"')


@pytest.mark.slow
def test_no_page_sends_a_parameter_that_the_api_does_not_know(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    by = since_capture()
    errors = [
        json.dumps({"type": "event", "payload": moved(payload, by)}).encode()
        for payload in payloads("python_errors")
    ]
    live_site.deliver(performance_lines(by)[:160] + errors[:20])
    build_performance(warehouse)
    asked = set(BY_SCRIPTS)
    followed = set[str]()
    for page in PAGES:
        path, _, query = page.partition("?")
        filters = FILTERS if path.startswith("performance") else {}
        html = client.get(f"/projects/shop/{path}?{urlencode(filters | dict(parse_qsl(query)))}").text
        followed |= set(map(unescape, PAGE.findall(html)))
        asked |= set(map(unescape, ADDRESS.findall(html)))
    # One of each kind of page below those.
    shapes = {
        re.sub(r"[0-9a-f]{16,}|\?(?!tab).*|&.*", "", address): address
        for address in sorted(followed)
        if BELOW.search(address)
    }
    for address in shapes.values():
        asked |= set(map(unescape, ADDRESS.findall(client.get(address).text)))
    for expected in ("performance/pages?", "performance/loads?", "/waterfall?", "/api/events/"):
        assert any(expected in address for address in asked), expected
    known = known_parameters(client.get("/api/openapi.json").json())
    unknown = {address for address in asked if not names(address) <= known_to(known, address)}
    assert unknown == set()


def names(address: str) -> set[str]:
    return {name for name, _ in parse_qsl(address.partition("?")[2], keep_blank_values=True)}


def known_parameters(schema: dict[str, Any]) -> dict[re.Pattern[str], set[str]]:
    """Of every path that can be got or posted to."""
    found = defaultdict[re.Pattern[str], set[str]](set)
    for path, _, operation in operations(schema):
        pattern = re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path)))
        found[pattern] |= {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
    return found


def known_to(known: dict[re.Pattern[str], set[str]], address: str) -> set[str]:
    path = address.partition("?")[0]
    if path.startswith("/api/docs"):
        return set()
    return set.union(*(names for pattern, names in known.items() if pattern.fullmatch(path)))

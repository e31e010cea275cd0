"""What the bars of the issue list cover: its period, the last 24 hours, the last 30 days."""

import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

MARTS = ("variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
# Two of the last hours, one of the period, three of the last 30 days, four of before.
AGES = [timedelta(hours=hours) for hours in (2, 5, 100, 500, 600, 650, 1000, 1010, 1020, 1030)]


def event_lines(type_: str, ages: list[timedelta]) -> list[bytes]:
    now = datetime.now(UTC)
    return [
        json.dumps(
            {
                "type": "event",
                "payload": {
                    "event_id": uuid4().hex,
                    "timestamp": (now - age).isoformat(),
                    "platform": "python",
                    "level": "error",
                    "environment": "production",
                    "tags": {"plan": "gold"},
                    "exception": {"values": [{"type": type_, "value": "no way"}]},
                },
            }
        ).encode()
        for age in ages
    ]


def words(html: str) -> list[str]:
    return re.findall(r'<svg class="sparkline"[^>]*aria-label="([^"]+)"', html)


def spans(html: str) -> list[tuple[str, bool, str]]:
    """What the column's head offers: text, whether it is shown, address."""
    found = re.search(r'<span class="spans">(.*?)</span>', html)
    links = re.findall(r'<a href="([^"]+)"([^>]*)>([^<]+)</a>', found[1]) if found else []
    return [(text, "aria-current" in rest, address.replace("&amp;", "&")) for address, rest, text in links]


def asked(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


@pytest.mark.slow
def test_the_bars_cover_the_period_the_last_hours_or_the_last_days(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    live_site.deliver([*event_lines("TaxError", AGES), *event_lines("OldError", [timedelta(hours=1100)])])
    uncounted_rows_keep_to_the_period(client, "?spark=24h")
    build_marts(warehouse, *MARTS)
    live_site.deliver(event_lines("TaxError", [timedelta(hours=1)]))
    each_span_has_bars_of_its_own(client)
    the_period_is_offered_once(client)
    everything_else_keeps_the_choice(client)
    turning_the_bars_stays_on_the_page_of_the_list(client)
    a_refresh_asks_for_the_same_bars(client)
    # Counted event by event: only the period is known.
    uncounted_rows_keep_to_the_period(client, "?spark=24h&query=plan:gold")


def uncounted_rows_keep_to_the_period(client: TestClient, query: str) -> None:
    html = client.get(f"/projects/shop/issues{query}").text
    assert spans(html) == []
    assert 'abbr="Last 14 days">Last 14 days</th>' in html
    (said,) = words(html)
    assert " in 14 days, " in said


def each_span_has_bars_of_its_own(client: TestClient) -> None:
    for chosen, shown, said in (
        ("", "14d", "4 events in 14 days"),
        ("24h", "24h", "3 events in 24 hours"),
        ("30d", "30d", "7 events in 30 days"),
        ("odd", "14d", "4 events in 14 days"),
    ):
        html = client.get(f"/projects/shop/issues?spark={chosen}").text
        assert [(text, is_shown) for text, is_shown, _ in spans(html)] == [
            (text, text == shown) for text in ("24h", "14d", "30d")
        ]
        (found,) = words(html)
        assert found.startswith(f"{said}, peak ")
        assert f'abbr="Last {said.split(" in ")[1]}"' in html


def the_period_is_offered_once(client: TestClient) -> None:
    html = client.get("/projects/shop/issues?period=24h&spark=24h").text
    assert [(text, is_shown) for text, is_shown, _ in spans(html)] == [("24h", True), ("30d", False)]
    assert asked(spans(html)[0][2]) == {"period": ["24h"]}


def everything_else_keeps_the_choice(client: TestClient) -> None:
    html = client.get("/projects/shop/issues?spark=24h&sort=events").text
    assert [asked(address) for _, _, address in spans(html)] == [
        {"sort": ["events"], "spark": ["24h"]},
        {"sort": ["events"]},
        {"sort": ["events"], "spark": ["30d"]},
    ]
    assert '<input type="hidden" name="spark" value="24h">' in html
    head = re.findall(r'<a href="([^"]+)">(?:Users|First seen)', html.partition("<main")[2])
    saved = re.findall(r'<a href="([^"]+)" title="is:', html)
    assert len(head) == 2 and saved
    assert all("spark=24h" in address for address in head + saved)


def turning_the_bars_stays_on_the_page_of_the_list(client: TestClient) -> None:
    cursor = client.get("/api/projects/shop/issues?period=90d&limit=1").json()["next_cursor"]
    second = client.get(f"/projects/shop/issues?period=90d&spark=30d&cursor={cursor}").text
    assert [asked(address)["cursor"] for _, _, address in spans(second)] == [[cursor]] * 3
    turned = client.get(spans(second)[0][2]).text
    assert words(turned)[-1] == "No events in 24 hours"
    assert "OldError" in turned


def a_refresh_asks_for_the_same_bars(client: TestClient) -> None:
    first = client.get("/projects/shop/issues?spark=30d")
    ask = {"X-Errata-Refresh": "1", "If-None-Match": first.headers["etag"]}
    assert client.get("/projects/shop/issues?spark=30d", headers=ask).status_code == 304
    again = client.get("/projects/shop/issues?spark=30d", headers={"X-Errata-Refresh": "1"}).text
    assert words(again) == words(first.text)

"""The performance report over HTTP, out of captured items in a real warehouse."""

from datetime import UTC, datetime
from typing import Any

import pytest

from errata.reports.past_report import past_weeks, week_name
from tests.api.conftest import Api
from tests.api.rest.test_performance import PERFORMANCE, shop, table

__all__ = ["shop"]


def report(api: Api, **parameters: str) -> Any:
    answer = api.client.get(f"{PERFORMANCE}/report", params=parameters, headers=api.key)
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.slow
def test_a_report_shows_what_the_tables_show_and_prints_the_same_bytes_twice(shop: Api) -> None:
    html = report(shop, format="html").text
    pages = [row for row in table(shop, "pages", period="7d") if row["navigation_type"] == "navigate"]
    assert pages and all(row["page"] in html for row in pages)
    assert all(row["route"] in html for row in table(shop, "endpoints", period="7d")[:15])
    assert all(fetched not in html for fetched in ("src=", "href=", "<link", "url("))
    printed = report(shop)
    assert printed.headers["content-type"] == "application/pdf"
    assert printed.content.startswith(b"%PDF-") and printed.content == report(shop, format="pdf").content


@pytest.mark.slow
def test_a_week_must_be_over_and_a_release_known(shop: Api) -> None:
    for week in ("2026-W99", "2999-W01", "last"):
        path = f"{PERFORMANCE}/report?week={week}"
        assert shop.error(400, "GET", path, headers=shop.key) == "invalid_parameter"
    path = f"{PERFORMANCE}/releases/none@1/report"
    assert shop.error(404, "GET", path, headers=shop.key) == "release_not_found"
    week = week_name(past_weeks(datetime.now(UTC).date(), 1)[0])
    answer = report(shop, week=week, format="html")
    assert f"performance-{week}.html" in answer.headers["content-disposition"]


@pytest.mark.slow
def test_a_report_of_nothing_says_so(shop: Api) -> None:
    assert "No page loads in this period." in report(shop, format="html", release="none@1").text


@pytest.mark.slow
def test_recommendations_come_with_what_was_measured(shop: Api) -> None:
    body = shop.client.get(f"{PERFORMANCE}/recommendations", headers=shop.key).json()
    rows = body["recommendations"]
    assert (body["loads_looked_at"], body["one_of"]) == (109, 1) and body["as_of"] is not None
    assert all(row["load_count"] >= 20 and row["evidence"] and row["advice"] for row in rows)
    for row in rows:
        path = f"/api/page-views/{row['example_view_id']}/waterfall"
        day = {"received_on": row["example_received_on"]}
        loaded = shop.client.get(path, params=day, headers=shop.key).json()["resources"]
        assert not row["example_url"] or any(row["example_url"].endswith(one["url"]) for one in loaded)
    assert (
        shop.client.get(f"{PERFORMANCE}/recommendations?format=csv", headers=shop.key).text.count("\n")
        == len(rows) + 1
    )
    assert rows

"""The bars above the issue list count the events of its issues, of any status."""

import re

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture

TOLD = re.compile(r"<strong>([\d,]+)</strong> error event")


def counted(site: Site, query: str) -> int:
    told = TOLD.search(site.client.get(f"/projects/shop/issue-events?{query}").text)
    assert told
    return int(told[1].replace(",", ""))


def test_bars_count_what_the_list_counts(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("javascript_errors", since_capture())[:30])
    # By the day, and by the hour.
    for period in ("14d", "24h"):
        listed = client.get(f"/api/projects/shop/issues?period={period}").json()["issues"]
        assert counted(live_site, f"period={period}") == sum(issue["event_count"] for issue in listed) > 0
    assert counted(live_site, "environment=nowhere") == counted(live_site, "release=none@1") == 0
    assert 'data-events="/projects/shop/issue-events?' in client.get("/projects/shop/issues").text
    # What a search finds is not what they count.
    assert "data-events" not in client.get("/projects/shop/issues?query=level:error").text

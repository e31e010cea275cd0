"""A weekly report is asked for on a page, without a script."""

import re

from tests.dashboards.conftest import Site

REPORTS = "/projects/shop/performance/reports"


def test_a_weekly_report_is_made_and_removed_by_forms(live_site: Site) -> None:
    client = live_site.sign_in()
    page = client.get(REPORTS).text
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token is not None
    typed = {
        "csrf_token": token[1],
        "name": "Board",
        "weekday": "friday",
        "hour": "16",
        "time_zone": "Nowhere/Land",
        "recipients": "ada@example.org; bo@example.org",
    }
    refused = client.post(f"{REPORTS}/schedules/new", data=typed)
    assert refused.status_code == 400
    assert "time_zone" in refused.text and 'value="Nowhere/Land"' in refused.text
    made = client.post(f"{REPORTS}/schedules/new", data=typed | {"time_zone": "Asia/Tokyo"})
    assert made.url.path == REPORTS
    assert "Friday, 16:00" in made.text and "ada@example.org, bo@example.org" in made.text
    address = re.search(rf'action="({REPORTS}/schedules/[0-9a-f]{{32}})"', made.text)
    assert address is not None
    assert client.post(address[1], data={"csrf_token": "wrong"}).status_code == 403
    gone = client.post(address[1], data={"csrf_token": token[1]})
    assert "No report is sent yet" in gone.text

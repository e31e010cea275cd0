"""Following an issue on its page, by forms alone."""

import re
from urllib.parse import parse_qs, urlparse

import pytest

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture


@pytest.mark.slow
def test_an_issue_is_followed_and_left_by_a_form_that_leads_back(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture())[:3])
    issue_id = client.get("/api/projects/shop/issues").json()["issues"][0]["id"]
    here = f"/projects/shop/issues/{issue_id}"
    page = client.get(f"{here}?tab=activity").text
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert token and "Alert me about this issue" in page and "get alerts" not in page

    form = {"csrf_token": token[1], "query": "tab=activity", "action": "follow"}
    assert client.post(f"{here}/subscription", data={**form, "csrf_token": "?"}).status_code == 403
    followed = client.post(f"{here}/subscription", data=form)
    assert (followed.url.path, followed.url.query) == (here, b"tab=activity")
    assert "You get alerts" in followed.text and "Stop alerting me" in followed.text
    left = client.post(f"{here}/subscription", data={**form, "action": "unfollow"})
    assert "get alerts" not in left.text
    assert client.post("/projects/shop/issues/ff/subscription", data=form).status_code == 404

    [link] = re.findall(r'href="([^"]+)">Alert me whenever it occurs', page)
    assert parse_qs(urlparse(link.replace("&amp;", "&")).query)["query"] == [f"issue:{issue_id}"]
    rule = client.get(link.replace("&amp;", "&")).text
    assert f'value="issue:{issue_id}"' in rule
    assert re.search('<option value="events"[^>]* selected>', rule)

"""No page is green while the service refuses a host's deliveries."""

import re

import pytest
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture


@pytest.mark.slow
def test_a_shipper_with_a_replaced_key_is_told_on_every_page(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture())[:2])
    client.headers["User-Agent"] = "errata-shipper/0.5.0"
    live_site.tell("host=web-1; file=errata-2026-11-21.log; from=0; to=90; size=90")
    assert 'class="inset rating-good">All reported data has arrived' in client.get("/projects/shop").text
    assert "Nothing was refused." in client.get("/settings/usage?tab=limits").text

    organization_id = client.app.state.context.state.projects.all()[0][0]  # type: ignore[attr-defined]
    live_site.store.keys.api.regenerate(organization_id, actor="owner")
    headers = {
        "Authorization": f"Bearer {live_site.account.api_key}",
        "X-Errata-App-Key": live_site.account.app_key,
        "X-Errata-Source": "host=web-2",
    }
    assert client.post("/api/ingest", content=b"{}", headers=headers).status_code == 401
    overview = client.get("/projects/shop").text
    assert 'class="inset rating-needs_improvement">Data was refused in the last 15 minutes' in overview
    assert "Find out why data is refused" in overview
    assert client.get("/api/health").json()["checks"]["deliveries"] in ("failing", "starting")
    (met,) = client.get("/api/health").json()["deliveries"]["refused"]
    assert (met["host"], met["reason"], met["refused_count"]) == ("web-2", "invalid_api_key", 1)
    stranger = TestClient(client.app).get("/api/health")
    assert stranger.json()["deliveries"] is None and "web-2" not in stranger.text
    limits = client.get("/settings/usage?tab=limits").text
    assert 'data-label="Hosts">web-2</td>' in limits
    for path in ("/projects/shop/delivery", "/settings/usage?tab=limits"):
        page = client.get(path).text
        assert "Deliveries with a replaced API key" in page
        assert "Nothing was refused." not in page and "verdict-good" not in page
    # Its key was replaced too, and it has not delivered since; of the other, nothing was ever stored.
    board = client.get("/projects/shop/delivery").text.partition('id="hosts"')[2].partition("</table>")[0]
    refused, known = (re.sub(r"<[^>]+>", " ", row).split() for row in board.split("<tr>")[2:])
    assert refused[:2] == ["web-2", "refused"] and "replaced API key" in " ".join(refused)
    assert known[:2] == ["web-1", "delivering"] and {"replaced", "0.5.0"} <= set(known)

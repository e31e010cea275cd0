"""The pages that an alert's links lead to."""

import pytest

from tests.dashboards.alerts.test_alerts import token
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, since_capture


@pytest.mark.slow
@pytest.mark.parametrize(("action", "status"), [("resolve", "resolved"), ("ignore", "ignored")])
def test_a_link_of_an_alert_asks_before_it_decides(live_site: Site, action: str, status: str) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture())[:1])
    issue_id = client.get("/api/projects/shop/issues").json()["issues"][0]["id"]
    here = f"/projects/shop/issues/{issue_id}/decide"

    def status_now() -> str:
        return str(client.get(f"/api/issues/{issue_id}").json()["status"])

    page = client.get(here, params={"action": action})
    assert page.status_code == 200 and f"{action.capitalize()} this issue?" in page.text
    assert client.head(here, params={"action": action}).status_code in (200, 405)
    assert status_now() == "unresolved"
    assert client.post(here, data={"action": action, "csrf_token": "?"}).status_code == 403
    form = {"action": action, "csrf_token": token(page.text)}
    assert client.post(here, data={**form, "action": "delete"}).status_code == 400
    assert client.post(here, data=form).url.path == f"/projects/shop/issues/{issue_id}"
    assert status_now() == status
    assert f"It is already {status}." in client.get(here, params={"action": action}).text
    assert client.get(here, params={"action": "delete"}).status_code == 400

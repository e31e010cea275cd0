"""Pages of users over the real warehouse: any text that an application sends as an id has an address."""

import json
import re
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.captures import moved, payloads
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import since_capture

HOSTILE = (
    *("../../settings?x=1#y", "a/b//c", "<script>alert(1)</script>", "line\nbreak\x00\x1b[31m", "%2e%2e%2f"),
    *("\u202eevil", "ø🙂日本", "x" * 500, "[FILTERED]", "' or 1=1 --", '"}{{7*7}}'),
)


def lines(users: tuple[str, ...], environment: str = "production") -> list[bytes]:
    payload = next(payloads("python_errors"))
    return [
        json.dumps(
            {
                "type": "event",
                "payload": {
                    **moved(payload, since_capture()),
                    "event_id": f"{number:02x}{environment.encode().hex()[:30]:0<30}",
                    "environment": environment,
                    "user": {"id": user, "email": f"{number}@example.com"},
                },
            }
        ).encode()
        for number, user in enumerate(users)
    ]


def keys(html: str) -> list[str]:
    return re.findall(r'class="user-name" href="/projects/shop/users/([0-9a-f]{16})', html)


def got(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.text)
    return answer


@pytest.mark.slow
def test_every_user_has_a_page_whatever_their_id(live_site: Site) -> None:
    client = live_site.sign_in()
    assert "No matching users" in got(client, "/projects/shop/users").text
    live_site.deliver([*lines(HOSTILE), *lines(HOSTILE[:2], "staging")])

    listed = got(client, "/projects/shop/users").text
    assert len(set(keys(listed))) == len(HOSTILE)
    assert "<script>alert" not in listed and "{{7*7}}" in listed
    assert len(keys(got(client, "/projects/shop/users?environment=staging").text)) == 2
    (filtered,) = keys(got(client, "/projects/shop/users?query=8@example.com").text)
    assert '<span class="filtered"' in got(client, f"/projects/shop/users/{filtered}").text

    described = got(client, "/api/projects/shop/users").json()["users"]
    assert {user["id"] for user in described} >= {"a/b//c", "ø🙂日本", "x" * 200, "[FILTERED]"}
    for user in described:
        html = got(client, f"/projects/shop/users/{user['key']}").text
        assert user["email"] in html
        detail = got(client, f"/api/projects/shop/users/{user['key']}").json()
        assert len(detail["events"]) == user["event_count"]
        assert sum(issue["event_count"] for issue in detail["issues"]) == user["event_count"]
        # From the event to the user and back.
        event = re.search(r'href="(/projects/shop/issues/[0-9a-f]{16}\?event=[0-9a-f]{32})"', html)
        assert event
        assert f'href="/projects/shop/users/{user["key"]}"' in got(client, unescape(event[1])).text

    issue = detail["issues"][0]["id"]
    assert set(keys(got(client, f"/projects/shop/users?issue={issue}").text)) == set(keys(listed))
    assert f"/projects/shop/users?issue={issue}" in got(client, f"/projects/shop/issues/{issue}").text
    of_issue = got(client, f"/projects/shop/users?issue={issue}").text
    notice = of_issue.partition('<p class="notice">')[2].partition("</p>")[0]
    assert "its events without a user aren't listed" in notice and issue[:8] not in re.sub(
        "<[^>]*>", "", notice
    )
    assert keys(got(client, f"/projects/shop/users?issue={'f' * 16}").text) == []
    table = got(client, "/api/projects/shop/users?format=csv").text.splitlines()
    assert table[0].startswith("key,id,email,name,ip,event_count")
    assert got(client, "/api/projects/shop/users?format=parquet").content[:4] == b"PAR1"


@pytest.mark.slow
def test_who_may_not_see_a_project_sees_no_user_of_it(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(lines(("1",)))
    (key,) = keys(got(client, "/projects/shop/users").text)
    for address in (
        f"/projects/shop/users/{'0' * 16}",
        "/projects/shop/users/zz",
        f"/projects/other/users/{key}",
    ):
        assert client.get(address).status_code == 404, address
    for unknown in ("f" * 16, "0" * 16):
        assert client.get(f"/api/projects/shop/users/{unknown}").json()["error"] == "user_not_found"
    client.cookies.clear()
    for address in ("/projects/shop/users", f"/projects/shop/users/{key}"):
        assert client.get(address, follow_redirects=False).status_code == 303
    assert client.get(f"/api/projects/shop/users/{key}").status_code == 401

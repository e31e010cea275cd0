"""The list of what users wrote, on its page, at the issue and over REST."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from tests.captured_replays import captured_replays
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import first_issue

ERROR, REPLAY = "a" * 32, "b" * 32


def line(item_type: str, payload: dict[str, Any]) -> bytes:
    return json.dumps({"type": item_type, "payload": payload}).encode()


def error(event_id: str = ERROR, message: str = "Payment failed") -> bytes:
    return line("event", {"event_id": event_id, "message": message})


def feedback(message: str, minutes_ago: float = 1, **values: Any) -> bytes:
    at = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    sent = {"message": message, **values}
    payload = {"event_id": uuid4().hex, "timestamp": at.timestamp(), "contexts": {"feedback": sent}}
    return line("feedback", payload)


def test_messages_are_listed_newest_first_with_their_issue_and_replay(live_site: Site) -> None:
    client = live_site.sign_in()
    assert "No feedback" in client.get("/projects/shop/feedback").text
    about = {"associated_event_id": ERROR, "replay_id": REPLAY, "url": "https://shop.example/pay?a=1"}
    lines = [
        error(),
        feedback("<b>It is broken</b>", 2, name="Kim", contact_email="kim@example.org", **about),
        feedback("Nice shop", 1),
    ]
    for _ in range(2):
        live_site.deliver(lines)
    html = client.get("/projects/shop/feedback").text
    assert html.index("Nice shop") < html.index("&lt;b&gt;It is broken")
    assert html.count("Nice shop") == 1
    assert "kim@example.org" in html and "https://shop.example/pay<" in html and "anonymous" in html
    issue = first_issue(client)
    assert f'href="{issue}?event={ERROR}"' in html
    assert f'href="/projects/shop/replays/{REPLAY}"' in html


def test_an_issue_says_how_many_people_wrote_about_it(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver([error()])
    issue = first_issue(client)
    assert "wrote" not in client.get(issue).text
    about: dict[str, Any] = {"associated_event_id": ERROR}
    live_site.deliver(
        [
            feedback("Broken", contact_email="kim@example.org", **about),
            feedback("Still broken", contact_email="kim@example.org", **about),
            line("user_report", {"event_id": ERROR, "email": "ann@example.org", "comments": "Me too"}),
            feedback("Anonymous", **about),
            feedback("About something else"),
        ]
    )
    html = client.get(issue).text
    address = f"/projects/shop/feedback?issue={issue.rpartition('/')[2]}"
    assert "3 people wrote" in html and f'href="{address}"' in html
    listed = client.get(address).text
    assert "Still broken" in listed and "Me too" in listed and "About something else" not in listed
    for unknown in ("x", "0" * 16, "f" * 16):
        assert client.get(f"/projects/shop/feedback?issue={unknown}").status_code == 404


def test_rest_pages_through_messages(live_site: Site) -> None:
    client = live_site.sign_in()
    messages = [feedback(f"Message {number}", number) for number in range(5)]
    live_site.deliver([error(), *messages, feedback("Broken", 9, associated_event_id=ERROR)])
    issue_id = first_issue(client).rpartition("/")[2]
    headers = {"Authorization": f"Bearer {live_site.account.api_key}"}

    def asked(**query: str) -> dict[str, Any]:
        answer = client.get("/api/projects/shop/feedback", params=query, headers=headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    first = asked(limit="4")
    second = asked(limit="4", cursor=first["next_cursor"])
    told = [one["message"] for page in (first, second) for one in page["feedback"]]
    assert told == [*(f"Message {number}" for number in range(5)), "Broken"]
    assert second["next_cursor"] is None
    assert [one["issue_id"] for one in second["feedback"]] == [None, issue_id]
    assert [one["message"] for one in asked(issue=issue_id)["feedback"]] == ["Broken"]
    for query in ({"issue": "f" * 16}, {"issue": "x"}, {"cursor": "x"}):
        answer = client.get("/api/projects/shop/feedback", params=query, headers=headers)
        assert answer.status_code in (400, 404)


def test_a_replay_shows_what_was_written_while_it_was_recorded(live_site: Site) -> None:
    client = live_site.sign_in()
    replay = captured_replays(datetime.now(UTC))[0]
    during = feedback("<b>It is slow</b>", replay_id=replay.replay_id, name="Ann")
    live_site.deliver([*replay.lines(), during, feedback("Elsewhere", replay_id=REPLAY)])
    html = client.get(f"/projects/shop/replays/{replay.replay_id}").text
    assert "&lt;b&gt;It is slow&lt;/b&gt;" in html and "Ann" in html and "Elsewhere" not in html
    listed = client.get(f"/api/projects/shop/feedback?replay={replay.replay_id}").json()["feedback"]
    assert [one["message"] for one in listed] == ["<b>It is slow</b>"]

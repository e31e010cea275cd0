"""What a Sentry answers, and what of it stops an import."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from errata.importing import exchange
from errata.importing.errors import SentryUnusable
from errata.importing.exchange import asked_wait
from errata.importing.sentry import Sentry, Window, next_cursor, sentry_exchange
from tests.cases import each
from tests.errata.outgoing.servers import Asked, Reply, serving
from tests.sentry_server import (
    ORGANIZATION,
    TOKEN,
    SentryServer,
    limited,
    often_interrupted,
    recorded_occurrences,
    running_sentry,
)

UNTIL = datetime(2026, 11, 21, tzinfo=UTC)
WINDOW = Window(UNTIL - timedelta(days=90), UNTIL)
WHOLE = {"Content-Type": "application/json"}


def sentry(url: str, waits: list[float] | None = None) -> Sentry:
    waited = [] if waits is None else waits
    return Sentry(replace(sentry_exchange(url, TOKEN), pause=waited.append), ORGANIZATION)


def with_link(cursor: str) -> dict[str, str]:
    return {**WHOLE, "Link": f'<https://sentry.example/>; rel="next"; results="true"; cursor="{cursor}"'}


def failure(reply: Callable[[Asked], Reply], waits: list[float] | None = None) -> str:
    """Of reading the projects."""
    with serving(reply) as server, pytest.raises(SentryUnusable) as caught:
        sentry(server.url, waits).projects()
    return caught.value.reason


def test_every_event_is_listed_once_over_limits_and_failures() -> None:
    shop = recorded_occurrences(["python_errors"], 250, UNTIL, timedelta(days=9))
    server = SentryServer({"shop": shop}, interruption=often_interrupted)
    cursor, ids = "", list[str]()
    with running_sentry(server) as http:
        client = sentry(http.url)
        assert [project.slug for project in client.projects()] == ["shop"]
        while True:
            page = client.events("shop", WINDOW, cursor)
            ids += [value["eventID"] for value in page.values]
            if not (cursor := page.next_cursor):
                break
        groups = {issue["id"] for issue in client.issues("1", WINDOW)}
    assert ids == [each.payload["event_id"] for each in shop]
    assert groups == {each.group_id for each in shop}
    assert server.request_count > 5


def test_resolved_issues_are_listed_too() -> None:
    shop = recorded_occurrences(["python_errors"], 40, UNTIL, timedelta(days=9))
    server = SentryServer({"shop": shop}, {shop[0].group_id: {"status": "resolved"}})
    with running_sentry(server) as http:
        told = list(sentry(http.url).issues("1", WINDOW))
    assert shop[0].group_id in {issue["id"] for issue in told}


def test_a_cursor_that_comes_back_ends_the_listing() -> None:
    assert "was returned twice" in failure(lambda asked: Reply(200, with_link("0:100:0"), b"[]"))


def test_the_token_follows_no_redirect() -> None:
    with serving() as other:
        moved = Reply(302, {"Location": f"{other.url}/api/0/"}, b"")
        reason = failure(lambda asked: moved)
    assert f"redirects to {other.url}/api/0/" in reason
    assert other.asked == []


@each("body", [b"", b"[{", b"<html>", b'{"detail": 1}', b"[" * 100_000, b"\xff\xfe"])
def test_an_answer_that_is_no_list_is_refused(body: bytes) -> None:
    assert failure(lambda asked: Reply(200, WHOLE, body))


def test_an_answer_cut_short_is_asked_for_again() -> None:
    answers = [Reply(200, WHOLE, b'[{"slug": "sh'), Reply(200, WHOLE, b'[{"slug": "shop"}]')]
    waits = list[float]()
    with serving(lambda asked: answers.pop(0)) as server:
        assert [project.slug for project in sentry(server.url, waits).projects()] == ["shop"]
    assert waits == [1.0]


def test_failures_are_repeated_at_growing_intervals_and_not_for_ever() -> None:
    waits = list[float]()
    assert failure(lambda asked: Reply(500, {}, b""), waits).startswith("500")
    assert waits == [1, 2, 4, 8, 16, 32, 60]


def test_a_service_that_is_away_is_asked_again() -> None:
    waits = list[float]()
    with serving() as server:
        url = server.url
    with pytest.raises(SentryUnusable):
        sentry(url, waits).projects()
    assert len(waits) == exchange.MOST_ATTEMPTS - 1


def test_a_limit_is_waited_for_as_it_asks() -> None:
    answers = [limited(), Reply(429, {"Retry-After": "17"}, b""), Reply(200, WHOLE, b"[]")]
    waits = list[float]()
    with serving(lambda asked: answers.pop(0)) as server:
        assert sentry(server.url, waits).projects() == []
    assert waits == [0.0, 17.0]


@each(
    "headers, seconds",
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "999999"}, exchange.LONGEST_ASKED_SECONDS),
        ({"x-sentry-rate-limit-reset": "1060"}, 60.0),
        ({"x-sentry-rate-limit-reset": "900"}, 1.0),
        ({"x-sentry-rate-limit-reset": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_of_a_limit(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, now=1000.0) == seconds


def test_a_refused_token_says_what_it_needs() -> None:
    reason = failure(lambda asked: Reply(401, WHOLE, b'{"detail": "Invalid token"}'))
    assert reason == "401 Invalid token; the token needs org:read, project:read and event:read"


def test_what_sentry_says_moves_no_cursor_of_a_terminal() -> None:
    body = json.dumps({"detail": "no\x1b[2J\nway"}).encode()
    assert failure(lambda asked: Reply(400, WHOLE, body)) == "400 no [2J way"


def test_pages_too_large_are_asked_for_in_smaller_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "ANSWER_MAX_BYTES", 300_000)
    shop = recorded_occurrences(["python_errors"], 30, UNTIL, timedelta(days=9))
    server = SentryServer({"shop": shop})
    with running_sentry(server) as http:
        page = sentry(http.url).events("shop", WINDOW, "")
    assert 0 < len(page.values) < 30
    assert page.next_cursor


def test_an_event_too_large_for_a_page_of_its_own_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "ANSWER_MAX_BYTES", 100)
    assert failure(lambda asked: Reply(200, WHOLE, b"[" + b" " * 200 + b"]")) == "a single event is too large"


@each(
    "url, token",
    [
        ("sentry.io", TOKEN),
        ("file:///etc/passwd", TOKEN),
        ("https://sentry.io", ""),
        ("https://sentry.io", "two words"),
        ("https://sentry.io", "line\nend"),
    ],
)
def test_addresses_and_tokens_are_checked_before_the_first_request(url: str, token: str) -> None:
    with pytest.raises(SentryUnusable):
        sentry_exchange(url, token)


@each(
    "link, cursor",
    [
        ('<u>; rel="previous"; results="true"; cursor="1", <u>; rel="next"; results="true"; cursor="2"', "2"),
        ('<u>; rel="next"; results="false"; cursor="2"', ""),
        ('<u>; cursor="3"; results="true"; rel="next"', "3"),
        ('<u,a>; rel="next"; results="true"; cursor="4"', "4"),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_the_cursor_of_a_link_header(link: str, cursor: str) -> None:
    assert next_cursor(link) == cursor


def test_a_long_link_header_takes_no_time() -> None:
    began = time.process_time()
    assert next_cursor("<" * 20_000 + '; a="' * 5_000) == ""
    assert time.process_time() - began < 0.5

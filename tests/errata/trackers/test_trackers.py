"""The clients against a server that answers as the trackers' documentation says."""

import time
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from errata.errors import InvalidParameter
from errata.outgoing import Outgoing
from errata.outgoing.errors import AddressRefused, NotReached, ResponseUnusable
from errata.trackers import Connection, NewIssue, Tracker, tracker_of
from errata.trackers.errors import TrackerBusy, TrackerRefused
from errata.trackers.jira import adf, wiki
from errata.trackers.markdown import markdown
from tests.cases import each
from tests.tracker_server import ACCOUNT, TOKEN, TrackerServer, allowing_loopback, running_tracker

KINDS = ("github", "gitlab", "jira cloud", "jira data center", "linear")
TARGETS = {"github": "acme/shop", "gitlab": "acme/tools/shop", "jira": "SHOP", "linear": "SHOP"}
BY_KEY = ("jira", "linear")
NEW = NewIssue(
    title="ValueError: bad\nvalue",
    text="ValueError: bad\n```\n@everybody {noformat}",
    facts=[("First release", "shop@1.0"), ("Last release", "")],
    url="https://errata.example/projects/shop/issues/00000000000000aa",
    labels=["errata", "from errata"],
)


@pytest.fixture
def server() -> Iterator[TrackerServer]:
    with running_tracker() as running:
        yield running


def client(
    server: TrackerServer, kind: str, token: str = TOKEN, target: str = "", outgoing: Outgoing | None = None
) -> Tracker:
    word = kind.partition(" ")[0]
    connection = Connection(
        word,
        server.url,
        target or TARGETS[word],
        SecretStr(token),
        ACCOUNT if kind == "jira cloud" else "",
    )
    return tracker_of(connection, outgoing or allowing_loopback())


@pytest.mark.parametrize("kind", KINDS)
def test_an_issue_is_made_with_its_way_back_and_found_again_as_it_is_by_then(
    server: TrackerServer, kind: str
) -> None:
    tracker = client(server, kind)
    assert "shop" in tracker.check().lower()
    made = tracker.create(NEW)
    assert made.is_open and made.title == "ValueError: bad value"
    stored = server.issues[1]
    assert NEW.url in str(stored["body"]) and "shop@1.0" in str(stored["body"])
    assert made.url.startswith(server.url)
    stored["state"] = "Done" if kind.startswith(BY_KEY) else "closed"
    found = tracker.find(made.key)
    assert (found.key, found.is_open, found.status) == (made.key, False, stored["state"])
    assert tracker.key_of(made.url) == tracker.key_of(made.key) == made.key


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_token_is_said_to_be_one_and_never_repeated(server: TrackerServer, kind: str) -> None:
    with pytest.raises(TrackerRefused, match="rejected the token") as raised:
        client(server, kind, token="another-token-that-is-wrong").check()
    assert raised.value.status == 401
    assert "another-token" not in str(raised.value) and "another-token" not in repr(
        client(server, kind).connection
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_there_is_told_with_what_the_tracker_said(server: TrackerServer, kind: str) -> None:
    with pytest.raises(TrackerRefused, match="no such issue or project in") as raised:
        client(server, kind, target="OTHER" if kind.startswith(BY_KEY) else "acme/other").check()
    assert raised.value.status in (404, 410)
    with pytest.raises(TrackerRefused, match="Response:"):
        client(server, kind).find("SHOP-77" if kind.startswith(BY_KEY) else "77")


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"Retry-After": "17"}, 17),
        (403, {"Retry-After": "60"}, 60),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, 1),
        (429, {}, 60),
        (429, {"Retry-After": "999999"}, 3600),
    ],
    ids=["said", "secondary limit", "used up", "not said", "for ever"],
)
def test_a_limit_says_when_to_come_back(
    server: TrackerServer, status: int, headers: dict[str, str], seconds: int
) -> None:
    server.next_answer = (status, {"message": "API rate limit exceeded"}, headers)
    with pytest.raises(TrackerBusy) as raised:
        client(server, "github").check()
    assert raised.value.retry_after_seconds == seconds


def test_a_limit_of_linear_comes_as_a_refused_request(server: TrackerServer) -> None:
    at = str((int(time.time()) + 40) * 1000)
    errors = [{"message": "Rate limit exceeded", "extensions": {"code": "RATELIMITED"}}]
    server.next_answer = (400, {"errors": errors}, {"X-RateLimit-Requests-Reset": at})
    with pytest.raises(TrackerBusy) as raised:
        client(server, "linear").check()
    assert 30 <= raised.value.retry_after_seconds <= 40


@pytest.mark.parametrize(
    ("kind", "status", "body", "said"),
    [
        ("github", 403, {"message": "Resource not accessible by token"}, "Resource not accessible"),
        ("github", 422, {"message": "No", "errors": [{"field": "title", "code": "gone"}]}, "title gone"),
        ("github", 410, {"message": "Issues are disabled for this repo"}, "disabled"),
        ("gitlab", 403, {"error": "insufficient_scope", "error_description": "needs api"}, "needs api"),
        ("gitlab", 400, {"message": {"title": ["can't be blank"]}}, "title can't be blank"),
        ("jira cloud", 400, {"errorMessages": [], "errors": {"summary": "is short"}}, "summary: is short"),
        ("jira cloud", 500, b"<html>Oops</html>", "Try again later"),
        ("github", 503, {"message": "Service unavailable"}, "responded with 503"),
        ("linear", 200, {"errors": [{"message": "Argument title is too long"}]}, "too long"),
        ("linear", 400, {"errors": [{"extensions": {"code": "FORBIDDEN"}}]}, "lacks permission"),
        ("linear", 502, b"<html>Oops</html>", "Try again later"),
    ],
)  # fmt: skip
def test_every_refusal_is_explained(
    server: TrackerServer, kind: str, status: int, body: object, said: str
) -> None:
    server.next_answer = (status, body, {})
    with pytest.raises(TrackerRefused, match=said) as raised:
        client(server, kind).create(NEW)
    assert not isinstance(raised.value, TrackerBusy)


def test_an_answer_that_is_no_issue_is_not_taken_for_one(server: TrackerServer) -> None:
    bodies: tuple[object, ...] = (b"not json", [], {"number": 3}, None)
    for body in bodies:
        server.next_answer = (200, body, {})
        with pytest.raises(ResponseUnusable):
            client(server, "github").find("3")


def test_private_addresses_are_reached_only_where_the_operator_allowed_them(server: TrackerServer) -> None:
    with pytest.raises(AddressRefused):
        client(server, "github", outgoing=Outgoing()).check()
    assert server.requests == []


def test_a_tracker_that_is_away_is_said_to_be(server: TrackerServer) -> None:
    connection = Connection("github", "http://127.0.0.1:9", "acme/shop", SecretStr(TOKEN))
    with pytest.raises(NotReached):
        tracker_of(connection, allowing_loopback()).check()


@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        ("github", "https://github.com/acme/other/issues/3"),
        ("github", "https://evil.example/acme/shop/issues/3"),
        ("github", "SHOP-3"),
        ("gitlab", "#0"),
        ("jira cloud", "https://other.example/browse/SHOP-3"),
        ("jira cloud", "../../admin"),
        ("jira cloud", ""),
    ],
)
def test_an_issue_of_elsewhere_cannot_be_linked(server: TrackerServer, kind: str, reference: str) -> None:
    with pytest.raises(InvalidParameter):
        client(server, kind).key_of(reference)


@each(
    ("kind", "base_url", "reference", "key"),
    [
        ("github", "https://github.com", "https://github.com/Acme/Shop/issues/12#note", "12"),
        ("github", "https://github.com", "acme/shop#12", "12"),
        ("gitlab", "https://gitlab.com", "https://gitlab.com/acme/shop/-/issues/12", "12"),
        ("jira", "https://acme.atlassian.net", "https://acme.atlassian.net/browse/SHOP-12", "SHOP-12"),
        ("jira", "https://acme.atlassian.net", "shop-12", "SHOP-12"),
        ("linear", "https://linear.app", "https://linear.app/acme/issue/SHOP-12/value-error", "SHOP-12"),
        ("linear", "https://linear.app", "shop-12", "SHOP-12"),
    ],
)
def test_people_paste_addresses_and_keys(kind: str, base_url: str, reference: str, key: str) -> None:
    connection = Connection(kind, base_url, "acme/shop", SecretStr(TOKEN), ACCOUNT)
    assert tracker_of(connection, Outgoing()).key_of(reference) == key


def test_github_itself_is_asked_at_its_api_and_a_server_below_its_path() -> None:
    def api(base_url: str) -> str:
        return tracker_of(Connection("github", base_url, "a/b", SecretStr(TOKEN)), Outgoing()).api_url

    assert api("https://github.com") == api("https://api.github.com/") == "https://api.github.com"
    assert api("https://ghe.example") == api("https://ghe.example/api/v3") == "https://ghe.example/api/v3"


def test_what_an_event_said_stays_in_its_frame() -> None:
    text = markdown(NEW)
    assert text.startswith("````\n") and "\n````\n" in text
    assert "{ noformat}" in wiki(NEW) and wiki(NEW).count("{noformat}") == 2
    document = adf(NEW)
    assert document["content"][0]["content"][0]["text"] == NEW.text
    assert len(document["content"][1]["content"]) == 1


def test_labels_of_jira_are_words(server: TrackerServer) -> None:
    client(server, "jira cloud").create(NEW)
    sent = next(body for method, _, _, body in server.requests if method == "POST")
    assert sent["fields"]["labels"] == ["errata", "from-errata"]

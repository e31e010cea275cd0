"""`errata import sentry` on its command line, against HTTP servers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.__main__ import main
from errata.importing.destination import Destination, Project
from errata.importing.states import Decision
from errata.service_client import Service, ServiceNotAsked
from tests.cases import each
from tests.errata.outgoing.servers import Asked, HttpServer, Reply, serving
from tests.sentry_server import ORGANIZATION, TOKEN, SentryServer, recorded_occurrences, running_sentry

UNTIL = datetime(2026, 11, 21, tzinfo=UTC)


def with_projects(asked: Asked) -> Reply:
    """A service that has one project, and nothing else."""
    if asked.path == "/api/projects":
        return Reply(200, {}, json.dumps({"projects": [{"slug": "web"}]}).encode())
    return Reply(404, {}, b'{"error": "not_found", "message": "Not Found"}')


@contextmanager
def both() -> Iterator[tuple[HttpServer, HttpServer]]:
    shop = recorded_occurrences(["python_errors"], 3, UNTIL, timedelta(days=1))
    with running_sentry(SentryServer({"shop": shop})) as sentry, serving(with_projects) as service:
        yield sentry, service


def run(sentry: str, folder: Path, *more: str) -> int:
    places = ["--progress", str(folder / "progress"), "--data", str(folder)]
    return main(["import", "sentry", "--url", sentry, "--org", ORGANIZATION, *places, *more])


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SENTRY_AUTH_TOKEN", TOKEN)
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", "errata_api_key")


@each(
    "arguments, said",
    [
        ([], "no project shop here; add --create, or --project shop=SLUG"),
        (["--project", "shop=web"], "404 Not Found"),
        (["--project", "blog=web"], "Sentry has no project blog"),
        (["--token-file", "/nowhere/token"], "/nowhere/token can't be read"),
        (["--progress", "/proc/import"], "/proc/import: No such file or directory"),
    ],
)
def test_what_is_wrong_is_said_before_an_event_is_read(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with both() as (sentry, service):
        monkeypatch.setenv("ERRATA_CLIENT_URL", service.url)
        assert run(sentry.url, tmp_path, *arguments) == 1
    told = capsys.readouterr()
    assert said in told.err
    assert TOKEN not in told.err + told.out
    assert not any("/events/" in asked.path for asked in sentry.asked)


def test_an_address_without_tls_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with both() as (sentry, service):
        monkeypatch.setenv("ERRATA_CLIENT_URL", service.url)
        run(sentry.url, tmp_path)
    assert "warning: --url is not https://" in capsys.readouterr().err


def test_a_token_can_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SENTRY_AUTH_TOKEN")
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    with both() as (sentry, service):
        monkeypatch.setenv("ERRATA_CLIENT_URL", service.url)
        run(sentry.url, tmp_path, "--token-file", str(tmp_path / "token"))
    assert sentry.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_day_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run("https://sentry.example", tmp_path, "--since", "yesterday")
    assert ended.value.code == 2
    assert "must be a date such as 2026-11-01" in capsys.readouterr().err


@each(
    "answer, outcomes",
    [
        ({"accepted": 2, "rejected": []}, ["accepted", "accepted"]),
        ({"accepted": 1, "rejected": [{"line": 2, "reason": "invalid_item"}]}, ["accepted", "invalid_item"]),
        ({"accepted": 1, "rejected": []}, None),
        ([], None),
    ],
)
def test_a_delivery_accounts_for_each_event(answer: object, outcomes: list[str] | None) -> None:
    events = [{"type": "event", "payload": {"message": str(number)}} for number in range(2)]
    project = Project("web", "errata_public_key", 88, 28)
    with serving(lambda asked: Reply(200, {}, json.dumps(answer).encode())) as server:
        destination = Destination(Service(server.url, "errata_api_key", "", ""))
        if outcomes is None:
            with pytest.raises(ServiceNotAsked, match="account for each"):
                destination.deliver(project, events)
        else:
            assert destination.deliver(project, events) == outcomes
    assert len({asked.headers["x-errata-batch-id"] for asked in server.asked}) == 1


def test_a_delivery_that_is_too_large_is_halved() -> None:
    def reply(asked: Asked) -> Reply:
        if int(asked.headers["content-length"]) > 120:
            return Reply(413, {}, b'{"error": "too_large", "message": "too large"}')
        return Reply(200, {}, b'{"accepted": 1, "rejected": []}')

    texts = "a", "b", " ".join(map(str, range(100)))
    events = [{"type": "event", "payload": {"message": text}} for text in texts]
    with serving(reply) as server:
        destination = Destination(Service(server.url, "errata_api_key", "", ""))
        outcomes = destination.deliver(Project("web", "errata_public_key", 88, 28), events)
    assert outcomes == ["accepted", "accepted", "too_large"]


def test_a_decision_that_the_service_refuses_ends_nothing() -> None:
    with serving(lambda asked: Reply(400, {}, b'{"error": "invalid_parameter", "message": "no"}')) as server:
        destination = Destination(Service(server.url, "errata_api_key", "", ""))
        assert not destination.decide("web", "0" * 16, Decision("resolve", {"in": "release", "release": "x"}))

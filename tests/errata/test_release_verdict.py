"""`errata verdict` against a real HTTP server."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from errata import release_verdict
from errata.__main__ import main
from tests.cases import each
from tests.errata.outgoing.servers import Asked, Reply, serving

RELEASE = "shop@2.1"
TOLD: dict[str, Any] = {
    "release": RELEASE,
    "environment": "production",
    "previous_release": "shop@2.0",
    "overall_verdict": "worse",
    "headline": "Worse: load time 12% longer",
    "effect_ratio": 0.123,
    "effect_ratio_low": 0.08,
    "effect_ratio_high": 0.169,
    "compared_count": 21402,
    "error_ratio": 1.05,
    "error_ratio_low": 0.91,
    "error_ratio_high": 1.22,
    "errors_per": "session",
    "compared_error_count": 310,
    "crash_free_change": None,
    "new_issue_count": 2,
    "regressed_issue_count": 0,
    "next_look_at": "2026-11-21T23:00:00Z",
}
UNDECIDED = {**TOLD, "overall_verdict": "not_enough_data", "effect_ratio": None, "error_ratio": None}
NOT_SEEN = {"error": "release_not_found", "message": "Release not found"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", "errata_api_key")


def answering(*answers: tuple[int, object]) -> Callable[[Asked], Reply]:
    """One after the other, the last one again and again."""
    left = list(answers)

    def answer(asked: Asked) -> Reply:
        status, told = left.pop(0) if len(left) > 1 else left[0]
        return Reply(status, {"Content-Type": "application/json"}, json.dumps(told).encode())

    return answer


def run(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Asked], Reply], *more: str) -> int:
    with serving(answer) as server:
        monkeypatch.setenv("ERRATA_CLIENT_URL", server.url)
        return main(["verdict", RELEASE, "--project", "web-shop", *more])


@each(
    "word, code", [("worse", 1), ("better", 0), ("no_change", 0), ("not_enough_data", 3), ("another word", 3)]
)
def test_the_exit_code_says_whether_the_release_is_worse(
    word: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, answering((200, {**TOLD, "overall_verdict": word}))) == code


def test_what_is_known_is_told_as_text_or_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, answering((200, TOLD)), "--environment", "production") == 1
    assert capsys.readouterr().out.splitlines() == [
        "shop@2.1 in production: worse than shop@2.0",
        "Worse: load time 12% longer",
        "load time: +12.3% (+8.0% to +16.9%), of 21,402 page loads",
        "errors per session: 1.05 times (0.91 to 1.22), of 310",
        "new issues: 2, regressed: 0",
    ]
    assert run(monkeypatch, answering((200, TOLD)), "--format", "json") == 1
    assert json.loads(capsys.readouterr().out) == {"exit_code": 1, **TOLD}
    assert run(monkeypatch, answering((200, UNDECIDED))) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "next analysis: 2026-11-21T23:00:00Z"


def test_the_release_and_environment_are_asked_for_as_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(answering((200, TOLD))) as server:
        monkeypatch.setenv("ERRATA_CLIENT_URL", server.url)
        main(["verdict", "shop@2.1 rc/1", "--project", "web-shop", "--environment", "pre prod"])
        (asked,) = server.asked
    assert asked.path == (
        "/api/projects/web-shop/performance/releases/shop%402.1%20rc%2F1/verdict?environment=pre+prod"
    )


def test_waiting_ends_with_the_verdict_or_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_verdict, "ASKED_EVERY_SECONDS", 0.01)
    slowly = answering(
        (404, NOT_SEEN), (503, {}), (200, UNDECIDED), (200, {**TOLD, "overall_verdict": "better"})
    )
    assert run(monkeypatch, slowly, "--wait", "5") == 0
    assert run(monkeypatch, answering((200, UNDECIDED)), "--wait", "0.001") == 3


def test_what_cannot_be_told_is_never_good(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, answering((404, NOT_SEEN))) == 3
    assert "no page load of this release has been counted yet" in capsys.readouterr().out
    not_found = {"error": "project_not_found", "message": "Project not found"}
    for status, told, reason in (
        (401, {}, "The service answered 401"),
        (404, not_found, "The service answered 404 Project not found"),
        (200, {"a": 1}, "unexpected response"),
    ):
        assert run(monkeypatch, answering((status, told))) == 3
        assert reason in capsys.readouterr().err

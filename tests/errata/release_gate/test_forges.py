"""`errata verdict --status` against forges that take only what they document."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errata.__main__ import main
from errata.release_gate import forge as forges
from tests.cases import each
from tests.errata.outgoing.servers import Asked, Reply, serving
from tests.errata.release_gate.forges import (
    HEAD,
    MERGE,
    THEIRS,
    TOKEN,
    GitHub,
    GitLab,
    answer,
    running,
)
from tests.errata.test_release_verdict import NOT_SEEN, RELEASE, TOLD

MARKER = "<!-- errata verdict errata/verdict -->"
ISSUES: dict[str, Any] = {
    "new_issues": [
        {
            "id": "00000000000000a1",
            "title": "ZeroDivisionError: cart is empty",
            "suspects": [{"commit_id": "c" * 40, "title": "Divide the cart", "path": "src/cart.py"}],
            "unknown_because": "",
        },
        {"id": "00000000000000a2", "title": "Timeout", "suspects": [], "unknown_because": "no_match"},
    ],
    "regressed_issues": [],
}
Run = Callable[..., int]


@pytest.fixture
def told() -> dict[str, Any]:
    return dict(TOLD)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, told: dict[str, Any]) -> Iterator[Run]:
    """The command against a service that answers `told`."""

    def service(asked: Asked) -> Reply:
        if told.get("error"):
            return answer(404, told)
        return answer(200, ISSUES if "/issues" in asked.path else told)

    with serving(service) as server:
        monkeypatch.setenv("ERRATA_CLIENT_URL", server.url)
        monkeypatch.setenv("ERRATA_CLIENT_API_KEY", "errata_api_key")
        yield lambda *more: main(["verdict", RELEASE, "--project", "web-shop", *more])


def on_github(monkeypatch: pytest.MonkeyPatch, url: str, directory: Path) -> None:
    event = directory / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": HEAD}}}))
    for name, value in {
        "GITHUB_API_URL": url,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_SHA": MERGE,
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_EVENT_PATH": str(event),
    }.items():
        monkeypatch.setenv(name, value)


def on_gitlab(monkeypatch: pytest.MonkeyPatch, url: str, _: Path) -> None:
    for name, value in {
        "CI_API_V4_URL": url,
        "GITLAB_TOKEN": TOKEN,
        "CI_PROJECT_ID": "42",
        "CI_COMMIT_SHA": MERGE,
        "CI_PIPELINE_ID": "99",
        "CI_MERGE_REQUEST_IID": "7",
    }.items():
        monkeypatch.setenv(name, value)


JOBS = {"github": (GitHub, on_github), "gitlab": (GitLab, on_gitlab)}


@each(
    "word, code, states",
    [
        ("worse", 1, ("failure", "failed")),
        ("better", 0, ("success", "success")),
        ("no_change", 0, ("success", "success")),
        ("not_enough_data", 3, ("pending", "pending")),
        ("another word", 3, ("pending", "pending")),
    ],
)
def test_each_verdict_has_its_state_and_what_is_undecided_waits(
    word: str,
    code: int,
    states: tuple[str, str],
    run: Run,
    told: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    told["overall_verdict"] = word
    for (kind, (stand_in, on_forge)), state in zip(JOBS.items(), states, strict=True):
        at = stand_in()
        with running(at) as url:
            on_forge(monkeypatch, url, tmp_path)
            assert run("--status", kind) == code
        assert [status["state"] for status in at.statuses] == [state]
        (status,) = at.statuses
        assert status["description"] == TOLD["headline"]
        assert status["target_url"].endswith("/release?version=shop%402.1&environment=production")
        assert status.get("context", status.get("name")) == "errata/verdict"


@each("kind", ["github", "gitlab"])
def test_a_release_that_nobody_has_loaded_and_a_service_that_is_away_wait(
    kind: str, run: Run, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand_in, on_forge = JOBS[kind]
    for problem in (NOT_SEEN, {"error": "project_not_found", "message": "x"}):
        told.clear()
        told.update(problem)
        at = stand_in()
        with running(at) as url:
            on_forge(monkeypatch, url, tmp_path)
            assert run("--status", kind, "--comment") == 3
            # GitLab refuses what is pending already: that is no problem of the job.
            assert run("--status", kind, "--status-required") == 3
        assert {status["state"] for status in at.statuses} == {"pending"}


@each("kind", ["github", "gitlab"])
def test_one_comment_is_written_and_edited_afterwards(
    kind: str, run: Run, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand_in, on_forge = JOBS[kind]
    at = stand_in()
    # More than a page, and somebody who copied the marker.
    told["overall_verdict"] = "worse"
    for number in range(120):
        at.has(f"Comment {number}", THEIRS)
    copied = at.has(f"{MARKER}\nall is well", THEIRS)
    with running(at) as url:
        on_forge(monkeypatch, url, tmp_path)
        assert run("--status", kind, "--comment") == 1
        first = [comment["body"] for comment in at.comments.values() if comment["body"].startswith(MARKER)]
        told["overall_verdict"] = "better"
        assert run("--status", kind, "--comment") == 0
        other = "--context", "other gate"
        assert run("--status", kind, "--comment", *other) == 0
    assert len(first) == 2 and "**Worse:** release `shop@2.1`" in first[1]
    assert "[`ZeroDivisionError: cart is empty`](" in first[1] and "/issues/00000000000000a1)" in first[1]
    assert "`cccccccccccc` `Divide the cart`, changed `src/cart.py`" in first[1]
    assert "don't know: no commit of this release changed a file of the stack" in first[1]
    assert at.comments.pop(copied)["body"].endswith("all is well")
    ours = [one["body"] for one in at.comments.values() if one["body"].startswith("<!-- errata")]
    assert len(ours) == 2
    assert ours[0].startswith(MARKER) and "**Not worse:**" in ours[0]
    assert ours[1].startswith("<!-- errata verdict other gate -->")


def test_a_person_s_token_edits_that_person_s_comment_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = GitHub(knows_user=True)
    another_bot = at.has(f"{MARKER}\nby another bot", {"id": 5, "type": "Bot"})
    with running(at) as url:
        on_github(monkeypatch, url, tmp_path)
        assert run("--status", "github", "--comment") == 1
    assert at.comments[another_bot]["body"].endswith("by another bot")
    assert len(at.comments) == 2


def never(asked: Asked) -> Reply:
    threading.Event().wait(1.0)
    return Reply()


FAILURES: dict[str, tuple[Callable[[Asked], Reply], str]] = {
    "refusing": (
        lambda _: answer(403, {"message": "Resource not accessible by integration"}),
        "403 Resource not",
    ),
    "failing": (lambda _: Reply(502, {}, b"<html>"), "502"),
    "redirecting": (lambda _: Reply(302, {"Location": "http://localhost:9/"}), "redirects elsewhere"),
    "slow": (never, "timed out"),
    "talking of something else": (lambda _: Reply(200, {}, b"<html>"), "Expecting value"),
    "hostile": (lambda _: answer(422, {"message": "\x1b[2J" + "x" * 9_000}), "422"),
}


@each("kind", ["github", "gitlab"])
@each("name", FAILURES)
def test_a_forge_that_fails_changes_no_verdict_and_is_said(
    name: str,
    kind: str,
    run: Run,
    told: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fails, said = FAILURES[name]
    monkeypatch.setattr(forges, "SECONDS", 0.2)
    stand_in, on_forge = JOBS[kind]
    with running(stand_in(fails=fails)) as url:
        on_forge(monkeypatch, url, tmp_path)
        for word, code, required in (("worse", 1, 1), ("better", 0, 4), ("not_enough_data", 3, 3)):
            told["overall_verdict"] = word
            assert run("--status", kind) == code
            assert run("--status", kind, "--status-required") == required
    told_to_people = capsys.readouterr().err
    assert f"Can't write to {stand_in.__name__}" in told_to_people and said in told_to_people
    assert TOKEN not in told_to_people and "\x1b" not in told_to_people and len(told_to_people) < 6_000


@each("kind", ["github", "gitlab"])
def test_a_forge_that_is_away_or_not_named_is_said(
    kind: str,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serving() as server:
        gone = server.url
    on_forge = JOBS[kind][1]
    on_forge(monkeypatch, gone, tmp_path)
    assert run("--status", kind) == 1
    assert "refused" in capsys.readouterr().err
    for setting in ("GITHUB_TOKEN", "GITLAB_TOKEN", "GITHUB_REPOSITORY", "CI_PROJECT_ID"):
        monkeypatch.setenv(setting, "")
    assert run("--status", kind) == 1
    assert "Can't write to" in capsys.readouterr().err


def test_a_job_that_belongs_to_no_request_sets_the_status_and_says_that_it_has_no_comment(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = GitHub()
    with running(at) as url:
        on_github(monkeypatch, url, tmp_path)
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "none.json"))
        monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
        assert run("--status", "github", "--comment", "--commit", HEAD) == 1
    assert len(at.statuses) == 1
    assert "this job has no pull request" in capsys.readouterr().err


@each("options", [["--comment"], ["--status", "github", "--context", "a --> b"]])
def test_options_that_make_no_sense_are_refused_before_anything_is_asked(
    options: list[str], run: Run
) -> None:
    assert run(*options) == 2

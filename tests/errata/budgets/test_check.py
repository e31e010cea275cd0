"""`errata budgets check` against a real HTTP server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errata.__main__ import main
from errata.budgets.check import verdict
from errata.budgets.state import State
from tests.errata.outgoing.servers import Asked, Reply, serving

KEPT: dict[str, Any] = {
    "name": "Loads",
    "state": "kept",
    "reason": "",
    "promise": "Total load time p75 at most 2,500 ms (last 24 hours)",
    "value": 2134.4,
    "unit": "ms",
    "threshold": 2500.0,
    "sample_count": 8412,
    "independent_count": 5120,
}
BREACHED = {**KEPT, "name": "LCP", "state": "breached", "value": 2503.0}
UNKNOWN = {**KEPT, "name": "CLS", "state": "unknown", "reason": "few_samples", "value": None}


def answering(*budgets: dict[str, Any]) -> Callable[[Asked], Reply]:
    table = {"budgets": budgets, "as_of": "2026-11-21T23:05:00Z"}
    return lambda asked: Reply(200, {"Content-Type": "application/json"}, json.dumps(table).encode())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", "errata_api_key")


@pytest.mark.parametrize(
    ("states", "ignores_unknown", "code"),
    [
        (["kept", "kept"], False, 0),
        (["kept", "breached", "unknown"], False, 1),
        (["breached"], True, 1),
        (["kept", "unknown"], False, 3),
        (["kept", "unknown"], True, 0),
        (["unknown"], True, 3),
        ([], True, 3),
    ],
    ids=str,
)
def test_the_exit_code_says_whether_budgets_are_kept(
    states: list[str], ignores_unknown: bool, code: int
) -> None:
    assert verdict([State(word) for word in states], ignores_unknown=ignores_unknown) == code


def test_what_stands_how_is_told_as_text_or_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(answering(KEPT, BREACHED, UNKNOWN)) as server:
        monkeypatch.setenv("ERRATA_CLIENT_URL", f"{server.url}/")
        assert main(["budgets", "check", "--project", "web-shop"]) == 1
        text = capsys.readouterr().out
        assert main(["budgets", "check", "--project", "web-shop", "--format", "json"]) == 1
        told = json.loads(capsys.readouterr().out)
    promise = "Total load time p75 at most 2,500 ms (last 24 hours)"
    assert text.splitlines() == [
        f"kept      Loads  {promise}: 2,134 ms of 8,412 samples, 5,120 independent",
        f"breached  LCP    {promise}: 2,503 ms of 8,412 samples, 5,120 independent",
        f"unknown   CLS    {promise}: too few samples",
        "web-shop: 1 kept, 1 breached, 1 unknown, as of 2026-11-21T23:05:00Z",
    ]
    assert (told["project"], told["exit_code"], len(told["budgets"])) == ("web-shop", 1, 3)
    assert told["as_of"] == "2026-11-21T23:05:00Z"
    assert told["counts"] == {"kept": 1, "breached": 1, "unknown": 1}
    facts = [(each["state"], each["name"], each["promise"], each["result"]) for each in told["budgets"]]
    assert facts == [
        ("kept", "Loads", promise, "2,134 ms of 8,412 samples, 5,120 independent"),
        ("breached", "LCP", promise, "2,503 ms of 8,412 samples, 5,120 independent"),
        ("unknown", "CLS", promise, "too few samples"),
    ]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            Reply(401, {}, b'{"error": "invalid_api_key", "message": "Invalid API Key"}'),
            "The service answered 401 Invalid API Key",
        ),
        (Reply(302, {"Location": "http://example.org/"}, b""), "302"),
        (Reply(200, {}, b"<html>"), "unexpected response"),
        (Reply(200, {}, b"[]"), "unexpected response"),
    ],
    ids=["refused", "moved", "no JSON", "no table"],
)
def test_a_service_that_cannot_be_asked_is_no_breach(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], reply: Reply, words: str
) -> None:
    with serving(lambda asked: reply) as server:
        monkeypatch.setenv("ERRATA_CLIENT_URL", server.url)
        assert main(["budgets", "check", "--project", "web-shop"]) == 3
    assert words in capsys.readouterr().err


def test_a_key_that_is_not_valid_any_more_is_told_with_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Reply(401, {}, b'{"error": "invalid_api_key", "message": "Invalid API Key"}')
    with serving(lambda asked: refused) as server:
        told = {"base_url": server.url, "api_key": "errata_api_dead", "project": "my-project"}
        (tmp_path / "credentials.json").write_text(json.dumps(told))
        assert main(["budgets", "check", "--data", str(tmp_path)]) == 3
        assert "update the key in ERRATA_CLIENT_API_KEY" in capsys.readouterr().err
        monkeypatch.delenv("ERRATA_CLIENT_API_KEY")
        assert main(["budgets", "check", "--data", str(tmp_path)]) == 3
        assert f"update the key in {tmp_path / 'credentials.json'}" in capsys.readouterr().err


def test_address_key_and_project_come_from_the_data_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ERRATA_CLIENT_API_KEY")
    assert main(["budgets", "check", "--data", str(tmp_path)]) == 3
    assert "ERRATA_CLIENT_URL" in capsys.readouterr().err
    with serving(answering(KEPT)) as server:
        told = {"base_url": server.url, "api_key": "errata_api_other", "project": "my-project"}
        (tmp_path / "credentials.json").write_text(json.dumps(told))
        assert main(["budgets", "check", "--data", str(tmp_path)]) == 0
        [asked] = server.asked
    assert asked.path.startswith("/api/projects/my-project/")
    assert asked.headers["authorization"] == "Bearer errata_api_other"


@pytest.mark.parametrize("key", ["errata_api_…", "errata_api_x\u00e4", "errata_api_\n"])
def test_a_key_that_no_header_can_carry_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    monkeypatch.setenv("ERRATA_CLIENT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", key)
    assert main(["budgets", "check", "--project", "web-shop"]) == 3
    assert "ERRATA_CLIENT_API_KEY contains characters" in capsys.readouterr().err

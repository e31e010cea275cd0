import datetime
import stat
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata_sdk
import pytest
import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

APP_KEY = "errata_app_test"
# Far from the code that uses them: source lines are part of an event.
SECRETS = ["t0psecret", "4242424242424242", "hunter2", "abcdef-ghijkl", "k-1234567", "s3cr3t"]
Lines = Callable[[], list[dict[str, Any]]]
Run = Callable[..., subprocess.CompletedProcess[str]]


class SentryStandIn(Transport):
    """Where an application that already uses Sentry sends its envelopes."""

    def __init__(self) -> None:
        super().__init__()
        self.envelopes: list[Envelope] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.envelopes.append(envelope)


def charge(card: str, amount: float, *coupons: str, currency: str = "EUR", **more: str) -> None:
    total = amount * 1.2
    raise RuntimeError(f"cannot charge {total} {currency}")


def test_a_captured_error_is_one_line_of_todays_file(logs: Path, lines: Lines) -> None:
    errata_sdk.init(APP_KEY, logs, environment="staging", release="shop@1.0.0", in_app_include=["shop"])
    sentry_sdk.set_user({"id": "7", "email": "ada@example.com"})
    sentry_sdk.set_tag("plan", "gold")
    sentry_sdk.add_breadcrumb(category="ui", message="clicked pay")
    try:
        charge("4242", 3)
    except RuntimeError:
        sentry_sdk.capture_exception()

    (line,) = lines()
    payload = line["payload"]
    today = datetime.datetime.now(datetime.UTC)
    assert [file.name for file in logs.iterdir()] == [f"errata-{today:%Y-%m-%d}.log"]
    assert (line["type"], line["app_key"]) == ("event", APP_KEY)
    assert abs(datetime.datetime.fromisoformat(line["logged_at"]) - today) < datetime.timedelta(minutes=1)
    assert (payload["environment"], payload["release"]) == ("staging", "shop@1.0.0")
    assert payload["user"]["email"] == "ada@example.com"
    assert payload["tags"]["plan"] == "gold"
    assert payload["breadcrumbs"]["values"][-1]["message"] == "clicked pay"
    assert payload["exception"]["values"][0]["type"] == "RuntimeError"


def test_an_address_that_is_set_for_a_user_is_told(logs: Path, lines: Lines) -> None:
    errata_sdk.init(APP_KEY, logs)
    sentry_sdk.set_user({"id": "7", "ip_address": "203.0.113.9", "username": "Ada"})
    sentry_sdk.capture_message("hello")
    assert lines()[0]["payload"]["user"] == {"id": "7", "ip_address": "203.0.113.9", "username": "Ada"}


def test_only_the_owner_and_the_group_may_read_the_file(logs: Path) -> None:
    errata_sdk.init(APP_KEY, logs)
    sentry_sdk.capture_message("hello")
    (file,) = logs.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) & ~0o640 == 0


def test_an_event_tells_runtime_system_memory_and_server(logs: Path, lines: Lines) -> None:
    errata_sdk.init(APP_KEY, logs)
    sentry_sdk.capture_message("hello")
    (line,) = lines()
    contexts = line["payload"]["contexts"]
    assert contexts["runtime"]["name"] == "CPython"
    assert contexts["os"]["name"]
    assert contexts["device"]["memory_size"] > contexts["app"]["app_memory"] > 1 << 20
    assert contexts["device"]["free_memory"] > 0
    assert line["payload"]["server_name"]


def test_a_frame_names_its_arguments_apart_from_its_other_variables(logs: Path, lines: Lines) -> None:
    errata_sdk.init(APP_KEY, logs)
    try:
        charge("4242", 3, "SPRING", note="x")
    except RuntimeError:
        sentry_sdk.capture_exception()
    frame = lines()[0]["payload"]["exception"]["values"][0]["stacktrace"]["frames"][-1]
    assert frame["arguments"] == ["card", "amount", "currency", "coupons", "more"]
    assert set(frame["vars"]) == {*frame["arguments"], "total"}


def test_chained_and_grouped_exceptions_name_their_arguments_too(logs: Path, lines: Lines) -> None:
    def pay(order: int) -> None:
        try:
            charge("4242", 3)
        except RuntimeError as error:
            raise ExceptionGroup("checkout", [KeyError(order)]) from error

    errata_sdk.init(APP_KEY, logs)
    try:
        pay(12)
    except ExceptionGroup:
        sentry_sdk.capture_exception()
    values = lines()[0]["payload"]["exception"]["values"]
    named = {
        frame["function"]: frame.get("arguments")
        for value in values
        for frame in value.get("stacktrace", {}).get("frames", [])
    }
    assert named["charge"] == ["card", "amount", "currency", "coupons", "more"]
    assert named["pay"] == ["order"]


def test_a_message_with_its_stack_names_arguments(logs: Path, lines: Lines) -> None:
    def audit(account: str) -> None:
        sentry_sdk.capture_message("odd balance")

    errata_sdk.init(APP_KEY, logs, attach_stacktrace=True)
    audit("savings")
    frames = lines()[0]["payload"]["threads"]["values"][0]["stacktrace"]["frames"]
    assert {"audit": ["account"]}.items() <= {f["function"]: f.get("arguments") for f in frames}.items()


def test_the_applications_own_before_send_still_decides(logs: Path, lines: Lines) -> None:
    def before_send(event: Any, hint: dict[str, Any]) -> Any:
        return None if event["message"] == "drop me" else event

    errata_sdk.init(APP_KEY, logs, before_send=before_send)
    sentry_sdk.capture_message("drop me")
    sentry_sdk.capture_message("keep me")
    sentry_sdk.flush()
    assert [line["payload"].get("message") for line in lines()] == ["keep me", None]
    assert lines()[1]["type"] == "client_report"
    assert lines()[1]["payload"]["discarded_events"] == [
        {"reason": "before_send", "category": "error", "quantity": 1}
    ]


def test_traces_are_transactions_with_their_sample_rate(logs: Path, lines: Lines) -> None:
    errata_sdk.init(APP_KEY, logs, traces_sample_rate=1.0)
    with (
        sentry_sdk.start_transaction(op="http.server", name="GET /products/{id}"),
        sentry_sdk.start_span(op="db", name="select 1"),
    ):
        pass
    (line,) = lines()
    assert line["type"] == "transaction"
    assert line["payload"]["transaction"] == "GET /products/{id}"
    assert [span["op"] for span in line["payload"]["spans"]] == ["db"]
    assert float(line["headers"]["trace"]["sample_rate"]) == 1.0


def test_an_application_that_uses_sentry_keeps_it_and_both_get_the_same_event(
    logs: Path, lines: Lines
) -> None:
    sentry = SentryStandIn()
    sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=sentry, release="shop@2")
    errata_sdk.init(APP_KEY, logs, keep_sentry=True)
    try:
        charge("4242", 3)
    except RuntimeError:
        event_id = sentry_sdk.capture_exception()
    (envelope,) = sentry.envelopes
    event = envelope.get_event()
    assert event is not None
    (line,) = lines()
    assert line["payload"]["event_id"] == event["event_id"] == event_id
    assert line["payload"]["release"] == "shop@2"
    assert line["payload"]["exception"]["values"][0]["stacktrace"]["frames"][-1]["arguments"]


def test_joining_sentry_twice_writes_once(logs: Path, lines: Lines, tmp_path: Path) -> None:
    sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=SentryStandIn())
    errata_sdk.init(APP_KEY, tmp_path / "first", keep_sentry=True)
    errata_sdk.init(APP_KEY, logs, keep_sentry=True)
    sentry_sdk.capture_message("hello")
    assert len(lines()) == 1
    assert list((tmp_path / "first").iterdir()) == []


def test_options_that_an_existing_sentry_does_not_take_over_are_named(logs: Path) -> None:
    sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=SentryStandIn(), release="shop@2")
    with pytest.warns(UserWarning, match=r"ignored: release$"):
        errata_sdk.init(APP_KEY, logs, release="shop@3", keep_sentry=True)


def test_replacing_an_existing_sentry_is_said(logs: Path, lines: Lines) -> None:
    sentry = SentryStandIn()
    sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=sentry)
    with pytest.warns(UserWarning, match="keep_sentry=True"):
        errata_sdk.init(APP_KEY, logs)
    sentry_sdk.capture_message("hello")
    assert sentry.envelopes == []
    assert len(lines()) == 1


def test_replacing_a_closed_sentry_is_done_without_a_word(logs: Path) -> None:
    sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=SentryStandIn())
    sentry_sdk.get_client().close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errata_sdk.init(APP_KEY, logs)


def test_a_second_init_replaces_the_first_without_a_word(logs: Path, lines: Lines) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errata_sdk.init(APP_KEY, logs, release="1")
        errata_sdk.init(APP_KEY, logs, release="2")
    sentry_sdk.capture_message("hello")
    assert [line["payload"]["release"] for line in lines()] == ["2"]


def test_an_address_in_the_environment_is_not_used(
    logs: Path, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTRY_DSN", "https://key@127.0.0.1:9/1")
    monkeypatch.setenv("SENTRY_SPOTLIGHT", "http://127.0.0.1:9/stream")
    errata_sdk.init(APP_KEY, logs)
    client = sentry_sdk.get_client()
    assert client.dsn == "https://errata@errata.invalid/1"
    assert client.spotlight is None
    sentry_sdk.capture_message("hello")
    assert len(lines()) == 1


def test_a_flask_request_is_told_with_its_body_and_its_framework(logs: Path, lines: Lines) -> None:
    import flask

    errata_sdk.init(APP_KEY, logs, traces_sample_rate=1.0)
    app = flask.Flask("shop")

    @app.post("/checkout/<int:order>")
    def checkout(order: int) -> str:
        raise KeyError(order)

    response = app.test_client(use_cookies=False).post(
        f"/checkout/7?coupon=SPRING&token={SECRETS[0]}",
        json={"name": "Ada", "card_number": SECRETS[1], "nested": {"password": SECRETS[2]}},
        headers={
            "Authorization": f"Bearer {SECRETS[3]}",
            "X-Api-Key": SECRETS[4],
            "Cookie": f"session={SECRETS[5]}",
        },
    )
    assert response.status_code == 500
    sentry_sdk.flush()
    of_type = {line["type"]: line for line in lines()}
    event, sessions, transaction = of_type["event"], of_type["sessions"], of_type["transaction"]
    request = event["payload"]["request"]
    assert request["method"] == "POST"
    assert request["url"].endswith("/checkout/7")
    assert request["data"] == {
        "name": "Ada",
        "card_number": "[FILTERED]",
        "nested": {"password": "[FILTERED]"},
    }
    assert {request["headers"][name] for name in ("Authorization", "X-Api-Key", "Cookie")} == {"[FILTERED]"}
    assert event["payload"]["contexts"]["framework"]["name"] == "Flask"
    assert event["payload"]["contexts"]["framework"]["version"]
    assert transaction["payload"]["transaction"] == "checkout"
    assert sessions["payload"]["aggregates"][0]["crashed"] == 1
    written = "".join(file.read_text() for file in logs.iterdir())
    assert [secret for secret in (*SECRETS, "[Filtered]") if secret in written] == []


# Stands in for Windows, where none of this is there.
ELSEWHERE = """
import os, sys
import asyncio, subprocess, tempfile
sys.modules["fcntl"] = sys.modules["resource"] = None
for name in ("register_at_fork", "pread", "sysconf", "O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW", "O_DIRECTORY"):
    delattr(os, name)
open_here = os.open
def open_elsewhere(path, *rest, **named):
    return open_here("/nowhere" + path if str(path).startswith("/proc") else path, *rest, **named)
os.open = open_elsewhere
import sentry_sdk, errata_sdk
transport = errata_sdk.init("errata_app_test", sys.argv[1], auto_enabling_integrations=False)
{body}
sentry_sdk.capture_message("hello")
sentry_sdk.capture_message("again")
sentry_sdk.flush()
"""


def test_a_system_without_forks_and_locks_has_all_but_retention(run_script: Run, lines: Lines) -> None:
    finished = run_script("", frame=ELSEWHERE)
    assert [line["payload"]["message"] for line in lines()] == ["hello", "again"]
    assert "app_memory" not in lines()[0]["payload"]["contexts"]["app"]
    assert finished.stderr == ""

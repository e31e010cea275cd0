"""What SDKs of every age send, and what they are answered."""

import base64
import gzip
import json
import zlib
from pathlib import Path

import pytest
from errata_wire import brotli_library

from tests.shipper.intake.listening import APP_KEY, DEFAULT_KEY, Listening, envelope, heard
from tests.wire.bodies import BROTLI, ENCODED

EVENT = envelope(("event", b'{"message":"a"}'))


def test_bodies_are_taken_in_every_encoding(intake: Listening) -> None:
    for encoding, body in ENCODED.items():
        assert intake.send_envelope(body, Content_Encoding=encoding).status == 200
    assert [line["payload"] for line in intake.lines()] == [{"message": "a"}] * len(ENCODED)


def test_a_body_is_too_large_once_inflated(intake: Listening) -> None:
    intake.start(max_body_bytes=100_000)
    answer = intake.send_envelope(gzip.compress(bytes(1 << 20)), Content_Encoding="gzip")
    assert (answer.status, answer.json()) == (413, {"detail": "the body exceeds 100000 bytes"})


def test_a_body_that_is_cut_off_is_refused(intake: Listening) -> None:
    assert intake.send_envelope(ENCODED["zstd"][:-4], Content_Encoding="zstd").status == 400
    assert intake.content == b""


def test_an_unknown_encoding_is_answered_with_those_that_are_known(intake: Listening) -> None:
    answer = intake.send_envelope(EVENT, Content_Encoding="lzma")
    assert answer.status == 415
    assert "gzip, deflate, zstd, br" in answer.json()["detail"]
    assert answer.headers["Accept-Encoding"] == "gzip, deflate, zstd, br"


@pytest.mark.parametrize(
    "path",
    [
        "/api/1/envelope/",
        "/api/1/envelope",
        "/api/42/store/",
        "/api/42/store",
        "/api/store/",
        "/a/prefix/api/1/store/",
    ],
)
def test_both_endpoints_are_found_with_and_without_the_last_slash(path: str, intake: Listening) -> None:
    body = b'{"message":"a"}' if "store" in path else EVENT
    assert intake.send_envelope(body, path).status == 200
    assert intake.lines()[0]["payload"]["message"] == "a"


@pytest.mark.parametrize(
    ("query", "headers", "dsn", "expected"),
    [
        (
            "",
            {"X-Sentry-Auth": f"Sentry sentry_version=7, sentry_key={APP_KEY}, sentry_secret=x"},
            "",
            APP_KEY,
        ),
        ("", {"Authorization": f"sentry sentry_key={APP_KEY},sentry_client=raven"}, "", APP_KEY),
        (f"?sentry_version=7&sentry_key={APP_KEY}", {}, "", APP_KEY),
        ("", {}, f"http://{APP_KEY}@127.0.0.1:8123/1", APP_KEY),
        ("", {}, f"http://{APP_KEY}:secret@errata.invalid/1", APP_KEY),
        ("", {"X-Sentry-Auth": "Sentry sentry_key=errata_app_web-api_x1"}, "", "errata_app_web-api_x1"),
        ("", {}, "https://errata@errata.invalid/1", DEFAULT_KEY),
        ("", {"Authorization": "Bearer abc"}, "", DEFAULT_KEY),
        ("", {}, "http://[broken", DEFAULT_KEY),
    ],
)
def test_the_application_key_is_found_wherever_an_sdk_puts_it(
    query: str, headers: dict[str, str], dsn: str, expected: str, intake: Listening
) -> None:
    body = envelope(("event", b"{}"), header={"dsn": dsn} if dsn else {})
    assert intake.send(f"/api/1/envelope/{query}", body, headers).status == 200
    assert intake.lines()[0]["app_key"] == expected


@pytest.mark.parametrize("key", ["errata_api_secret", "0123456789abcdef", "errata_app_", 'errata_app_"x'])
def test_a_key_of_another_kind_is_refused_and_shown_nowhere(key: str, intake: Listening) -> None:
    with heard() as said:
        answer = intake.send("/api/1/envelope/", EVENT, {"X-Sentry-Auth": f"Sentry sentry_key={key}"})
    assert answer.status == 403
    assert "application key" in answer.json()["detail"]
    assert intake.content == b""
    assert said[0].startswith("Intake refused: the DSN")
    assert key not in said[0].replace("starts with errata_public_ or errata_app_", "")
    assert key not in answer.json()["detail"].replace("starts with errata_public_ or errata_app_", "")


def test_a_key_that_does_not_fit_into_a_dsns_usual_place_stands_in_its_path(intake: Listening) -> None:
    path = "/errata_app_web-api_x1/api/1/envelope/?sentry_key=errata"
    assert intake.send(path, EVENT).status == 200
    assert intake.lines()[0]["app_key"] == "errata_app_web-api_x1"


def test_a_flood_of_refusals_is_told_of_once_a_minute(intake: Listening) -> None:
    with heard() as said:
        for number in range(5):
            intake.send(
                "/api/1/envelope/", EVENT, {"Origin": f"https://{number}.example", "User-Agent": "page"}
            )
        intake.clock.ahead_seconds += 61
        intake.send("/api/1/envelope/", EVENT, {"Origin": "https://5.example", "User-Agent": "page"})
    why = "are not allowed; add the origin to intake.origins to allow them (page, 127.0.0.1)"
    assert said == [
        f"Intake refused: pages from https://0.example {why}",
        f"Intake refused: pages from https://5.example {why} (4 similar messages before)",
    ]


def test_the_oldest_protocol_sends_base64_of_zlib(intake: Listening) -> None:
    event = {"event_id": "9f86d081884c7d659a2feaa0c55ad015", "message": "a"}
    answer = intake.send("/api/1/store/", base64.b64encode(zlib.compress(json.dumps(event).encode())))
    assert answer.json() == {"id": event["event_id"]}
    assert intake.lines()[0]["payload"] == event


def test_a_stored_event_without_an_id_is_given_one(intake: Listening) -> None:
    answer = intake.send("/api/1/store/", b'{"message":"a","type":"transaction"}')
    line = intake.lines()[0]
    assert answer.json() == {"id": line["payload"]["event_id"]}
    assert len(answer.json()["id"]) == 32
    assert line["type"] == "transaction"


def test_the_older_names_of_an_events_parts_become_those_of_today(intake: Listening) -> None:
    sent = {
        "event_id": "9f86d081884c7d659a2feaa0c55ad015",
        "exception": {"type": "KeyError"},
        "sentry.interfaces.User": {"id": "7"},
    }
    intake.send("/api/1/store/", json.dumps(sent).encode())
    assert intake.lines()[0]["payload"] == {
        "event_id": sent["event_id"],
        "exception": {"values": [{"type": "KeyError"}]},
        "user": {"id": "7"},
    }


def test_a_number_that_no_float_holds_loses_no_event(intake: Listening) -> None:
    """Written once more, as an event is that gets an id or a user's address, it would be no JSON."""
    assert intake.send("/api/1/store/", b'{"extra": {"a": 1e999, "b": 1}}').status == 200
    event = b'{"user": {"ip_address": "{{auto}}"}, "extra": {"a": [-1e999, NaN], "b": 1}}'
    assert intake.send_envelope(envelope(("event", event))).status == 200
    assert [line["payload"]["extra"] for line in intake.lines()] == [
        {"a": None, "b": 1},
        {"a": [None, None], "b": 1},
    ]


@pytest.mark.parametrize("body", [b"", b"[]", b"text", b'"e30="', base64.b64encode(b"not zlib")])
def test_what_is_no_event_is_refused(body: bytes, intake: Listening) -> None:
    assert intake.send("/api/1/store/", body).status == 400
    assert intake.content == b""


def test_an_item_over_the_limit_of_a_line_is_dropped_alone_and_counted(intake: Listening) -> None:
    large = b'{"data":"' + b"x" * (4 << 20) + b'"}'
    answer = intake.send_envelope(envelope(("event", large), ("session", b'{"sid":"s"}')))
    assert answer.status == 200
    session, report = intake.lines()
    assert session["type"] == "session"
    assert report["payload"]["discarded_events"] == [
        {"reason": "too_large", "category": "error", "quantity": 1}
    ]
    assert intake.send_envelope(envelope(("event", large))).status == 413
    assert intake.send("/api/1/store/", large).status == 413


def test_an_application_that_sends_too_much_is_told_when_to_go_on(intake: Listening) -> None:
    intake.start(items_per_second=1)
    session = ("session", b"{}")
    assert intake.send_envelope(envelope(*[session] * 9)).status == 200
    answer = intake.send_envelope(envelope(*[session] * 4))
    assert (answer.status, answer.headers["Retry-After"]) == (429, "3")
    assert answer.headers["X-Sentry-Rate-Limits"] == "3::key"
    assert intake.send("/api/1/envelope/?sentry_key=errata_app_other", envelope(session)).status == 200
    intake.clock.ahead_seconds += 3
    assert intake.send_envelope(envelope(*[session] * 4)).status == 200
    assert intake.send_envelope(envelope(*[session] * 11)).status == 413
    assert len(intake.lines()) == 14


def test_without_the_folder_nothing_is_taken_until_it_is_there_again(intake: Listening) -> None:
    folder = intake.storage_path
    aside = folder.with_name("aside")
    folder.rename(aside)
    answer = intake.send_envelope(EVENT)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "60")
    assert answer.json()["detail"] == "cannot write the log file: No such file or directory"
    aside.rename(folder)
    assert intake.send_envelope(EVENT).status == 200


def test_a_full_disk_is_answered_with_503(intake: Listening) -> None:
    path = intake.storage_path / f"errata-{intake.clock.now():%Y-%m-%d}.log"
    path.symlink_to("/dev/full")
    answer = intake.send_envelope(EVENT)
    assert answer.status == 503
    assert answer.json()["detail"] == "cannot write the log file: No space left on device"
    path.unlink()
    assert intake.send_envelope(EVENT).status == 200
    assert len(intake.lines()) == 1


def test_a_line_that_another_process_left_half_written_spoils_no_other(intake: Listening) -> None:
    intake.send_envelope(EVENT)
    (path,) = intake.storage_path.glob("errata-*.log")
    with path.open("ab") as file:
        file.write(b'{"type":"ev')
    intake.send_envelope(EVENT)
    intake.send_envelope(EVENT)
    lines = path.read_bytes().split(b"\n")
    assert sum(line.startswith(b'{"type":"event","app_key"') and line.endswith(b"}") for line in lines) == 3


def test_a_file_that_was_rotated_away_is_followed_by_a_new_one(intake: Listening) -> None:
    intake.send_envelope(EVENT)
    (path,) = intake.storage_path.glob("errata-*.log")
    path.rename(Path(f"{path}.1"))
    intake.send_envelope(EVENT)
    assert path.read_bytes().count(b"\n") == 1


def test_without_the_systems_library_brotli_is_refused_and_said_so_at_the_start(
    intake: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brotli_library, "LIBRARY_NAMES", ("libbrotlidec.so.0",))
    brotli_library.library.cache_clear()
    with heard() as said:
        intake.start()
    answer = intake.send_envelope(BROTLI, Content_Encoding="br")
    brotli_library.library.cache_clear()
    assert (answer.status, answer.headers["Accept-Encoding"]) == (415, "gzip, deflate, zstd")
    assert said[0].startswith("libbrotlidec is not installed")


def test_the_days_file_can_be_shared_with_the_shippers_group(intake: Listening) -> None:
    intake.send_envelope(EVENT)
    (path,) = intake.storage_path.glob("errata-*.log")
    assert path.stat().st_mode & 0o777 == 0o660


def test_lines_can_be_forced_to_the_disk_before_the_answer(intake: Listening) -> None:
    intake.start(sync=True)
    assert intake.send_envelope(EVENT).status == 200
    assert len(intake.lines()) == 1

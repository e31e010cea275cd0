"""Every status of the wire, and what the shipper does about it."""

import json
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from tests.shipper.hosts import Host
from tests.shipper.ingest_server import Failure, IngestServer

LONGEST_PAUSE_SECONDS = 361
PAST = "Fri, 31 Dec 1999 23:59:59 GMT"
OURS = b'{"error": "made_to_fail", "message": "made to fail"}'
PAGE = b"<html>Forbidden by policy</html>"


def numbered(count: int) -> list[bytes]:
    return [b'{"n": %d}' % number for number in range(count)]


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@pytest.fixture(autouse=True)
def _every_message(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="errata_shipper")


def offset_of(host: Host) -> int:
    return int(json.loads((host.storage_path / "tracker.json").read_text())["files"][0]["offset"])


def test_a_delivery_is_said_in_the_words_of_the_specification(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    assert caplog.messages == ["Connected to errata", "Batch sent: 3 events"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_after_one_two_and_four_seconds(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    server.failures = [Failure(status)] * 3
    host.write(text(numbered(3)))
    host.flush()
    assert server.stored == numbered(3)
    attempts = [message for message in caplog.messages if message.startswith("Retry")]
    assert attempts == ["Retry attempt 1/3", "Retry attempt 2/3", "Retry attempt 3/3"]
    for waited, about in zip(host.clock.waits, (1, 2, 4), strict=True):
        assert 0.8 * about <= waited <= 1.2 * about


def test_after_three_retries_the_offset_is_kept_until_the_next_flush(
    host: Host, server: IngestServer
) -> None:
    server.failures = [Failure(500)] * 40
    host.write(text(numbered(3)))
    host.flush()
    assert len(server.failures) == 36
    assert offset_of(host) == 0
    host.agent.step()
    assert len(server.failures) == 36
    for _ in range(9):
        host.clock.pass_time(10)
        host.agent.step()
    assert server.stored == []
    host.clock.pass_time(10)
    host.agent.step()
    assert server.stored == numbered(3)


def test_a_batch_whose_answer_was_lost_is_repeated_as_it_was_even_after_a_restart(
    host: Host, server: IngestServer
) -> None:
    server.failures = [Failure(500, is_stored=True)] * 4
    host.write(text(numbered(3)))
    host.flush()
    host.restart()
    host.write(text(numbered(5)))
    host.flush()
    first, *repeats, last = server.requests
    assert len(repeats) == 4
    assert {request.batch_id for request in repeats} == {first.batch_id}
    assert {tuple(request.lines) for request in repeats} == {tuple(first.lines)}
    assert last.lines == numbered(5)


@pytest.mark.parametrize(
    "failure",
    [
        Failure(200, body=b"<html>Please sign in to this network</html>"),
        Failure(200, body=b'{"batch_id": "another", "accepted": 3, "rejected": []}'),
        Failure(200, body=b'{"accepted": 2, "rejected": []}'),
        Failure(200, body=b'{"accepted": 2, "rejected": [{"line": 4, "reason": "x", "message": ""}]}'),
        Failure(200, body=b'{"accepted": 3, "rejected": []}', is_torn=True),
    ],
    ids=["captive portal", "another batch", "a line unaccounted for", "a line not sent", "torn"],
)
def test_a_200_that_does_not_account_for_the_batch_is_not_believed(
    host: Host, server: IngestServer, failure: Failure, caplog: pytest.LogCaptureFixture
) -> None:
    server.failures = [failure]
    host.write(text(numbered(3)))
    host.flush()
    assert "Retry attempt 1/3" in caplog.messages
    assert server.stored == numbered(3)


def test_a_server_that_is_away_is_waited_for(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.stop()
    host.write(text(numbered(3)))
    host.flush()
    assert "Retry attempt 3/3" in caplog.messages
    assert "Connection refused" in caplog.text
    assert "firewall" in caplog.text
    assert offset_of(host) == 0


def test_a_refused_key_keeps_the_offset_and_is_tried_at_growing_intervals(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    right, server.api_key = server.api_key, "errata_api_another"
    host.write(text(numbered(3)))
    tried_at = []
    for _ in range(400):
        caplog.clear()
        host.clock.pass_time(1)
        host.agent.step()
        if "Authentication failed" in caplog.messages:
            tried_at.append(host.clock.monotonic())
    pauses = [later - earlier for earlier, later in pairwise(tried_at)]
    assert len(pauses) >= 4
    assert pauses == sorted(pauses)
    assert pauses[-1] > 30
    assert server.stored == []
    server.api_key = right
    host.clock.pass_time(400)
    host.flush()
    assert server.stored == numbered(3)


def test_a_key_replaced_while_running_keeps_the_offset(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(text(numbered(1)))
    host.flush()
    server.api_key = "errata_api_another"
    host.write(text(numbered(3)))
    host.flush()
    assert "Authentication failed" in caplog.messages
    assert "Retry attempt 1/3" not in caplog.messages
    assert offset_of(host) == 9


def test_an_unknown_application_keeps_the_offset(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    right, server.app_key = server.app_key, "errata_app_another"
    host.write(text(numbered(3)))
    host.flush()
    assert "Application Not Found" in caplog.messages
    assert offset_of(host) == 0
    server.app_key = right
    host.clock.pass_time(10)
    host.flush()
    assert server.stored == numbered(3)


def test_a_rate_limit_is_obeyed(host: Host, server: IngestServer) -> None:
    server.failures = [Failure(429, {"Retry-After": "120"})]
    host.write(text(numbered(3)))
    host.flush()
    host.clock.pass_time(119)
    host.agent.step()
    assert server.stored == []
    host.clock.pass_time(2)
    host.agent.step()
    assert server.stored == numbered(3)


def test_a_rate_limit_until_a_moment_is_obeyed(host: Host, server: IngestServer) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    server.failures = [Failure(429, {"Retry-After": until})]
    host.write(text(numbered(3)))
    host.flush()
    host.clock.pass_time(95)
    host.agent.step()
    assert server.stored == []
    host.clock.pass_time(6)
    host.agent.step()
    assert server.stored == numbered(3)


def test_a_server_that_says_when_it_is_back_is_not_asked_before(host: Host, server: IngestServer) -> None:
    server.failures = [Failure(503, {"Retry-After": "30"})]
    host.write(text(numbered(3)))
    host.flush()
    assert host.clock.waits == [30]
    assert server.stored == numbered(3)


def test_a_server_that_is_away_for_long_is_left_alone_until_then(host: Host, server: IngestServer) -> None:
    server.failures = [Failure(503, {"Retry-After": "250"})]
    host.write(text(numbered(3)))
    host.flush()
    assert host.clock.waits == []
    host.clock.pass_time(249)
    host.agent.step()
    assert server.stored == []
    host.clock.pass_time(2)
    host.agent.step()
    assert server.stored == numbered(3)


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, OURS), (404, OURS), (429, OURS), (503, OURS), (403, PAGE), (429, PAGE)],
    ids=str,
)
@pytest.mark.parametrize(
    "retry_after",
    ["86400", "9" * 500, "Fri, 31 Dec 9999 23:59:59 GMT", "nan", "inf", "-5", "0", "1e9", "soon", PAST],
)
def test_no_answer_silences_the_shipper_or_makes_it_hurry(
    host: Host, server: IngestServer, status: int, body: bytes, retry_after: str
) -> None:
    server.failures = [Failure(status, {"Retry-After": retry_after}, body)] * 100
    host.write(text(numbered(1)))
    tried_at = set[float]()
    for _ in range(900):
        left = len(server.failures)
        host.clock.pass_time(1)
        host.agent.step()
        if len(server.failures) < left:
            assert left - len(server.failures) <= 4
            tried_at.add(host.clock.monotonic())
    pauses = [later - earlier for earlier, later in pairwise(sorted(tried_at))]
    assert pauses
    assert max(pauses) <= LONGEST_PAUSE_SECONDS
    assert min(pauses) >= 3
    server.failures = []
    host.clock.pass_time(LONGEST_PAUSE_SECONDS)
    host.agent.step()
    assert server.stored == numbered(1)


@pytest.mark.parametrize("status", sorted({*range(400, 432), 451} - {413, 415, 429}))
@pytest.mark.parametrize("body", [PAGE, b"", b'{"message": "No"}', b'{"error": {"code": 403}}'], ids=len)
def test_what_another_server_answers_is_said_and_settles_nothing(
    host: Host, server: IngestServer, status: int, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    server.failures = [Failure(status, {"Server": "squid/5.7"}, body)]
    host.write(text(numbered(3)))
    host.flush()
    assert f"A proxy or another server answered {status}" in caplog.text
    assert "squid/5.7" in caplog.text
    assert "apiKey" not in caplog.text
    assert "appKey" not in caplog.text
    assert (offset_of(host), host.rejected()) == (0, [])
    host.write(text(numbered(1)))
    host.clock.pass_time(10)
    host.agent.step()
    assert server.requests[0].lines == numbered(3)


def test_a_message_of_the_server_cannot_forge_log_lines(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    forged = json.dumps({"error": "a\nb", "message": "one\nINFO  two \x1b[2J \ud800"}).encode()
    server.failures = [Failure(500, body=forged)]
    host.write(text(numbered(3)))
    host.flush()
    assert caplog.messages[1].startswith("The server responded with 500 one INFO two [2J; ")


def test_a_batch_with_poison_is_halved_until_the_poison_is_alone(host: Host, server: IngestServer) -> None:
    lines = numbered(100)
    server.poison = lambda line: line in (lines[17], lines[80])
    host.write(text(lines))
    host.agent.step()
    assert server.stored == [line for line in lines if line not in (lines[17], lines[80])]
    records = [json.loads(path.read_text()) for path in host.rejected()]
    assert sorted(record["line"] for record in records) == [lines[17].decode(), lines[80].decode()]
    assert {record["reason"] for record in records} == {"invalid_batch"}
    assert offset_of(host) == len(text(lines))


def test_a_batch_that_is_too_large_is_halved(host: Host, server: IngestServer) -> None:
    server.line_limit = 30
    host.write(text(numbered(100)))
    host.agent.step()
    assert server.stored == numbered(100)
    assert host.rejected() == []


def test_a_single_line_that_is_too_large_is_set_aside(host: Host, server: IngestServer) -> None:
    server.failures = [Failure(413, body=b"<html>nginx</html>")]
    host.write(text(numbered(1)))
    host.flush()
    assert json.loads(host.rejected()[0].read_text())["reason"] == "http_413"
    host.write(b'{"n": 1}\n')
    host.flush()
    assert server.stored == [b'{"n": 1}']


def test_a_failure_between_two_halves_keeps_only_the_second(host: Host, server: IngestServer) -> None:
    server.failures = [Failure(413), None, *[Failure(500)] * 4]
    host.write(text(numbered(100)))
    host.agent.step()
    assert server.stored == numbered(50)
    assert offset_of(host) == len(text(numbered(50)))
    host.write(text(numbered(100)))
    host.clock.pass_time(10)
    host.agent.step()
    assert server.stored == numbered(100) + numbered(100)
    assert len(server.requests[1].lines) == 50


@pytest.mark.parametrize(
    ("taken", "used"), [(["gzip", "identity"], "gzip"), (["identity"], None)], ids=["gzip", "none"]
)
def test_an_encoding_that_is_not_taken_is_replaced_by_the_next(
    host: Host, server: IngestServer, taken: list[str], used: str | None
) -> None:
    server.encodings = taken
    host.write(text(numbered(200)))
    host.agent.step()
    assert server.stored == numbered(200)
    assert [request.headers.get("content-encoding") for request in server.requests] == [used, used]


def test_rejected_lines_are_set_aside_with_their_reason_and_hold_nothing_back(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.rejects = lambda line: None if line.startswith(b"{") else "invalid_json"
    host.write(b'{"n": 0}\nnot json\n\xff\xfe\n{"n": 1}\n')
    host.flush()
    assert "Batch sent: 2 events" in caplog.messages
    assert [record.levelname for record in caplog.records if "invalid_json" in record.message] == [
        "WARNING",
        "WARNING",
    ]
    (path,) = host.rejected()
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (first["line"], first["reason"], first["from"], first["to"]) == (
        "not json",
        "invalid_json",
        9,
        18,
    )
    assert second["line_b64"] == "//4="
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_rejected_lines_that_cannot_be_set_aside_are_not_passed_over(
    host: Host, server: IngestServer
) -> None:
    server.rejects = lambda line: "invalid_json"
    (host.storage_path / "rejected").write_text("in the way")
    host.write(text(numbered(1)))
    with pytest.raises(OSError, match="rejected"):
        host.flush()
    assert offset_of(host) == 0


@pytest.mark.parametrize("status", [202, 302, 405, 418])
def test_a_status_that_the_wire_does_not_know_keeps_the_offset(
    host: Host, server: IngestServer, status: int
) -> None:
    server.failures = [Failure(status)]
    host.write(text(numbered(3)))
    host.flush()
    assert offset_of(host) == 0
    host.clock.pass_time(10)
    host.agent.step()
    assert server.stored == numbered(3)


def test_stopping_interrupts_the_wait_for_a_retry(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.failures = [Failure(500)] * 8

    def stop() -> None:
        host.clock.is_stopping = True

    host.clock.on_wait = stop
    host.write(text(numbered(3)))
    host.flush()
    host.agent.flush()
    assert len(server.failures) == 7
    assert "Retry attempt 1/3" not in caplog.messages
    assert offset_of(host) == 0


def test_the_loop_outlives_a_failure_of_the_disk_and_goes_on_when_it_is_mended(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.rejects = lambda line: "invalid_json" if line == b"bad" else None
    obstacle = host.storage_path / "rejected"
    obstacle.write_text("in the way")
    host.write(b"bad\n" + text(numbered(3)))

    def mend_and_stop() -> None:
        if len(host.clock.waits) == 40:
            assert "Storage path not accessible" in caplog.messages
            obstacle.unlink()
        host.clock.is_stopping = len(host.clock.waits) == 80

    host.clock.on_wait = mend_and_stop
    host.agent.run()
    assert caplog.messages[0] == "Starting shipper..."
    assert caplog.messages[-1] == "Batch sent: 3 events"
    assert offset_of(host) == len(text([b"bad", *numbered(3)]))
    assert len(host.rejected()) == 1

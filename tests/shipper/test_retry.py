"""What lies in rejected/ is delivered again."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from errata_shipper.batch import Batch, lines_of
from errata_shipper.errors import RetryHeld
from errata_shipper.exit_code import ExitCode
from errata_shipper.lock import DirectoryLock
from errata_shipper.rejected import Refusal, RejectedFolder
from errata_shipper.retry import Retry, Tally, summary_of
from errata_shipper.source import Source
from errata_wire.limits import LINE_MAX_BYTES

from tests.shipper.hosts import Host
from tests.shipper.ingest_server import Failure, IngestServer

LONG = b"x" * (LINE_MAX_BYTES + 1)


def retried(host: Host) -> Tally:
    return Retry(host.settings, host.client, host.clock).run()


def reject(host: Host, content: bytes) -> None:
    """Let the server refuse all lines of `content`, then take everything."""
    before, host.server.rejects = host.server.rejects, lambda line: "invalid_item"
    host.write(content)
    host.flush()
    host.server.rejects = before
    host.server.requests.clear()


def records(host: Host) -> list[dict[str, object]]:
    folder = host.storage_path / "rejected"
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.ndjson"))
        for line in path.read_bytes().splitlines()
    ]


def test_every_kind_of_line_is_delivered_again(host: Host, server: IngestServer) -> None:
    reject(host, b'{"n": 1}\n\xff\n' + LONG + b"\n")
    assert {key for record in records(host) for key in record} >= {"line", "line_b64", "line_file"}
    tally = retried(host)
    assert sorted(server.stored) == sorted([b'{"n": 1}', b"\xff", LONG])
    assert (tally.delivered_count, tally.exit_code) == (3, ExitCode.OK)
    assert [path.name for path in host.rejected()] == [".errata-shipper.lock"]
    assert server.stored and not any("x-errata-source" in request.headers for request in server.requests)


def test_a_line_that_is_refused_again_stays_with_its_new_reason(host: Host, server: IngestServer) -> None:
    reject(host, b"good\nbad\n")
    server.rejects = lambda line: "line_too_large" if line == b"bad" else None
    tally = retried(host)
    assert (tally.delivered_count, tally.refused_count) == (1, 1)
    (record,) = records(host)
    assert (record["line"], record["reason"], record["from"]) == ("bad", "line_too_large", 5)


def test_lines_are_sent_in_batches_across_files(tmp_path: Path, server: IngestServer) -> None:
    host = Host(tmp_path, server, batch_size=2)
    reject(host, b"".join(b"%d\n" % number for number in range(7)))
    assert len(host.rejected()) == 4
    host.settings = replace(host.settings, batch_size=3)
    assert retried(host).delivered_count == 7
    assert [len(request.lines) for request in server.requests] == [3, 3, 1]
    host.stop()


def test_nothing_is_removed_while_a_key_is_refused(host: Host, server: IngestServer) -> None:
    reject(host, b"1\n2\n")
    server.api_key = "errata_api_other"
    tally = retried(host)
    assert (tally.exit_code, tally.untried_count) == (ExitCode.KEY_REFUSED, 2)
    assert len(records(host)) == 2


def test_nothing_is_removed_while_the_server_fails(host: Host, server: IngestServer) -> None:
    reject(host, b"1\n")
    server.failures = [Failure(503)] * 4
    tally = retried(host)
    assert (tally.exit_code, tally.untried_count) == (ExitCode.SERVER_UNREACHABLE, 1)
    assert len(records(host)) == 1


def test_a_proxy_that_answers_instead_has_refused_no_key(host: Host, server: IngestServer) -> None:
    reject(host, b"1\n")
    server.failures = [Failure(403, body=b"<html>Denied</html>")]
    tally = retried(host)
    assert (tally.exit_code, tally.untried_count) == (ExitCode.SERVER_UNREACHABLE, 1)


def test_a_rate_limit_is_obeyed(host: Host, server: IngestServer) -> None:
    reject(host, b"1\n2\n")
    host.clock.waits.clear()
    server.failures = [Failure(429, {"Retry-After": "30"})]
    assert retried(host).delivered_count == 2
    assert host.clock.waits == [30]


def test_a_batch_that_is_too_large_is_halved(host: Host, server: IngestServer) -> None:
    reject(host, b"1\n2\n3\n")
    server.line_limit = 1
    assert retried(host).delivered_count == 3
    assert server.stored == [b"1", b"2", b"3"]


def test_lines_of_an_unknown_application_hold_back_no_others(host: Host, server: IngestServer) -> None:
    server.rejects = lambda line: "application_not_found" if line == b"orphan" else None
    host.write(b"orphan\n")
    host.flush()
    host.write(b"1\n")
    host.flush()
    assert server.stored == [b"1"]
    (record,) = records(host)
    assert (record["line"], record["reason"]) == ("orphan", "application_not_found")
    assert retried(host).refused_count == 1


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (b"no JSON\n", "it contains no line"),
        (b'{"line": "two\\nlines"}\n', "it doesn't contain exactly one line"),
        (b'{"line": " "}\n', "it doesn't contain exactly one line"),
        (b'{"line_b64": "?"}\n', "can't be read"),
        (b'{"line": "\\ud800"}\n', "can't be read"),
        (b'{"line_file": "../errata.yaml"}\n', "it contains no line"),
        (b'{"line_file": "gone.line"}\n', "gone.line can't be read"),
    ],
)
def test_a_record_that_holds_no_line_is_named_and_kept(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture, record: bytes, why: str
) -> None:
    reject(host, b"1\n")
    (path,) = host.rejected()
    path.write_bytes(record + path.read_bytes())
    tally = retried(host)
    assert (tally.delivered_count, tally.unusable_count) == (1, 1)
    assert path.read_bytes() == record
    assert why in caplog.text


def test_an_empty_folder_and_none_are_nothing_to_deliver(host: Host) -> None:
    folder = host.storage_path / "rejected"
    assert summary_of(retried(host), folder) == f"nothing to deliver in {folder}"
    folder.mkdir()
    assert summary_of(retried(host), folder) == f"nothing to deliver in {folder}"


def test_two_at_once_are_one_too_many(host: Host) -> None:
    reject(host, b"1\n")
    with DirectoryLock(host.storage_path / "rejected"), pytest.raises(RetryHeld) as caught:
        retried(host)
    assert caught.value.exit_code is ExitCode.DIRECTORY_HELD


def test_what_is_set_aside_meanwhile_is_neither_lost_nor_damaged(host: Host, server: IngestServer) -> None:
    folder = RejectedFolder(host.storage_path, host.clock)
    source = Source("web-1", "errata-2026-11-21.log", "", 0)

    def set_aside(number: int) -> None:
        content = b"%d\n" % number
        batch = Batch(source, number % 20, content, lines_of(content, number % 20))
        folder.set_aside(batch, [Refusal(batch.lines[0], "invalid_item", "refused")])

    set_aside(0)

    def set_aside_all() -> None:
        for number in range(1, 60):
            set_aside(number)

    others = threading.Thread(target=set_aside_all)
    others.start()
    while others.is_alive():
        retried(host)
    others.join()
    retried(host)
    assert set(server.stored) == {b"%d" % number for number in range(60)}
    assert records(host) == []


def test_many_rejected_lines_are_few_messages(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.rejects = lambda line: "invalid_item"
    reject(host, b"".join(b"%d\n" % number for number in range(50)))
    told = [message for message in caplog.messages if message.startswith("Line rejected: ")]
    assert (len(told), told[-1]) == (4, "Line rejected: 47 more in the same batch, in the same file")
    caplog.clear()
    assert retried(host).refused_count == 50
    assert caplog.messages == ["Rejected again: invalid_item, 50 lines"]

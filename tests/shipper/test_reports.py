"""What the delivery ledger is told of bytes that are not sent."""

import json
import os
import shutil
from itertools import pairwise

import pytest

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer

OURS = b'{"error": "made_to_fail", "message": "made to fail"}'


def told(server: IngestServer) -> list[dict[str, str]]:
    """The sources of the reports that were answered with 200, host, name and id left out."""
    left_out = ("host", "file", "id")
    return [
        {name: value for name, value in report.source.items() if name not in left_out}
        for report in server.reports
        if report.status == 200
    ]


def waiting(host: Host) -> list[object]:
    document = json.loads((host.storage_path / "tracker.json").read_text())
    return list(document["reports"])


def let_the_file_be_forgotten(host: Host) -> None:
    host.agent.step()
    host.clock.pass_time(31)
    host.agent.step()


def test_the_id_of_a_file_stays_through_restart_rename_and_a_lost_tracker(
    host: Host, server: IngestServer
) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    host.restart()
    (host.storage_path / TODAY).rename(host.storage_path / f"{TODAY}.1")
    host.write(b'{"n": 1}\n', f"{TODAY}.1")
    host.flush()
    (host.storage_path / "tracker.json").unlink()
    host.flush()
    first, second, third = (request.source for request in server.requests)
    assert first["id"] == second["id"] == third["id"]
    assert (second["file"], second["from"], third["from"]) == (f"{TODAY}.1", "9", "0")


def test_a_copy_has_the_id_of_its_original_and_what_fills_the_original_anew_another(
    host: Host, server: IngestServer
) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    shutil.copyfile(host.storage_path / TODAY, host.storage_path / f"{TODAY}.1")
    os.truncate(host.storage_path / TODAY, 0)
    host.write(b'{"n": 1}\n')
    host.flush()
    ids: dict[str, set[str]] = {}
    for request in server.requests:
        ids.setdefault(request.lines[0].decode(), set()).add(request.source["id"])
    assert len(ids['{"n": 0}']) == len(ids['{"n": 1}']) == 1
    assert ids['{"n": 0}'] != ids['{"n": 1}']


def test_the_id_of_a_file_without_one_in_the_tracker_is_read_from_the_file(
    host: Host, server: IngestServer
) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    path = host.storage_path / "tracker.json"
    document = json.loads(path.read_text())
    del document["files"][0]["file_id"], document["files"][0]["size"], document["reports"]
    path.write_text(json.dumps(document))
    host.restart()
    host.write(b'{"n": 1}\n')
    host.flush()
    first, second = server.requests
    assert second.lines == [b'{"n": 1}']
    assert first.source["id"] == second.source["id"]


def test_blank_lines_alone_are_told(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    host.write(b"\n \n")
    host.flush()
    assert told(server) == [{"from": "9", "to": "12", "size": "12"}]
    assert server.reports[0].source["id"] == server.requests[0].source["id"]
    assert waiting(host) == []


def test_a_line_set_aside_for_its_length_is_told(host: Host, server: IngestServer) -> None:
    until = (4 << 20) + 2
    host.write(b"y" * (until - 1) + b'\n{"n": 1}\n')
    host.flush()
    assert told(server) == [{"from": "0", "to": str(until), "size": str(until + 9), "set_aside": "1"}]
    assert server.requests[0].source["id"] == server.reports[0].source["id"]


def test_a_line_set_aside_as_poison_is_told(host: Host, server: IngestServer) -> None:
    server.poison = lambda line: line == b"poison"
    host.write(b'{"n": 0}\npoison\n{"n": 1}\n')
    host.flush()
    assert told(server) == [{"from": "9", "to": "16", "size": "25", "set_aside": "1"}]


def test_a_removed_file_is_told_with_what_it_still_held(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\nhalf')
    host.flush()
    (host.storage_path / TODAY).unlink()
    let_the_file_be_forgotten(host)
    assert told(server) == [{"from": "9", "to": "9", "size": "13", "end": "removed"}]
    let_the_file_be_forgotten(host)
    assert len(server.reports) == 1


def test_a_file_removed_while_no_shipper_ran_is_told_once(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\nhalf')
    host.flush()
    host.stop()
    (host.storage_path / TODAY).unlink()
    for _ in range(2):
        host.start()
        host.flush()
        host.stop()
    assert told(server) == [{"from": "9", "to": "9", "size": "13", "end": "removed"}]
    host.start()


def test_what_was_written_to_a_removed_file_while_the_server_was_away_is_told(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    server.failures = [Failure(429, {"Retry-After": "600"})]
    host.write(b'{"n": 1}\n')
    host.flush()
    host.write(b'{"n": 2}\n')
    host.agent.step()
    host.stop()
    (host.storage_path / TODAY).unlink()
    host.start()
    host.flush()
    assert told(server) == [{"from": "9", "to": "9", "size": "27", "end": "removed"}]
    assert f"{TODAY} was removed with 18 bytes undelivered" in caplog.messages


def test_an_emptied_file_is_told_with_what_was_known_of_it(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    host.write(b'{"n": 1}\n')
    host.agent.step()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(b'{"n": 2, "more": "than there was"}\n')
    host.flush()
    assert told(server) == [{"from": "9", "to": "9", "size": "18", "end": "replaced"}]
    assert server.reports[0].source["id"] == server.requests[0].source["id"]


def test_another_file_with_the_inode_of_a_tracked_one_is_told_under_the_old_name(
    host: Host, server: IngestServer
) -> None:
    host.write(b'{"n": 0}\nhalf', "errata-2026-11-20.log")
    host.flush()
    host.stop()
    path = (host.storage_path / "errata-2026-11-20.log").rename(host.storage_path / TODAY)
    path.write_bytes(b'{"n": 1}\n')
    host.start()
    host.flush()
    assert server.reports[0].source["file"] == "errata-2026-11-20.log"
    assert server.requests[1].source["file"] == TODAY
    assert server.stored == [b'{"n": 0}', b'{"n": 1}']


def test_a_report_without_an_answer_is_told_again_after_a_restart(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\nhalf')
    host.flush()
    (host.storage_path / TODAY).unlink()
    server.failures = [Failure(500)] * 4
    let_the_file_be_forgotten(host)
    assert told(server) == []
    assert len(waiting(host)) == 1
    host.restart()
    host.flush()
    assert told(server) == [{"from": "9", "to": "9", "size": "13", "end": "removed"}]
    assert waiting(host) == []


@pytest.mark.parametrize("status", [*range(400, 432), 451, *range(500, 512)])
@pytest.mark.parametrize("body", [OURS, b"<html>Not here</html>"], ids=["ours", "page"])
def test_a_report_that_is_refused_is_told_in_the_end_and_holds_no_lines_back(
    host: Host, server: IngestServer, status: int, body: bytes
) -> None:
    """Whatever answers reports alone, such as a firewall that takes no empty bodies."""
    server.fails = lambda source, sent: None if sent else Failure(status, body=body)
    server.poison = lambda line: line == b"poison"
    host.write(b"poison\n")
    host.flush()
    host.write(b'{"n": 0}\n')
    for _ in range(60):
        host.clock.pass_time(1)
        host.agent.step()
    assert server.stored == [b'{"n": 0}']
    assert len(waiting(host)) == 1
    host.restart()
    server.fails = lambda source, sent: None
    host.flush()
    assert told(server) == [{"from": "0", "to": "7", "size": "7", "set_aside": "1"}]
    assert waiting(host) == []


def test_a_report_that_is_always_refused_keeps_neither_lines_nor_other_reports_back(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    refused_at: list[float] = []

    def refuse(source: str, body: bytes) -> Failure | None:
        if body or f"file={TODAY}" not in source:
            return None
        refused_at.append(host.clock.monotonic())
        return Failure(413)

    server.fails = refuse
    host.write(b"\n\n")
    host.write(b"\n \n", "errata-2026-11-20.log")
    for number in range(1200):
        host.write(b'{"n": %d}\n' % number, "errata-2026-11-19.log")
        host.clock.pass_time(1)
        host.agent.step()
    host.flush()
    assert len(set(server.stored)) == 1200
    assert [report["to"] for report in told(server)] == ["3"]
    assert "The server rejected the report host=web-1" in caplog.text
    pauses = [later - earlier for earlier, later in pairwise(refused_at)]
    assert 4 < len(pauses) < 20
    assert max(pauses) <= 400
    server.fails = lambda source, body: None
    host.clock.pass_time(400)
    host.flush()
    assert len(told(server)) == 2
    assert waiting(host) == []


def test_a_report_obeys_a_rate_limit(host: Host, server: IngestServer) -> None:
    host.write(b"\n\n")
    server.failures = [Failure(429, {"Retry-After": "120"})]
    host.flush()
    assert len(waiting(host)) == 1
    host.clock.pass_time(119)
    host.agent.step()
    assert server.reports == []
    host.clock.pass_time(2)
    host.agent.step()
    assert len(told(server)) == 1

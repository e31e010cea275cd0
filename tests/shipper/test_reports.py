"""What the delivery ledger is told of bytes that are not sent."""

import json
import os
import shutil

import pytest

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer


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


def test_a_report_that_the_server_refuses_is_passed_over_with_a_warning(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(b"\n\n")
    server.failures = [Failure(400)]
    host.flush()
    assert waiting(host) == []
    assert "The server rejected the report host=web-1" in caplog.text
    host.write(b'{"n": 0}\n')
    host.flush()
    assert server.stored == [b'{"n": 0}']


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

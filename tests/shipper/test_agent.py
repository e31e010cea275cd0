import hashlib
import json
import logging
import os
from pathlib import Path

import pytest
from errata_shipper.lanes import GATHER_SECONDS

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer


def numbered(count: int, since: int = 0) -> list[bytes]:
    return [b'{"n": %d}' % number for number in range(since, since + count)]


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def open_descriptor_count() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_full_batch_goes_at_once_and_the_rest_with_the_flush_interval(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(250)))
    host.agent.step()
    assert [len(request.lines) for request in server.requests] == [100, 100]
    host.clock.pass_time(9.9)
    host.agent.step()
    assert len(server.requests) == 2
    host.clock.pass_time(0.2)
    host.agent.step()
    assert server.stored == numbered(250)


def test_a_line_after_a_silence_goes_soon_and_what_follows_with_the_flush_interval(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(1)))
    for is_sent in (False, True):
        host.agent.step()
        assert (server.stored == numbered(1)) is is_sent
        host.clock.pass_time(GATHER_SECONDS + 0.01)
    host.write(text(numbered(2)[1:]))
    host.agent.step()
    host.clock.pass_time(host.settings.flush_interval_seconds - 1)
    host.agent.step()
    assert server.stored == numbered(1)
    host.clock.pass_time(1)
    host.agent.step()
    assert server.stored == numbered(2)


def test_a_line_without_its_newline_waits(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n{"n": 1')
    host.flush()
    assert server.stored == [b'{"n": 0}']
    host.write(b"}\n")
    host.flush()
    assert server.stored == [b'{"n": 0}', b'{"n": 1}']


def test_blank_lines_are_skipped_and_passed(host: Host, server: IngestServer) -> None:
    host.write(b"\n \r\n" + b'{"n": 0}\n\n\n')
    host.flush()
    assert server.stored == [b'{"n": 0}']
    assert server.requests[0].source["to"] == "15"
    host.write(b"\n\n")
    host.flush()
    assert len(server.requests) == 1


def test_a_batch_names_key_application_source_and_encoding(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {server.api_key}"
    assert headers["x-errata-app-key"] == server.app_key
    assert headers["content-type"] == "application/x-ndjson"
    assert headers["content-encoding"] == "zstd"
    file_id = hashlib.blake2b(b'{"n": 0}', digest_size=8).hexdigest()
    assert headers["x-errata-source"] == f"host=web-1; file={TODAY}; id={file_id}; from=0; to=9; size=9"


def test_all_batches_go_through_one_connection(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(1000)))
    host.agent.step()
    assert len(server.requests) == 10
    assert server.connection_count == 1


def test_a_restart_goes_on_where_the_last_delivery_ended(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.restart()
    host.write(text(numbered(3, since=3)))
    host.flush()
    assert server.stored == numbered(6)


@pytest.mark.parametrize("attempt", [1, 4, 5])
def test_a_batch_of_unknown_outcome_is_sent_again_as_it_was_after_a_kill(
    host: Host, server: IngestServer, attempt: int
) -> None:
    """Killed before the response to the first attempt or the last one, or after it."""
    tracker = host.storage_path / "tracker.json"
    kept: list[bytes] = []
    server.failures = [Failure(500, is_stored=True)] * 4
    server.on_stored = lambda: kept.append(tracker.read_bytes() if tracker.exists() else b"")
    host.write(text(numbered(3)))
    host.flush()
    kept.append(tracker.read_bytes())
    server.on_stored = lambda: None
    host.stop()
    tracker.write_bytes(kept[attempt - 1])
    host.write(text(numbered(2, since=3)))
    host.start()
    host.flush()
    assert {request.batch_id for request in server.requests[:5]} == {server.requests[0].batch_id}
    assert [request.lines for request in server.requests] == [numbered(3)] * 5 + [numbered(2, since=3)]


def test_without_its_tracker_everything_is_delivered_again(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.flush()
    (host.storage_path / "tracker.json").unlink()
    host.restart()
    host.flush()
    assert server.stored == numbered(3) * 2
    assert server.requests[0].batch_id == server.requests[1].batch_id


def test_a_tracker_removed_under_a_running_shipper_delivers_everything_again(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    (host.storage_path / "tracker.json").unlink()
    host.flush()
    assert server.stored == numbered(3) * 2


def test_a_tracker_removed_during_a_delivery_is_not_written_over(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.flush()
    server.on_stored = (host.storage_path / "tracker.json").unlink
    host.write(text(numbered(1, since=3)))
    host.flush()
    server.on_stored = lambda: None
    host.flush()
    assert server.stored == numbered(4) + numbered(4)


def test_many_batches_in_a_row_are_one_save_of_the_tracker(host: Host, server: IngestServer) -> None:
    tracker = host.storage_path / "tracker.json"
    identities = set()
    server.on_stored = lambda: identities.add(tracker.stat().st_ino if tracker.exists() else 0)
    host.write(text(numbered(1000)))
    host.agent.step()
    assert len(server.requests) == 10
    assert len(identities) <= 2
    assert json.loads(tracker.read_text())["files"][0]["offset"] == len(text(numbered(1000)))


def test_a_damaged_tracker_is_set_aside_with_a_warning(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    (host.storage_path / "tracker.json").write_text('{"version": 1, "files": [{"na')
    with caplog.at_level(logging.WARNING, logger="errata_shipper"):
        host.restart()
    assert "is damaged" in caplog.text
    assert len(list(host.storage_path.glob("tracker.damaged-*.json"))) == 1
    host.flush()
    assert server.stored == numbered(3) * 2


def test_a_renamed_file_is_read_to_its_end_beside_its_successor(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.write(text(numbered(2, since=3)))
    (host.storage_path / TODAY).rename(host.storage_path / f"{TODAY}.1")
    host.write(text(numbered(2, since=5)))
    host.flush()
    assert sorted(server.stored) == numbered(7)


def test_a_file_moved_out_of_the_folder_is_read_to_its_end(
    host: Host, server: IngestServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.write(text(numbered(2, since=3)))
    (host.storage_path / TODAY).rename(tmp_path_factory.mktemp("archive") / TODAY)
    host.flush()
    assert server.stored == numbered(5)


def test_a_delivered_file_is_followed_when_it_is_written_and_moved_away_after_a_restart(
    host: Host, server: IngestServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.restart()
    host.agent.step()
    host.write(text(numbered(2, since=3)))
    (host.storage_path / TODAY).rename(tmp_path_factory.mktemp("archive") / TODAY)
    host.flush()
    assert server.stored == numbered(5)


def test_a_truncated_file_is_read_again_from_its_start(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.flush()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(text(numbered(1, since=3)))
    host.flush()
    assert server.stored == numbered(4)


def test_a_half_line_that_was_emptied_away_hides_no_shorter_one(host: Host, server: IngestServer) -> None:
    host.write(b'{"half": "a line that is never finished')
    host.flush()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(b'{"n": 1}\n')
    host.flush()
    assert server.stored == [b'{"n": 1}']


@pytest.mark.parametrize("count", [3, 30], ids=["same size", "longer"])
def test_a_file_emptied_and_filled_again_is_read_from_its_start(
    host: Host, server: IngestServer, count: int
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(text(numbered(count, since=3)))
    host.flush()
    assert server.stored == numbered(3 + count)


def test_a_file_written_to_after_it_was_moved_away_is_still_read(
    host: Host, server: IngestServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    with (host.storage_path / TODAY).open("ab") as writer:
        (host.storage_path / TODAY).rename(tmp_path_factory.mktemp("archive") / TODAY)
        host.agent.step()
        writer.write(text(numbered(2, since=3)))
    host.flush()
    assert server.stored == numbered(5)


def test_a_deleted_file_frees_its_descriptor_and_its_checkpoint(host: Host) -> None:
    host.write(text(numbered(3)))
    host.flush()
    before = open_descriptor_count()
    (host.storage_path / TODAY).unlink()
    host.agent.step()
    host.clock.pass_time(31)
    host.agent.step()
    assert open_descriptor_count() == before - 1
    host.write(text(numbered(1)), "errata-2026-11-22.log")
    host.flush()
    assert TODAY not in (host.storage_path / "tracker.json").read_text()


def test_what_a_removed_file_still_held_is_told(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    host.write(text(numbered(1)) + b"half")
    host.flush()
    (host.storage_path / TODAY).unlink()
    host.agent.step()
    host.clock.pass_time(31)
    host.agent.step()
    assert f"{TODAY} was removed with 4 bytes undelivered" in caplog.text


def test_a_backlog_does_not_starve_the_newest_file(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(1000)), "errata-2026-11-20.log")
    host.write(text(numbered(300, since=1000)), TODAY)
    host.agent.step()
    files = [request.source["file"] for request in server.requests[:6]]
    assert files == [TODAY, "errata-2026-11-20.log"] * 3


def test_many_files_are_delivered_with_few_descriptors(host: Host, server: IngestServer) -> None:
    for number in range(200):
        host.write(text(numbered(1, since=number)) + b"half", f"errata-2026-11-20.log.{number}")
    before = open_descriptor_count()
    host.flush()
    assert sorted(server.stored) == sorted(numbered(200))
    assert open_descriptor_count() <= before + 70


def test_many_files_that_grow_are_followed_with_few_descriptors(host: Host, server: IngestServer) -> None:
    before = open_descriptor_count()
    for round_number in range(3):
        for number in range(200):
            blank = b"\n" if number % 2 else b""
            host.write(text(numbered(1, since=number)) + blank, f"errata-2026-11-20.log.{number}")
        host.agent.step()
        assert open_descriptor_count() <= before + 70
        host.flush()
        assert open_descriptor_count() <= before + 70
        assert len(server.stored) == 200 * (round_number + 1)


def test_a_batch_stays_under_its_bytes(host: Host, server: IngestServer) -> None:
    line = b'"%s"' % (b"x" * (3 << 20))
    host.write(text([line] * 5))
    host.flush()
    assert [len(request.lines) for request in server.requests] == [2, 2, 1]


def test_a_line_over_the_limit_is_set_aside_and_blocks_nothing(host: Host, server: IngestServer) -> None:
    long_line = b"y" * ((4 << 20) + 1)
    host.write(text([b'{"n": 0}', long_line, b'{"n": 1}']))
    host.flush()
    assert server.stored == [b'{"n": 0}', b'{"n": 1}']
    line, record = host.rejected()
    assert line.read_bytes() == long_line + b"\n"
    assert '"reason": "line_too_large"' in record.read_text()
    assert line.stat().st_mode & 0o777 == record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700


def test_lines_before_an_endless_one_are_not_held_back(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n' + b"z" * (9 << 20))
    host.flush()
    assert server.stored == [b'{"n": 0}']
    assert host.rejected() == []


def test_stopping_delivers_what_is_complete(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)) + b"half")
    host.agent.step()
    assert server.stored == []
    host.clock.is_stopping = True
    host.agent.flush()
    assert server.stored == numbered(3)


@pytest.mark.parametrize(("timeout_seconds", "sent"), [(60, 300), (10, 200)])
def test_a_stop_goes_on_sending_for_as_long_as_one_request_may_take(
    tmp_path: Path, server: IngestServer, timeout_seconds: float, sent: int
) -> None:
    host = Host(tmp_path, server, timeout_seconds=timeout_seconds)
    server.on_stored = lambda: host.clock.pass_time(7)
    host.write(text(numbered(300)))
    host.clock.is_stopping = True
    host.agent.flush()
    assert server.stored == numbered(sent)
    host.stop()


def test_a_storage_path_without_log_files_is_warned_about_after_a_minute(
    host: Host, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    host.agent.step()
    assert "storage_path" not in caplog.text
    host.clock.pass_time(61)
    host.agent.step()
    assert f"No log files in {tmp_path}" in caplog.text

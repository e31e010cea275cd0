"""Which file is which, whatever it is called and whichever inode it was given."""

import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from errata_shipper.btime import btime_of

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import IngestServer


def numbered(count: int, since: int = 0) -> list[bytes]:
    return [b'{"n": %d}' % number for number in range(since, since + count)]


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def tracked(host: Host) -> dict[str, dict[str, Any]]:
    document = json.loads((host.storage_path / "tracker.json").read_text())
    return {entry["name"]: entry for entry in document["files"]}


def change_tracker(host: Host, **fields: object) -> None:
    path = host.storage_path / "tracker.json"
    document = json.loads(path.read_text())
    for entry in document["files"]:
        entry.update(fields)
    path.write_text(json.dumps(document))


def test_the_birth_of_a_file_stays_when_it_is_renamed_and_emptied_and_not_when_it_is_made_anew(
    tmp_path: Path,
) -> None:
    def birth(path: Path) -> int | None:
        with path.open("rb") as file:
            return btime_of(file.fileno())

    path = tmp_path / TODAY
    path.write_bytes(b"one\n")
    first = birth(path)
    if first is None:
        pytest.skip("this file system does not say when a file was created")
    path = path.rename(tmp_path / f"{TODAY}.1")
    os.truncate(path, 0)
    assert birth(path) == first
    path.unlink()
    path.write_bytes(b"one\n")
    assert birth(path) != first


def test_another_file_with_the_same_inode_and_the_same_beginning_is_read_from_its_start(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(1)))
    host.flush()
    host.stop()
    # As if the inode had been given to a file that begins like the one before.
    entry = tracked(host)[TODAY]
    change_tracker(host, birth_ns=(entry["birth_ns"] or 0) + 1)
    host.write(text(numbered(1, since=1)))
    host.start()
    host.flush()
    assert server.stored == [*numbered(1), *numbered(2)]


@pytest.mark.parametrize("size", [3, 300], ids=["under 1 KB", "over 1 KB"])
def test_a_reused_inode_is_noticed_while_the_shipper_runs(
    host: Host, server: IngestServer, size: int
) -> None:
    host.write(text(numbered(size)))
    host.flush()
    for tail in host.agent.directory.tails:
        tail.close()
    inode = (host.storage_path / TODAY).stat().st_ino
    for attempt in range(50):
        (host.storage_path / TODAY).unlink()
        host.write(text(numbered(size) + numbered(1, since=1000)))
        if (host.storage_path / TODAY).stat().st_ino == inode:
            break
        if attempt == 49:
            pytest.skip("this file system does not give an inode again at once")
    host.flush()
    assert server.stored == [*numbered(size), *numbered(size), *numbered(1, since=1000)]


def test_a_device_with_another_number_after_a_restart_is_no_other_file(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.stop()
    change_tracker(host, device=77)
    host.start()
    host.write(text(numbered(1, since=3)))
    host.flush()
    assert server.stored == numbered(4)
    assert server.reports == []
    assert tracked(host)[TODAY]["device"] == (host.storage_path / TODAY).stat().st_dev


def test_small_files_with_equal_beginnings_are_different_files(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(2)), "errata-2026-11-20.log")
    host.write(text(numbered(1) + numbered(1, since=5)))
    host.flush()
    host.restart()
    host.write(text(numbered(1, since=2)), "errata-2026-11-20.log")
    host.write(text(numbered(1, since=6)))
    host.flush()
    assert sorted(server.stored) == sorted(
        [*numbered(2), *numbered(1), *numbered(1, 5), *numbered(1, 2), *numbered(1, 6)]
    )


@pytest.mark.parametrize("lines", [3, 300], ids=["to the same size", "to a larger one"])
def test_a_file_filled_anew_while_no_shipper_ran_is_read_from_its_start(
    host: Host, server: IngestServer, lines: int
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.stop()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(text(numbered(lines, since=5)))
    host.start()
    host.flush()
    assert server.stored == numbered(3) + numbered(lines, since=5)


def test_lines_lost_before_any_of_the_file_was_delivered_are_told(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(3)))
    host.agent.step()
    os.truncate(host.storage_path / TODAY, 0)
    host.write(text(numbered(1, since=7)))
    host.flush()
    assert server.stored == numbered(1, since=7)
    source = server.reports[0].source
    assert (source["to"], source["size"], source["end"]) == ("0", "27", "replaced")


@pytest.mark.parametrize("is_running", [True, False], ids=["while it runs", "while it does not"])
@pytest.mark.parametrize("count", [3, 3000], ids=["small", "large"])
def test_a_copy_is_read_on_where_its_original_was_left(
    host: Host, server: IngestServer, is_running: bool, count: int
) -> None:
    host.write(text(numbered(count)))
    host.flush()
    host.write(text(numbered(2, since=count)))
    if is_running:
        host.agent.step()
    else:
        host.stop()
    shutil.copyfile(host.storage_path / TODAY, host.storage_path / f"{TODAY}.1")
    os.truncate(host.storage_path / TODAY, 0)
    host.write(text(numbered(2, since=count + 2)))
    if not is_running:
        host.start()
    host.flush()
    assert sorted(server.stored) == sorted(numbered(count + 4))
    assert server.reports == []


def test_a_copy_that_is_still_being_made_is_waited_for(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(500)))
    host.flush()
    content = (host.storage_path / TODAY).read_bytes()
    copy = f"{TODAY}-20261122"
    for since in range(0, len(content), 2000):
        host.write(content[since : since + 2000], copy)
        host.clock.pass_time(5)
        host.agent.step()
    os.truncate(host.storage_path / TODAY, 0)
    host.flush()
    assert server.stored == numbered(500)
    assert tracked(host)[copy]["offset"] == len(content)


def test_a_file_beside_the_days_file_that_is_no_copy_waits_for_nothing(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(500)))
    host.flush()
    for number in range(3):
        host.write(text(numbered(1, since=500 + number)), f"{TODAY}-app")
        host.flush()
    assert server.stored == numbered(503)


def test_what_begins_like_a_copy_and_is_none_is_delivered_after_a_while(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(500)))
    host.flush()
    host.write(text([*numbered(1), b'{"n": 1000}']), f"{TODAY}.1")
    host.agent.step()
    host.clock.pass_time(9)
    host.agent.step()
    assert server.stored == numbered(500)
    host.clock.pass_time(11)
    host.flush()
    assert server.stored == [*numbered(500), *numbered(1), b'{"n": 1000}']


def test_a_copy_with_other_content_before_the_checkpoint_is_read_from_its_start(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.write(text([b'{"n": 0}', b'{"n": 7}', b'{"n": 2}', b'{"n": 8}']), f"{TODAY}.1")
    host.flush()
    assert server.stored[3:] == [b'{"n": 0}', b'{"n": 7}', b'{"n": 2}', b'{"n": 8}']


def test_what_was_written_between_copying_and_emptying_is_told_as_lost(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    shutil.copyfile(host.storage_path / TODAY, host.storage_path / f"{TODAY}.1")
    host.write(text(numbered(1, since=3)))
    host.agent.step()
    os.truncate(host.storage_path / TODAY, 0)
    host.flush()
    source = server.reports[0].source
    assert (source["from"], source["to"], source["size"], source["end"]) == ("27", "27", "36", "replaced")


def test_a_copy_repeats_the_batch_whose_answer_was_lost_exactly(host: Host, server: IngestServer) -> None:
    from tests.shipper.ingest_server import Failure

    server.failures = [Failure(500, is_stored=True)] * 4
    host.write(text(numbered(3)))
    host.flush()
    shutil.copyfile(host.storage_path / TODAY, host.storage_path / f"{TODAY}.1")
    os.truncate(host.storage_path / TODAY, 0)
    host.clock.pass_time(20)
    host.flush()
    assert len({request.batch_id for request in server.requests}) == 1


def test_compressed_rotations_are_passed_over(host: Host, server: IngestServer) -> None:
    for suffix in (".1.gz", ".2.zst", ".3.xz", "-20261122.bz2", ".lz4", ".zip"):
        (host.storage_path / f"{TODAY}{suffix}").write_bytes(b"\x1f\x8b\n")
    host.flush()
    assert server.requests == []


def test_yesterdays_and_tomorrows_files_both_grow(host: Host, server: IngestServer) -> None:
    names = ["errata-2026-11-20.log", TODAY, "errata-2026-11-22.log"]
    for round_number in range(3):
        for place, name in enumerate(names):
            host.write(text(numbered(1, since=10 * round_number + place)), name)
        host.flush()
    assert sorted(server.stored) == sorted(numbered(3) + numbered(3, 10) + numbered(3, 20))


def test_yesterdays_file_is_sent_in_batches_while_it_still_grows(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(1)), TODAY)
    host.write(text(numbered(1)), "errata-2026-11-20.log")
    host.flush()
    sent = len(server.requests)
    for number in range(1, 21):
        host.write(text(numbered(1, since=number)), "errata-2026-11-20.log")
        host.clock.pass_time(1)
        host.agent.step()
    assert 1 <= len(server.requests) - sent <= 3
    host.flush()
    assert server.stored == [*numbered(1), *numbered(21)]


def test_a_clock_that_jumps_changes_nothing(host: Host, server: IngestServer) -> None:
    for number, modified in enumerate((4e9, 1.0, 2e9)):
        host.write(text(numbered(1, since=number)))
        os.utime(host.storage_path / TODAY, (modified, modified))
        host.flush()
        host.restart()
    os.utime(host.storage_path / TODAY, (1e9, 1e9))
    host.flush()
    assert server.stored == numbered(3)


def test_a_file_filled_anew_to_the_same_size_at_the_same_time_is_noticed(
    host: Host, server: IngestServer
) -> None:
    path = host.storage_path / TODAY
    host.write(text(numbered(3)))
    os.utime(path, (1e9, 1e9))
    host.flush()
    os.truncate(path, 0)
    host.write(text(numbered(3, since=5)))
    os.utime(path, (1e9, 1e9))
    host.flush()
    assert server.stored == numbered(3) + numbered(3, since=5)


def test_a_log_file_may_be_a_link_to_one_elsewhere(
    host: Host, server: IngestServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("elsewhere") / "application.log"
    target.write_bytes(text(numbered(1)))
    (host.storage_path / TODAY).symlink_to(target)
    host.flush()
    with target.open("ab") as file:
        file.write(text(numbered(1, since=1)))
    host.flush()
    target.rename(target.with_name("application.log.1"))
    target.write_bytes(text(numbered(1, since=2)))
    host.flush()
    assert server.stored == numbered(3)


def test_a_link_and_its_file_are_one_file(host: Host, server: IngestServer) -> None:
    host.write(text(numbered(2)), "errata-2026-11-20.log")
    (host.storage_path / TODAY).symlink_to(host.storage_path / "errata-2026-11-20.log")
    host.flush()
    host.write(text(numbered(1, since=2)), "errata-2026-11-20.log")
    host.flush()
    assert server.stored == numbered(3)


def test_links_that_lead_nowhere_hold_nothing_back(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    (host.storage_path / "errata-2026-11-19.log").symlink_to("errata-2026-11-19.log")
    (host.storage_path / "errata-2026-11-20.log").symlink_to("nothing.log")
    host.write(text(numbered(1)))
    host.flush()
    assert server.stored == numbered(1)
    assert len([message for message in caplog.messages if "errata-2026-11-19.log" in message]) == 1


def test_a_tracker_of_version_1_is_upgraded_and_nothing_is_delivered_again(
    host: Host, server: IngestServer
) -> None:
    host.write(text(numbered(3)))
    host.write(text(numbered(1, since=3)), f"{TODAY}.1")
    host.flush()
    host.stop()
    path = host.storage_path / "tracker.json"
    document = json.loads(path.read_text())
    del document["reports"]
    document["version"] = 1
    for entry in document["files"]:
        for name in ("birth_ns", "file_id", "size", "moved_at"):
            del entry[name]
    path.write_text(json.dumps(document))
    host.start()
    host.write(text(numbered(1, since=4)))
    host.flush()
    assert sorted(server.stored) == numbered(5)
    assert json.loads(path.read_text())["version"] == 2
    entry = tracked(host)[TODAY]
    assert entry["file_id"] == server.requests[0].source["id"] or entry["file_id"]
    assert entry["birth_ns"] is not None


def test_a_tracker_of_a_later_version_is_set_aside_and_says_how_to_go_on(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.write(text(numbered(3)))
    host.flush()
    host.stop()
    path = host.storage_path / "tracker.json"
    path.write_text('{"version": 3, "something": "new"}')
    with caplog.at_level(logging.WARNING, logger="errata_shipper"):
        host.start()
    (aside,) = host.storage_path.glob("tracker.version-3-*.json")
    assert aside.read_text() == '{"version": 3, "something": "new"}'
    assert "written by a newer shipper" in caplog.text
    assert "rename the file back" in caplog.text
    host.flush()
    assert server.stored == numbered(3) * 2


def test_a_tracker_set_aside_never_replaces_another_one(host: Host) -> None:
    path = host.storage_path / "tracker.json"
    for content in ("first", "second", "third"):
        host.stop()
        path.write_text(content)
        host.start()
    contents = {aside.read_text() for aside in host.storage_path.glob("tracker.damaged-*.json")}
    assert contents == {"first", "second", "third"}


def test_the_tracker_calls_a_file_by_its_present_name(host: Host) -> None:
    host.write(text(numbered(3)))
    host.flush()
    (host.storage_path / TODAY).rename(host.storage_path / f"{TODAY}.1")
    host.agent.step()
    assert list(tracked(host)) == [f"{TODAY}.1"]

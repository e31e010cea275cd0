"""The log directory within its limits, beside the real shipper."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import errata_sdk
import pytest
import sentry_sdk
from errata_sdk.log_file import LogFile
from errata_sdk.pruner import Pruner
from errata_sdk.retention import Pruned, Retention, prune

from tests.shipper.hosts import Host
from tests.shipper.ingest_server import Failure, IngestServer, running_server

NOW = datetime.now(UTC)
EVENT = b'{"type":"event","app_key":"errata_app_1","payload":{"filling":"%s"}}\n' % (b"x" * 9_925)
KEEP_ALL = Retention(keep_days=None, max_storage_bytes=None)
Lines = Callable[[], list[dict[str, Any]]]


def name_of(days_ago: int, suffix: str = "") -> str:
    return f"errata-{NOW - timedelta(days=days_ago):%Y-%m-%d}.log{suffix}"


@pytest.fixture
def server() -> Iterator[IngestServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def host(logs: Path, server: IngestServer) -> Iterator[Host]:
    logs.mkdir()
    made = Host(logs, server)
    yield made
    made.stop()


def write(host: Host, days_ago: int, count: int = 10, suffix: str = "") -> Path:
    """A file of events of 10 kB, last written to on its day."""
    path = host.storage_path / name_of(days_ago, suffix)
    path.write_bytes(EVENT * count)
    at = (NOW - timedelta(days=days_ago)).timestamp()
    os.utime(path, (at, at))
    return path


def let_an_hour_pass(host: Host) -> None:
    for path in host.storage_path.iterdir():
        state = path.stat()
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns - 3600 * 10**9))


def pruned(host: Host, retention: Retention, wanted_free_bytes: int = 0) -> Pruned:
    folder = os.open(host.storage_path, os.O_RDONLY)
    try:
        return prune(folder, retention, NOW, wanted_free_bytes)
    finally:
        os.close(folder)


def logs_left(host: Host) -> list[str]:
    return sorted(path.name for path in host.storage_path.glob("errata-*"))


def test_delivered_files_go_once_they_are_old(host: Host) -> None:
    for days_ago in (9, 8, 7, 0):
        write(host, days_ago)
    host.flush()
    assert pruned(host, Retention(keep_days=7)).delivered_names == [name_of(9), name_of(8)]
    assert logs_left(host) == [name_of(7), name_of(0)]
    host.flush()
    assert len(host.server.stored) == 40


def test_what_is_not_delivered_stays_however_old_it_is(host: Host) -> None:
    write(host, 30)
    added_to = write(host, 20)
    with write(host, 10).open("ab") as file:
        file.write(b'{"type":"event","payload":{')
    host.flush()
    with added_to.open("ab") as file:
        file.write(EVENT)
    write(host, 9)
    let_an_hour_pass(host)
    # A line that was cut off is never delivered.
    assert pruned(host, Retention(keep_days=7)).delivered_names == [name_of(30), name_of(10)]


def test_without_a_tracker_that_can_be_read_nothing_counts_as_delivered(host: Host) -> None:
    write(host, 30)
    host.flush()
    tracker = host.storage_path / "tracker.json"
    saved = tracker.read_text("utf-8")
    document = json.loads(saved)
    for other in (
        *("", "null", "[]", "{", saved[: len(saved) // 2], "[" * 100_000),
        json.dumps({**document, "version": 99}),
        json.dumps({**document, "files": [{**document["files"][0], "offset": "100000"}]}),
        json.dumps({**document, "files": [{**document["files"][0], "name": name_of(29)}]}),
        json.dumps({**document, "files": [{**document["files"][0], "inode": 1}]}),
        json.dumps({**document, "files": [{"name": name_of(30)}]}),
    ):
        tracker.write_text(other, "utf-8")
        assert pruned(host, Retention(keep_days=7)) == Pruned()
    tracker.unlink()
    assert pruned(host, Retention(keep_days=7)) == Pruned()
    tracker.write_text(saved, "utf-8")
    assert pruned(host, Retention(keep_days=7)).delivered_names == [name_of(30)]


def test_a_file_filled_anew_to_the_same_size_is_not_delivered(host: Host) -> None:
    path = write(host, 30)
    host.flush()
    path.write_bytes(EVENT.replace(b"x", b"y") * 10)
    os.utime(path, ns=(0, (host.storage_path / "tracker.json").stat().st_mtime_ns + 1))
    assert pruned(host, Retention(keep_days=7)) == Pruned()


def test_over_the_limit_the_oldest_delivered_files_go_first(host: Host) -> None:
    write(host, 6, 40)
    for days_ago in (5, 4, 3, 2):
        write(host, days_ago, 30)
    host.storage_path.joinpath(name_of(6)).rename(host.storage_path / name_of(6, ".gz"))
    host.flush()
    write(host, 8, 10)
    # 1.3 MB, of which 875 kB leave the day's file an eighth to grow in.
    assert pruned(host, Retention(max_storage_bytes=1 << 20)).delivered_names == [name_of(5), name_of(4)]
    assert logs_left(host) == [name_of(8), name_of(6, ".gz"), name_of(3), name_of(2)]


def test_undelivered_files_go_last_oldest_first_and_their_items_are_counted(host: Host) -> None:
    write(host, 5, 30)
    write(host, 3, 10)
    host.flush()
    with (host.storage_path / name_of(5)).open("ab") as file:
        file.write(
            b'{"type": "transaction", "app_key": "errata_app_2", "payload": {}}\n'
            b'{"headers":{"item_count":7},"type":"log","payload":{}}\n\nnonsense\n'
            b'{"type":"client_report","app_key":"errata_app_1","payload":{"discarded_events":'
            b'[{"reason":"before_send","category":"error","quantity":4}]}}\n{"type":"event","app'
        )
    os.utime(host.storage_path / "tracker.json")
    let_an_hour_pass(host)
    write(host, 4, 90)
    write(host, 2, 60)
    done = pruned(host, Retention(max_storage_bytes=1 << 20))
    assert (done.delivered_names, done.dropped_names) == ([name_of(3)], [name_of(5), name_of(4)])
    assert done.lost == {
        ("errata_app_1", "cache_overflow", "error"): 90,
        ("errata_app_2", "cache_overflow", "transaction"): 1,
        ("", "cache_overflow", "log_item"): 7,
        ("errata_app_1", "before_send", "error"): 4,
    }


def test_what_is_dropped_while_the_server_is_away_leaves_the_disk_and_the_shipper_goes_on(
    host: Host,
) -> None:
    dropped, kept = write(host, 2, 90), write(host, 1, 20)
    host.server.failures = [Failure(503)] * 50
    host.flush()
    with dropped.open("rb") as shippers:
        assert pruned(host, Retention(max_storage_bytes=1 << 20)).dropped_names == [dropped.name]
        assert os.fstat(shippers.fileno()).st_size == 0
    host.server.failures = []
    for _ in range(4):
        host.clock.pass_time(60)
        host.flush()
    assert host.server.stored == kept.read_bytes().splitlines()


def test_files_that_may_be_written_to_links_folders_and_the_files_of_others_are_never_touched(
    host: Host, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.log"
    outside.write_bytes(EVENT * 200)
    for path in (write(host, 0, 90), write(host, -1, 90), write(host, 1, 90)):
        path.touch()
    for suffix in (".intake", ".u1000"):
        write(host, 0, 90, suffix)
    (host.storage_path / name_of(20)).symlink_to(outside)
    (host.storage_path / name_of(21)).mkdir()
    os.mkfifo(host.storage_path / name_of(22))
    for name in ("other-2020-01-01.log", "errata-2020-01-01.log.gz", "errata-2020-01-01.txt", "errata.log"):
        (host.storage_path / name).write_bytes(EVENT * 10)
    before = logs_left(host)
    done = pruned(host, Retention(max_storage_bytes=8 << 20))
    assert done == Pruned()
    assert logs_left(host) == before
    assert outside.stat().st_size == len(EVENT) * 200


def test_a_copy_with_a_name_of_its_own_elsewhere_keeps_what_was_dropped_here(
    host: Host, tmp_path: Path
) -> None:
    dropped = write(host, 3, 120)
    os.link(dropped, tmp_path / "backup.log")
    assert pruned(host, Retention(max_storage_bytes=1 << 20)).dropped_names == [dropped.name]
    assert (tmp_path / "backup.log").stat().st_size == 120 * len(EVENT)


def test_a_full_disk_is_given_back_what_has_been_delivered_and_no_more(host: Host) -> None:
    write(host, 3)
    host.flush()
    write(host, 2)
    done = pruned(host, KEEP_ALL, wanted_free_bytes=1 << 60)
    assert (done.delivered_names, done.dropped_names) == ([name_of(3)], [])


def test_a_days_file_that_grows_by_itself_is_set_aside_in_parts_so_that_it_stays_within_the_limit(
    logs: Path, lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    log_file = LogFile(logs, retention=Retention(max_storage_bytes=1 << 20))
    largest = 0
    for _ in range(500):
        assert log_file.append(EVENT)
        log_file.wait(5)
        largest = max(largest, sum(path.stat().st_size for path in logs.iterdir()))
    assert largest <= 1 << 20
    left = Counter(line["type"] for line in lines())
    dropped = sum(
        event["quantity"]
        for line in lines()
        if line["type"] == "client_report"
        for event in line["payload"]["discarded_events"]
    )
    assert left["event"] + dropped == 500
    said = capsys.readouterr().err
    assert said.count("errata: ") == said.count("is over max_storage_bytes (1048576): dropped errata-") == 1


def test_parts_of_a_day_reach_the_server_once_and_go_as_they_are_delivered(host: Host) -> None:
    log_file = LogFile(host.storage_path, retention=Retention(max_storage_bytes=1 << 20))
    for number in range(300):
        log_file.append(EVENT.replace(b"errata_app_1", b"%d" % number))
        log_file.wait(5)
        if number % 10 == 0:
            host.flush()
    host.flush()
    apps = [json.loads(line)["app_key"] for line in host.server.stored]
    assert sorted(apps, key=int) == [str(number) for number in range(300)]
    assert sum(path.stat().st_size for path in host.storage_path.glob("errata-*")) <= 1 << 20


@pytest.mark.parametrize("suffix", ["", ".intake", ".u1000"])
def test_whatever_lines_are_written_to_is_set_aside_when_it_is_long(host: Host, suffix: str) -> None:
    write(host, 0, 14, suffix)
    pruned(host, Retention(max_storage_bytes=1 << 20))
    (aside,) = logs_left(host)
    assert aside.startswith(name_of(0, f"{suffix}."))
    host.flush()
    assert len(host.server.stored) == 14


def test_a_file_that_cannot_be_set_aside_is_not_looked_at_again_with_every_line(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", name_of(0))

    looks: list[int] = []
    scan = os.scandir

    def counted(folder: int) -> Any:
        looks.append(folder)
        return scan(folder)

    monkeypatch.setattr("os.rename", refuse)
    monkeypatch.setattr("os.scandir", counted)
    log_file = LogFile(logs, retention=Retention(max_storage_bytes=1 << 20))
    for _ in range(40):
        assert log_file.append(EVENT)
        log_file.wait(5)
    # Two at the start, and two when the file was an eighth of the limit long.
    assert len(looks) == 4


def test_one_process_at_a_time_looks_after_the_directory(host: Host) -> None:
    write(host, 30)
    host.flush()
    pruner = Pruner(host.storage_path, Retention(), lambda line: True)
    other = os.open(host.storage_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    pruner.look(0)
    pruner.wait(5)
    assert logs_left(host) == [name_of(30)]
    os.close(other)
    pruner.look(0)
    pruner.wait(5)
    assert logs_left(host) == []


def test_what_cannot_be_removed_is_said_once_and_costs_nothing_else(
    host: Host, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(host, 30)
    write(host, 29)
    host.flush()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", name_of(30))

    monkeypatch.setattr("os.unlink", refuse)
    pruner = Pruner(host.storage_path, Retention(), lambda line: True)
    for _ in range(2):
        pruner.look(0)
        pruner.wait(5)
    said = capsys.readouterr().err
    assert (
        said
        == f"errata: cannot clean up {host.storage_path / name_of(30)}: Permission denied (reported once)\n"
    )


def test_an_application_that_starts_removes_what_is_over_its_limits(host: Host, lines: Lines) -> None:
    write(host, 30)
    host.flush()
    errata_sdk.init("errata_app_1", host.storage_path, keep_days=7)
    sentry_sdk.capture_message("hello")
    sentry_sdk.flush()
    # Of today, which may have begun since this module was read.
    (left,) = logs_left(host)
    assert left != name_of(30) and b"hello" in (host.storage_path / left).read_bytes()


@pytest.mark.parametrize("options", [{"keep_days": -1}, {"max_storage_bytes": 1000}])
def test_limits_that_make_no_sense_are_refused_at_the_start(options: dict[str, int], logs: Path) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        errata_sdk.init("errata_app_1", logs, **options)  # type: ignore[arg-type]

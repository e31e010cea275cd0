"""Whatever happens in the storage path is noticed, with inotify and without."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from errata_shipper import watch
from errata_shipper import watcher as watcher_module
from errata_shipper.errors import DirectoryHeld
from errata_shipper.lock import LOCK_NAME, DirectoryLock
from errata_shipper.log_directory import LogDirectory
from errata_shipper.tracker import Tracker
from errata_shipper.watch import FolderWatch
from errata_shipper.watcher import Watcher

from tests.shipper.hosts import TODAY, HandClock, Host
from tests.shipper.ingest_server import IngestServer

YESTERDAY = "errata-2026-11-20.log"


def line(number: int) -> bytes:
    return b'{"n": %d}\n' % number


def lines(*numbers: int) -> list[bytes]:
    return [line(number)[:-1] for number in numbers]


def settle(host: Host) -> None:
    """Let everything be noticed, also by polling at its slowest, and be sent."""
    host.agent.step()
    host.clock.pass_time(31)
    host.flush()


@pytest.fixture(params=["inotify", "polling"])
def either(tmp_path: Path, server: IngestServer, request: pytest.FixtureRequest) -> Iterator[Host]:
    """A host in a folder of its own, so that the folder can go too."""
    folder = tmp_path / "logs"
    folder.mkdir()
    made = Host(folder, server, is_watching=request.param == "inotify")
    yield made
    made.stop()


class CountingDirectory(LogDirectory):
    refresh_count = 0

    def refresh(self, monotonic: float) -> None:
        self.refresh_count += 1
        super().refresh(monotonic)


@pytest.fixture
def counting(tmp_path: Path) -> CountingDirectory:
    return CountingDirectory(tmp_path, Tracker(tmp_path), "web-1", batch_size=100)


def watcher_of(directory: LogDirectory, folder: Path, clock: HandClock) -> Watcher:
    return Watcher(folder, directory, Tracker(folder), clock, None, is_watching=True)


def test_what_is_written_renamed_emptied_and_removed_is_noticed(either: Host, server: IngestServer) -> None:
    either.write(line(0))
    settle(either)
    either.write(line(1))
    settle(either)
    path = either.storage_path / TODAY
    path.rename(either.storage_path / f"{TODAY}.1")
    either.write(line(2))
    settle(either)
    os.truncate(path, 0)
    either.write(line(3))
    settle(either)
    either.write(line(4), f"{TODAY}.1")
    path.unlink()
    either.write(line(5), YESTERDAY)
    settle(either)
    assert sorted(server.stored) == lines(0, 1, 2, 3, 4, 5)


def test_an_old_file_out_of_thousands_that_is_written_to_is_noticed(
    either: Host, server: IngestServer
) -> None:
    for number in range(150):
        either.write(line(number), f"{YESTERDAY}.{number}")
    settle(either)
    either.write(line(1000), f"{YESTERDAY}.3")
    settle(either)
    assert len(server.stored) == 151


def test_a_deleted_file_is_read_for_as_long_as_it_is_written_to(either: Host, server: IngestServer) -> None:
    either.write(line(0))
    settle(either)
    with (either.storage_path / TODAY).open("ab") as writer:
        (either.storage_path / TODAY).unlink()
        for number in range(1, 6):
            either.agent.step()
            writer.write(line(number))
            writer.flush()
            either.clock.pass_time(20)
    settle(either)
    assert server.stored == lines(0, 1, 2, 3, 4, 5)


def test_a_storage_path_that_is_gone_for_a_while_is_said_once_and_costs_nothing(
    either: Host, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="errata_shipper")
    either.write(line(0))
    settle(either)
    gone = either.storage_path.with_name("gone")
    with (either.storage_path / TODAY).open("ab") as writer:
        either.storage_path.rename(gone)
        for _ in range(3):
            either.clock.pass_time(2)
            either.agent.step()
        writer.write(line(1))
    settle(either)
    assert server.stored == lines(0, 1)
    assert caplog.messages.count("Storage path not found") == 1
    gone.rename(either.storage_path)
    either.write(line(2))
    settle(either)
    assert server.stored == lines(0, 1, 2)
    assert caplog.messages.count("The storage path is back") == 1


def test_a_storage_path_made_anew_is_delivered_from_its_start(either: Host, server: IngestServer) -> None:
    either.write(line(0))
    settle(either)
    shutil.rmtree(either.storage_path)
    either.clock.pass_time(2)
    either.agent.step()
    either.storage_path.mkdir()
    either.write(line(1))
    settle(either)
    either.write(line(2))
    settle(either)
    assert [stored for stored in server.stored if stored != lines(0)[0]] == lines(1, 2)
    assert (either.storage_path / "tracker.json").exists()


def test_a_storage_path_made_anew_between_two_looks_is_followed(either: Host, server: IngestServer) -> None:
    settle(either)
    for number in range(3):
        shutil.rmtree(either.storage_path)
        either.storage_path.mkdir()
        either.write(line(number))
        settle(either)
        either.write(line(number), YESTERDAY)
        settle(either)
    assert sorted(server.stored) == sorted(lines(0, 0, 1, 1, 2, 2))
    tails = either.agent.directory.tails
    assert sorted(tail.name for tail in tails if tail.gone_at is None) == [YESTERDAY, TODAY]


def test_stopping_delivers_a_file_that_nobody_looked_at_yet(either: Host, server: IngestServer) -> None:
    settle(either)
    either.write(line(0))
    either.clock.is_stopping = True
    either.agent.flush()
    assert server.stored == lines(0)


def test_a_lock_that_was_removed_with_its_folder_is_taken_again(tmp_path: Path, server: IngestServer) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with DirectoryLock(folder) as lock:
        host = Host(folder, server, lock=lock)
        settle(host)
        shutil.rmtree(folder)
        folder.mkdir()
        settle(host)
        with pytest.raises(DirectoryHeld):
            DirectoryLock(folder).acquire()
        (folder / LOCK_NAME).unlink()
        host.clock.pass_time(61)
        settle(host)
        with pytest.raises(DirectoryHeld):
            DirectoryLock(folder).acquire()
        host.stop()


def test_a_storage_path_that_leads_to_another_folder_takes_up_its_tracker(
    tmp_path: Path, server: IngestServer
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("first")
    host = Host(link, server)
    host.write(line(1))
    host.flush()
    second = Host(tmp_path / "second", server)
    second.write(line(2))
    second.flush()
    second.stop()
    link.unlink()
    link.symlink_to("second")
    host.write(line(3))
    host.flush()
    host.stop()
    assert server.stored == lines(1, 2, 3)


def test_a_write_is_no_reason_to_look_at_every_file(tmp_path: Path, counting: CountingDirectory) -> None:
    (tmp_path / TODAY).write_bytes(line(0))
    (tmp_path / YESTERDAY).write_bytes(line(0))
    (tmp_path / "errata-2026-11-19.log").hardlink_to(tmp_path / TODAY)
    clock = HandClock()
    watcher = watcher_of(counting, tmp_path, clock)
    watcher.update()
    for number in range(20):
        name = TODAY if number % 2 else "errata-2026-11-19.log"
        with (tmp_path / name).open("ab") as file:
            file.write(line(number))
        (tmp_path / "tracker.json.tmp").touch()
        clock.pass_time(1)
        watcher.update()
    assert counting.refresh_count == 1
    sizes = [(tail.name, tail.size) for tail in counting.tails]
    assert sizes == [(YESTERDAY, 9), (TODAY, (tmp_path / TODAY).stat().st_size)]
    clock.pass_time(60)
    watcher.update()
    assert counting.refresh_count == 2
    watcher.close()


def test_files_are_polled_where_there_is_no_inotify(
    tmp_path: Path, server: IngestServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="errata_shipper")
    monkeypatch.setattr(watch, "IS_AVAILABLE", False)
    host = Host(tmp_path, server)
    for number in range(3):
        host.write(line(number), f"{YESTERDAY}.{number}")
        settle(host)
    host.stop()
    assert sorted(server.stored) == lines(0, 1, 2)
    assert any(message.startswith("No inotify for") for message in caplog.messages)


def test_a_watch_that_is_not_told_of_what_happens_is_given_up(
    tmp_path: Path,
    counting: CountingDirectory,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="errata_shipper")
    clock = HandClock()
    for number in range(100):
        (tmp_path / f"{YESTERDAY}.{number}").write_bytes(line(number))
    watcher = watcher_of(counting, tmp_path, clock)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setattr(watcher_module, "FolderWatch", lambda _: FolderWatch(elsewhere))
    watcher.update()
    assert watcher.descriptor is not None
    with (tmp_path / f"{YESTERDAY}.3").open("ab") as file:
        file.write(line(0))
    clock.pass_time(61)
    watcher.update()
    assert "inotify missed a change to errata-2026-11-20.log.3; polling instead" in caplog.messages
    assert watcher.descriptor is None
    watcher.close()


def test_a_watch_that_is_told_of_everything_is_kept(
    tmp_path: Path, counting: CountingDirectory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="errata_shipper")
    clock = HandClock()
    watcher = watcher_of(counting, tmp_path, clock)
    for number in range(5):
        (tmp_path / f"{YESTERDAY}.{number}").write_bytes(line(number))
        clock.pass_time(61)
        watcher.update()
        with (tmp_path / f"{YESTERDAY}.0").open("ab") as file:
            file.write(line(number))
        clock.pass_time(61)
        watcher.update()
    assert watcher.descriptor is not None
    assert [message for message in caplog.messages if "inotify" in message] == []
    watcher.close()


def test_a_watch_names_what_changed(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    folder_watch = FolderWatch(tmp_path)
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "b").touch()
    (tmp_path / "b").rename(tmp_path / "c")
    (tmp_path / "c").unlink()
    changes = folder_watch.changes()
    assert "a" in changes.modified
    assert changes.moved == {"b", "c"}
    assert not changes.is_incomplete
    tmp_path.rename(tmp_path.with_name("moved"))
    assert folder_watch.changes().is_incomplete
    folder_watch.close()


def test_a_watch_on_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(NotADirectoryError):
        FolderWatch(tmp_path / "file")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.fixture
def nobodys_folder() -> Iterator[Path]:
    """A folder of a user who may not read everything, which this process is meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix="errata-shipper-"))
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.parametrize("is_watching", [True, False], ids=["inotify", "polling"])
def test_a_file_that_may_not_be_read_for_a_while_holds_back_no_other(
    nobodys_folder: Path, server: IngestServer, is_watching: bool, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(nobodys_folder, server, is_watching=is_watching)
    host.write(line(0), YESTERDAY)
    (nobodys_folder / YESTERDAY).chmod(0)
    for number in range(1, 3):
        host.write(line(number))
        host.flush()
    assert server.stored == lines(1, 2)
    assert len([message for message in caplog.messages if YESTERDAY in message]) == 1
    (nobodys_folder / YESTERDAY).chmod(0o600)
    host.flush()
    host.stop()
    assert server.stored == lines(1, 2, 0)


@pytest.mark.parametrize("is_watching", [True, False], ids=["inotify", "polling"])
def test_a_storage_path_that_may_not_be_read_for_a_while_is_said_once(
    nobodys_folder: Path, server: IngestServer, is_watching: bool, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(nobodys_folder, server, is_watching=is_watching)
    host.write(line(0))
    host.flush()
    nobodys_folder.chmod(0o300)
    for _ in range(3):
        host.clock.pass_time(61)
        host.agent.step()
    assert caplog.messages.count("Storage path not accessible") == 1
    nobodys_folder.chmod(0o700)
    host.write(line(1))
    host.write(line(2), YESTERDAY)
    host.clock.pass_time(61)
    host.flush()
    host.stop()
    assert sorted(server.stored) == lines(0, 1, 2)

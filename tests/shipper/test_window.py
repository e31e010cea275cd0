"""Several batches on their way at once: whatever becomes of one, no checkpoint passes what is not stored."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer

CONCURRENCY = 4
BATCH = 10
MEETING_SECONDS = 5.0


def numbered(count: int, since: int = 0) -> list[bytes]:
    return [b'{"n": %4d}' % number for number in range(since, since + count)]


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


BATCH_BYTES = len(text(numbered(BATCH)))


@pytest.fixture
def host(tmp_path: Path, server: IngestServer) -> Iterator[Host]:
    made = Host(tmp_path, server, batch_size=BATCH, concurrency=CONCURRENCY)
    yield made
    made.stop()


def number_of(source: str) -> int:
    """Which batch of its file that is; the first one goes alone."""
    fields = dict(part.split("=", 1) for part in source.split("; "))
    return int(fields["from"]) // BATCH_BYTES


class Arrivals:
    """Tells of each batch that arrives, before it is stored; `answers` are those to the first copies."""

    def __init__(self, server: IngestServer, **answers: Failure) -> None:
        self._answers = {int(name.removeprefix("batch_")): answer for name, answer in answers.items()}
        self._arrived = [threading.Event() for _ in range(1000)]
        self._lock = threading.Lock()
        self.numbers: list[int] = []
        self.on_arrival: dict[int, Callable[[], None]] = {}
        # A batch is answered once another one has arrived.
        self.waits_for: dict[int, int] = {}
        server.fails = self._answer

    def _answer(self, source: str, body: bytes) -> Failure | None:
        if not source or not body:
            return None
        number = number_of(source)
        with self._lock:
            self.numbers.append(number)
            is_first = not self._arrived[number].is_set()
            self._arrived[number].set()
        if is_first and number in self.waits_for:
            assert self._arrived[self.waits_for[number]].wait(MEETING_SECONDS)
        if is_first and number in self.on_arrival:
            self.on_arrival[number]()
        return self._answers.get(number) if is_first else None


def batches_of(server: IngestServer) -> dict[str, list[bytes]]:
    """By id; no id may ever name other lines than before."""
    known: dict[str, list[bytes]] = {}
    for request in server.requests:
        assert known.setdefault(request.batch_id, request.lines) == request.lines
    return known


def offset_of(host: Host) -> int:
    return host.agent.directory.tails[-1].offset


def saved_offset(host: Host) -> int:
    return int(json.loads((host.storage_path / "tracker.json").read_text())["files"][0]["offset"])


def test_batches_are_on_their_way_together_and_each_is_sent_once(host: Host, server: IngestServer) -> None:
    arrivals = Arrivals(server)
    # Three wait for the fourth, so that each of them holds a connection of its own.
    arrivals.waits_for = {1: 4, 2: 4, 3: 4, 5: 8}
    host.write(text(numbered(12 * BATCH)))
    host.agent.step()
    assert sorted(server.stored) == numbered(12 * BATCH)
    assert len(batches_of(server)) == len(server.requests) == 12
    assert arrivals.numbers[0] == 0
    assert server.connection_count == CONCURRENCY
    assert saved_offset(host) == 12 * BATCH_BYTES


def test_one_at_a_time_keeps_the_order_of_lines(tmp_path: Path, server: IngestServer) -> None:
    host = Host(tmp_path, server, batch_size=BATCH, concurrency=1)
    arrivals = Arrivals(server)
    host.write(text(numbered(12 * BATCH)))
    host.agent.step()
    host.stop()
    assert arrivals.numbers == list(range(12))
    assert server.stored == numbered(12 * BATCH)
    assert server.connection_count == 1


def test_an_acknowledgement_before_that_of_an_earlier_batch_moves_no_checkpoint(
    host: Host, server: IngestServer
) -> None:
    """The first of the window is answered once the last one has arrived, and the others were stored."""
    arrivals = Arrivals(server, batch_1=Failure(0, delay_seconds=0.2))
    arrivals.waits_for = {1: 4}
    offsets: list[int] = []
    for number in range(2, 6):
        arrivals.on_arrival[number] = lambda: offsets.append(offset_of(host))
    host.write(text(numbered(6 * BATCH)))
    host.agent.step()
    assert offsets[:3] == [BATCH_BYTES] * 3
    # The window was full: the fifth began once the first was stored.
    assert offsets[3] >= 2 * BATCH_BYTES
    assert len(server.requests) == 6
    assert offset_of(host) == 6 * BATCH_BYTES


@pytest.mark.parametrize(
    "failure",
    [
        Failure(429, {"Retry-After": "120"}),
        Failure(503, {"Retry-After": "120"}),
        Failure(401, {"Retry-After": "120"}),
        Failure(429, {"Retry-After": "120"}, b"<html>squid</html>"),
    ],
    ids=["rate limit", "overload", "key", "proxy"],
)
def test_behind_a_refused_batch_all_wait_and_are_sent_again_as_they_were(
    host: Host, server: IngestServer, failure: Failure
) -> None:
    arrivals = Arrivals(server, batch_1=failure)
    arrivals.waits_for = {1: 4}
    host.write(text(numbered(8 * BATCH)))
    host.agent.step()
    assert sorted(arrivals.numbers) == [0, 1, 2, 3, 4]
    assert saved_offset(host) == BATCH_BYTES
    host.write(text(numbered(2 * BATCH, since=8 * BATCH)))
    host.clock.pass_time(119)
    host.agent.step()
    assert len(arrivals.numbers) == 5
    host.clock.pass_time(2)
    host.agent.step()
    # Alone, until the server has taken it.
    assert arrivals.numbers[5] == 1
    assert set(server.stored) == set(numbered(10 * BATCH))
    assert len(batches_of(server)) == 10
    assert saved_offset(host) == 10 * BATCH_BYTES


def test_the_longest_wait_that_any_answer_asks_for_is_kept(host: Host, server: IngestServer) -> None:
    arrivals = Arrivals(
        server,
        batch_1=Failure(429, {"Retry-After": "20"}),
        batch_3=Failure(429, {"Retry-After": "200"}),
    )
    arrivals.waits_for = {1: 4}
    host.write(text(numbered(5 * BATCH)))
    host.agent.step()
    host.clock.pass_time(199)
    host.agent.step()
    assert len(arrivals.numbers) == 5
    host.clock.pass_time(2)
    host.agent.step()
    assert set(server.stored) == set(numbered(5 * BATCH))


def test_a_batch_that_fails_for_a_moment_is_tried_again_before_any_other_is_sent(
    host: Host, server: IngestServer
) -> None:
    arrivals = Arrivals(server, batch_1=Failure(500))
    arrivals.waits_for = {1: 4}
    host.write(text(numbered(8 * BATCH)))
    host.agent.step()
    assert len(host.clock.waits) == 1
    assert arrivals.numbers[5] == 1
    assert len(arrivals.numbers) == 9
    assert len(server.requests) == len(batches_of(server)) == 8


def test_lines_that_are_refused_among_others_are_set_aside_and_repeat_nothing(
    host: Host, server: IngestServer
) -> None:
    lines = numbered(8 * BATCH)
    server.poison = lambda line: line == lines[BATCH + 3]
    server.rejects = lambda line: "invalid_item" if line == lines[2 * BATCH] else None
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    host.write(text(lines))
    host.agent.step()
    aside = [json.loads(path.read_text())["line"].encode() for path in host.rejected()]
    assert sorted(aside) == [lines[BATCH + 3], lines[2 * BATCH]]
    taken = [line for request in server.requests if request.status == 200 for line in request.lines]
    assert sorted(taken) == [line for line in lines if line != lines[BATCH + 3]]
    assert saved_offset(host) == 8 * BATCH_BYTES


def test_behind_a_half_that_waits_the_batches_stay_as_they_were(host: Host, server: IngestServer) -> None:
    arrivals = Arrivals(server, batch_1=Failure(413))
    arrivals.waits_for = {1: 4}
    host.write(text(numbered(6 * BATCH)))
    halves: list[str] = []
    answer = server.fails

    def refuse_the_second_half(source: str, body: bytes) -> Failure | None:
        if f"from={BATCH_BYTES * 3 // 2};" in source:
            halves.append(source)
            return Failure(429, {"Retry-After": "60"}) if len(halves) == 1 else None
        return answer(source, body)

    server.fails = refuse_the_second_half
    host.agent.step()
    assert saved_offset(host) == BATCH_BYTES * 3 // 2
    host.restart()
    host.clock.pass_time(61)
    host.agent.step()
    assert len(halves) == 2
    assert set(server.stored) == set(numbered(6 * BATCH))
    assert len(batches_of(server)) == 7
    assert saved_offset(host) == 6 * BATCH_BYTES


def test_an_encoding_that_is_taken_no_more_is_replaced_once_for_the_whole_window(
    host: Host, server: IngestServer
) -> None:
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    arrivals.on_arrival[4] = lambda: server.encodings.remove("zstd")
    host.write(text(numbered(8 * BATCH)))
    host.agent.step()
    assert set(server.stored) == set(numbered(8 * BATCH))
    assert server.requests[-1].headers["content-encoding"] == "gzip"


@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_kill_repeats_the_same_batches(host: Host, server: IngestServer, number: int) -> None:
    """With the tracker as it is when a batch is stored before the ones before it are acknowledged."""
    tracker = host.storage_path / "tracker.json"
    kept: list[bytes | None] = []
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    arrivals.on_arrival[number] = lambda: kept.append(tracker.read_bytes() if tracker.exists() else None)
    host.write(text(numbered(6 * BATCH + 3)))
    host.flush()
    host.stop()
    tracker.unlink()
    if kept[0] is not None:
        tracker.write_bytes(kept[0])
    host.write(text(numbered(BATCH, since=6 * BATCH + 3)))
    host.start()
    host.flush()
    assert set(server.stored) == set(numbered(7 * BATCH + 3))
    # The end that was incomplete went with the lines written since.
    assert len(batches_of(server)) == 9
    assert saved_offset(host) == len(text(numbered(7 * BATCH + 3)))


def test_a_file_renamed_with_batches_on_their_way_is_read_on(host: Host, server: IngestServer) -> None:
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    path = host.storage_path / TODAY

    def rename() -> None:
        path.rename(path.with_name(f"{TODAY}.1"))
        path.write_bytes(text(numbered(BATCH, since=500)))

    arrivals.on_arrival[4] = rename
    host.write(text(numbered(8 * BATCH)))
    host.flush()
    host.flush()
    assert sorted(server.stored) == numbered(8 * BATCH) + numbered(BATCH, since=500)
    assert len(batches_of(server)) == 9


@pytest.mark.parametrize("has_copy", [True, False])
def test_a_file_emptied_with_batches_on_their_way_begins_again(
    host: Host, server: IngestServer, has_copy: bool
) -> None:
    """With a copy, as logrotate's copytruncate makes one, nothing is lost and nothing is sent twice."""
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    path = host.storage_path / TODAY

    def empty() -> None:
        if has_copy:
            shutil.copyfile(path, path.with_name(f"{TODAY}.1"))
        path.write_bytes(text(numbered(BATCH, since=500)))

    arrivals.on_arrival[4] = empty
    host.write(text(numbered(8 * BATCH)))
    for _ in range(4):
        host.flush()
    kept = numbered(8 * BATCH) if has_copy else numbered(5 * BATCH)
    assert set(server.stored) >= {*kept, *numbered(BATCH, since=500)}
    assert len(server.stored) == len(set(server.stored))
    batches_of(server)


def test_large_batches_are_on_their_way_up_to_a_bound_of_bytes(tmp_path: Path, server: IngestServer) -> None:
    host = Host(tmp_path, server, batch_size=2, concurrency=CONCURRENCY)
    line_bytes = 3 << 20
    under_way: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def note(source: str, body: bytes) -> Failure | None:
        with lock:
            under_way.append(1)
            most.append(len(under_way))
        return Failure(0, delay_seconds=0.1)

    def leave() -> None:
        with lock:
            under_way.pop()

    server.fails = note
    server.on_stored = leave
    host.write(text([b'{"n": %d, "x": "%s"}' % (number, b"x" * line_bytes) for number in range(12)]))
    host.agent.step()
    host.stop()
    assert len(server.stored) == 12
    assert max(most) <= 2


def test_files_are_delivered_beside_each_other(host: Host, server: IngestServer) -> None:
    names = [f"errata-2026-11-{day}.log" for day in (18, 19, 20, 21)]
    for number, name in enumerate(names):
        host.write(text(numbered(BATCH, since=100 * number)), name)
    met = threading.Barrier(3, timeout=MEETING_SECONDS)
    first = threading.Event()

    def meet(source: str, body: bytes) -> Failure | None:
        if first.is_set():
            met.wait()
        first.set()
        return None

    server.fails = meet
    host.agent.step()
    assert sorted(server.stored) == sorted(
        line for number in range(len(names)) for line in numbered(BATCH, since=100 * number)
    )
    assert len(server.requests) == len(names)


def test_a_disk_that_fails_under_a_window_loses_and_skips_nothing(host: Host, server: IngestServer) -> None:
    lines = numbered(8 * BATCH)
    server.rejects = lambda line: "invalid_item" if line == lines[2 * BATCH] else None
    obstacle = host.storage_path / "rejected"
    obstacle.write_text("in the way")
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}
    host.write(text(lines))
    with pytest.raises(OSError, match="rejected"):
        host.agent.step()
    assert offset_of(host) == 2 * BATCH_BYTES
    obstacle.unlink()
    host.agent.step()
    assert set(server.stored) == set(lines)
    assert len(batches_of(server)) == 8
    assert len(host.rejected()) == 1
    assert saved_offset(host) == 8 * BATCH_BYTES


def test_a_stop_settles_what_is_on_its_way(host: Host, server: IngestServer) -> None:
    arrivals = Arrivals(server)
    arrivals.waits_for = {1: 4}

    def stop() -> None:
        host.clock.is_stopping = True

    arrivals.on_arrival[4] = stop
    host.write(text(numbered(12 * BATCH)))
    host.agent.run()
    assert sorted(server.stored) == numbered(12 * BATCH)
    assert saved_offset(host) == 12 * BATCH_BYTES
    assert len(server.requests) == 12

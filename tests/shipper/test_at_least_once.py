"""Whatever happens to files, server and shipper: each complete line arrives, in order within its file."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from errata_wire.limits import LINE_MAX_BYTES
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer
from tests.shipper.set_aside import set_aside_lines

STATUSES = [400, 401, 404, 413, 415, 429, 500, 503]
NAMES = [TODAY, "errata-2026-11-20.log", "errata-2026-11-22.log"]
HEAD = b'{"head": "%s"}' % (b"x" * 1100)
BATCH_SIZE = 5
SHORT_PATIENCE_SECONDS = 0.03


class LineNumbers:
    """Lines that are all different, some of them long.

    They differ at their end too: of two files that begin alike, and are alike before the place up to which
    one of them was delivered, nobody can say which is which.
    """

    def __init__(self) -> None:
        self._count = 0

    def next(self, padding: int, kind: bytes = b"x") -> bytes:
        self._count += 1
        return b'{"n": %6d, "%s": "%s", "end": %6d}' % (self._count, kind, b"x" * padding, self._count)


class LogFile:
    """The model of one name's file. A life ends when the name leads to another content."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Complete lines of each life, as far as the shipper had the chance to read them.
        self.lives: list[list[bytes]] = [[]]
        self.half = b""

    def write(self, *lines: bytes) -> None:
        """Completes a half line instead of writing the first one."""
        for line in lines:
            self.write_raw((b"" if self.half else line) + b"\n")
            self.lives[-1].append(self.half or line)
            self.half = b""

    def write_raw(self, content: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(content)

    def begin_life(self) -> None:
        self.half = b""
        self.lives.append([])


class HostAndServer(RuleBasedStateMachine):
    # To end a watch takes the kernel longer than all the rest of a restart.
    @initialize(is_watching=st.sampled_from([False, False, False, True]), concurrency=st.sampled_from([1, 4]))
    def begin(self, is_watching: bool, concurrency: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="errata-shipper-"))
        self.server = IngestServer()
        self.server.rejects = _reason_to_reject
        self.server.poison = lambda line: b"poison" in line
        self.concurrency = concurrency
        self.host = Host(
            self.folder, self.server, is_watching, batch_size=BATCH_SIZE, concurrency=concurrency
        )
        self.numbers = LineNumbers()
        self.files = {name: LogFile(self.folder / name) for name in NAMES}
        # What no program wrote as a line, but what arrives as one: the rest of a line that a power cut tore.
        self.torn: set[bytes] = set()
        self.rotated_count = 0
        self.has_written_oversize = False

    names = st.sampled_from([TODAY, TODAY, *NAMES])
    paddings = st.lists(st.sampled_from([0, 0, 20, 3000]), min_size=1, max_size=12)

    @rule(name=names, paddings=paddings)
    def write(self, name: str, paddings: list[int]) -> None:
        self.files[name].write(*map(self.numbers.next, paddings))

    @rule(name=names)
    def write_half(self, name: str) -> None:
        file = self.files[name]
        if not file.half:
            file.half = self.numbers.next(50)
            file.write_raw(file.half)

    @rule(name=names, blank=st.sampled_from([b"\n", b" \n", b"\r\n"]))
    def write_blank(self, name: str, blank: bytes) -> None:
        if not self.files[name].half:
            self.files[name].write_raw(blank)

    @rule(name=names, kind=st.sampled_from([b"poison", b"rejected", b"\xff\xfe"]))
    def write_what_the_server_refuses(self, name: str, kind: bytes) -> None:
        self.files[name].write(self.numbers.next(10, kind))

    @precondition(lambda self: not self.has_written_oversize)
    @rule(name=names)
    def write_an_oversize_line(self, name: str) -> None:
        # Once, because it takes as long as all else.
        self.has_written_oversize = True
        self.files[name].write(self.numbers.next(LINE_MAX_BYTES))

    @rule()
    def look(self) -> None:
        self._step()

    @rule(seconds=st.sampled_from([1, 11, 400]))
    def let_time_pass(self, seconds: int) -> None:
        self.host.clock.pass_time(seconds)
        self._step()

    @rule(seconds=st.sampled_from([-1e9, -86_400, -3_600, 3_600, 86_400, 1e9]))
    def let_the_clock_jump(self, seconds: float) -> None:
        self.host.clock.error_seconds = seconds

    @rule(name=names, seconds=st.sampled_from([-1e9, -86_400, 86_400, 1e9]))
    def let_the_time_of_a_file_jump(self, name: str, seconds: float) -> None:
        path = self.files[name].path
        if path.exists():
            os.utime(path, (path.stat().st_mtime + seconds,) * 2)

    @rule(name=names)
    def rotate_by_rename(self, name: str) -> None:
        path = self.files[name].path
        if path.exists():
            path.rename(self._rotated(path))
            self.files[name].begin_life()

    @rule(name=names)
    def rotate_by_copy(self, name: str) -> None:
        path = self.files[name].path
        if path.exists():
            shutil.copyfile(path, self._rotated(path))
            self._truncate(name)

    @rule(name=names)
    def truncate_what_was_delivered(self, name: str) -> None:
        if self.files[name].path.exists():
            self._settle()
            self._truncate(name)

    @rule(name=names, paddings=paddings, further=st.sampled_from([0, 0, 1, 4]), has_head=st.booleans())
    def refill_what_was_delivered(self, name: str, paddings: list[int], further: int, has_head: bool) -> None:
        """To the same size, or beyond it; perhaps with the same beginning."""
        file = self.files[name]
        if file.path.exists():
            self._settle()
            self._truncate(name)
        head = [HEAD] if has_head else []
        file.write(*head, *map(self.numbers.next, paddings))
        self._settle()
        self._truncate(name)
        file.write(*head, *map(self.numbers.next, paddings), *map(self.numbers.next, [0] * further))

    @rule(name=names)
    def delete_what_was_delivered(self, name: str) -> None:
        if self.files[name].path.exists():
            self._settle()
            self.files[name].path.unlink()
            self.files[name].begin_life()

    @rule(name=names)
    def delete_what_is_open(self, name: str) -> None:
        """And not delivered yet, as far as the shipper has had a look at it."""
        if self.files[name].path.exists():
            self.server.failures.clear()
            self.host.clock.pass_time(400)
            self._step()
            self.files[name].write(self.numbers.next(0))
            self.files[name].path.unlink()
            self.files[name].begin_life()
            self._settle()

    @rule(name=names)
    def reuse_the_inode(self, name: str) -> None:
        """As far as the file system gives it out again."""
        path = self.files[name].path
        if path.exists():
            self._settle()
            self.host.stop()
            path.unlink()
            self.files[name].begin_life()
            self.files[name].write(self.numbers.next(20))
            self.host.start()

    @rule(name=names, count=st.sampled_from([1, 512, 5000]))
    def cut_the_power(self, name: str, count: int) -> None:
        """The file's end is zeros; a program that starts again writes its line twice, as the SDK does."""
        self.host.kill()
        file = self.files[name]
        line = self.numbers.next(0)
        self.torn |= {file.half, line} - {b""}
        file.half = b""
        file.write_raw(b"\0" * count + line + b"\n")
        file.write(line)

    @rule()
    def restart(self) -> None:
        self.host.restart()

    @rule()
    def kill(self) -> None:
        self.host.kill()

    @rule()
    def kill_between_storage_and_saving(self) -> None:
        """The tracker stays as it was when the next batch was stored."""
        tracker = self.folder / "tracker.json"
        before = tracker.read_bytes() if tracker.exists() else None
        self.host.clock.pass_time(11)
        self._step()
        if before is None:
            tracker.unlink(missing_ok=True)
        else:
            tracker.write_bytes(before)
        self.host.kill()

    @rule()
    def lose_the_tracker(self) -> None:
        (self.folder / "tracker.json").unlink(missing_ok=True)

    @rule(
        content=st.sampled_from(
            [b'{"version": 1, "files"', b"", b"\0" * 512, b'{"version": 99, "files": []}']
        )
    )
    def damage_the_tracker(self, content: bytes) -> None:
        self.host.kill()
        (self.folder / "tracker.json").write_bytes(content)
        self.host.kill()

    @rule(
        status=st.sampled_from(STATUSES),
        count=st.integers(1, 9),
        is_stored=st.booleans(),
        is_torn=st.booleans(),
        retry_after=st.sampled_from(["", "1", "30", "Sat, 21 Nov 2026 10:00:00 GMT"]),
    )
    def let_the_server_fail(
        self, status: int, count: int, is_stored: bool, is_torn: bool, retry_after: str
    ) -> None:
        # A refused line is set aside on the host, which another test counts; here each must arrive.
        if status in (400, 413):
            count = 1
        headers = {"Retry-After": retry_after} if retry_after else {}
        failure = Failure(status, headers, is_stored=is_stored, is_torn=is_torn)
        self.server.failures += [failure] * count

    @rule(count=st.integers(1, 3))
    def let_true_answers_come_torn(self, count: int) -> None:
        self.server.failures += [Failure(0, is_torn=True)] * count

    @rule()
    def let_an_answer_come_too_late(self) -> None:
        self.host.timeout_seconds = SHORT_PATIENCE_SECONDS
        self.host.restart()
        self.server.failures = [Failure(0, delay_seconds=SHORT_PATIENCE_SECONDS * 1.5)]
        self.host.clock.pass_time(11)
        self._step()
        self.host.timeout_seconds = 5.0
        self.host.restart()

    @rule()
    def let_nobody_listen(self) -> None:
        self.server.refuse_connections()
        self.host.clock.pass_time(11)
        self._step()
        self.server.listen()

    @rule(limit=st.sampled_from([1, 2, 10_000]))
    def limit_the_lines_of_a_batch(self, limit: int) -> None:
        self.server.line_limit = limit

    @rule(encodings=st.sampled_from([["zstd", "gzip", "identity"], ["gzip", "identity"], ["identity"]]))
    def take_these_encodings(self, encodings: list[str]) -> None:
        self.server.encodings = encodings

    @rule()
    def rotate_the_key(self) -> None:
        self.server.api_key += "0"
        self.host.clock.pass_time(11)
        self._step()
        self.host.settings = replace(self.host.settings, api_key=self.server.api_key)
        self.host.restart()

    @invariant()
    def nothing_unwritten_arrives(self) -> None:
        if hasattr(self, "server"):
            assert set(self.server.stored) <= {line for life in self._lives() for line in life} | self.torn

    def teardown(self) -> None:
        try:
            self._settle()
            arrived = first_arrivals(self.server.stored)
            set_aside = set(set_aside_lines(self.folder))
            for life in self._lives():
                # The first copy of a line counts: one that was torn too may have come before its time.
                lines = [line for line in life if line not in set_aside | self.torn]
                positions = [arrived.get(line) for line in lines]
                assert None not in positions
                in_order = sorted(lines, key=lambda line: arrived[line])
                # A line comes before others by no more than the batches that are on their way beside its own.
                most = (self.concurrency - 1) * BATCH_SIZE
                assert all(
                    abs(place - came) <= most
                    for place, came in zip(map(lines.index, in_order), range(len(lines)), strict=True)
                )
                assert {line for line in life if line in self.torn} <= arrived.keys() | set_aside
        finally:
            self.host.stop()
            self.server.stop()
            shutil.rmtree(self.folder)

    def _lives(self) -> Iterator[list[bytes]]:
        for file in self.files.values():
            yield from file.lives

    def _rotated(self, path: Path) -> Path:
        self.rotated_count += 1
        return path.with_name(f"{path.name}.{self.rotated_count}")

    def _step(self) -> None:
        self.host.agent.step()

    def _settle(self) -> None:
        """The server is well again and enough time passes."""
        self.server.failures.clear()
        for _ in range(4):
            self.host.clock.pass_time(400)
            self._step()

    def _truncate(self, name: str) -> None:
        os.truncate(self.files[name].path, 0)
        self.files[name].begin_life()


def _reason_to_reject(line: bytes) -> str | None:
    try:
        return "invalid_item" if "rejected" in line.decode() else None
    except UnicodeDecodeError:
        return "invalid_json"


def first_arrivals(lines: list[bytes]) -> dict[bytes, int]:
    arrived: dict[bytes, int] = {}
    for position, line in enumerate(lines):
        arrived.setdefault(line, position)
    return arrived


TestAtLeastOnce = pytest.mark.slow(HostAndServer.TestCase)
# A tenth of a second each: all of it is tried often, and the rare meetings of three of them by longer runs.
TestAtLeastOnce.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)

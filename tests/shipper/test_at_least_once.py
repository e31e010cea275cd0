"""Whatever happens to files, server and shipper: each complete line arrives, in order within its file."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import Failure, IngestServer

STATUSES = [400, 401, 404, 413, 415, 429, 500, 503]


class LineNumbers:
    """Lines that are all different, some of them long."""

    def __init__(self) -> None:
        self._count = 0

    def next(self, padding: int) -> bytes:
        self._count += 1
        return b'{"n": %d, "x": "%s"}' % (self._count, b"x" * padding)


class HostAndServer(RuleBasedStateMachine):
    """A model of one log file's life. `life` counts how often the file began anew."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="errata-shipper-"))
        self.server = IngestServer()
        self.host = Host(self.folder, self.server, batch_size=5)
        self.numbers = LineNumbers()
        # Complete lines of each file's life, as far as the shipper had the chance to read them.
        self.lives: list[list[bytes]] = [[]]
        self.half = b""
        self.rotated_count = 0
        self.unseen_since = 0

    @property
    def path(self) -> Path:
        return self.folder / TODAY

    @rule(paddings=st.lists(st.sampled_from([0, 0, 20, 3000]), min_size=1, max_size=12))
    def write(self, paddings: list[int]) -> None:
        for padding in paddings:
            line = self.numbers.next(padding)
            self.host.write((b"" if self.half else line) + b"\n")
            self.lives[-1].append(self.half or line)
            self.half = b""

    @precondition(lambda self: not self.half)
    @rule()
    def write_half(self) -> None:
        self.half = self.numbers.next(50)
        self.host.write(self.half)

    @rule()
    def write_blank(self) -> None:
        if not self.half:
            self.host.write(b"\n")

    @rule()
    def look(self) -> None:
        self._step()

    @rule(seconds=st.sampled_from([1, 11, 400]))
    def let_time_pass(self, seconds: int) -> None:
        self.host.clock.pass_time(seconds)
        self._step()

    @rule()
    def rotate_by_rename(self) -> None:
        if self.path.exists():
            self.rotated_count += 1
            self.path.rename(self.folder / f"{TODAY}.{self.rotated_count}")
            self._begin_life()

    @rule()
    def rotate_by_copy(self) -> None:
        if self.path.exists():
            self.rotated_count += 1
            shutil.copyfile(self.path, self.folder / f"{TODAY}.{self.rotated_count}")
            self._truncate()

    @rule()
    def truncate_what_was_delivered(self) -> None:
        if self.path.exists():
            self._settle()
            self._truncate()

    @rule()
    def delete_what_was_delivered(self) -> None:
        if self.path.exists():
            self._settle()
            self.path.unlink()
            self._begin_life()

    @rule()
    def restart(self) -> None:
        self.host.restart()

    @rule()
    def lose_the_tracker(self) -> None:
        (self.folder / "tracker.json").unlink(missing_ok=True)

    @rule()
    def damage_the_tracker(self) -> None:
        (self.folder / "tracker.json").write_bytes(b'{"version": 1, "files"')
        self.host.restart()

    @rule(
        status=st.sampled_from(STATUSES),
        count=st.integers(1, 9),
        is_stored=st.booleans(),
        is_torn=st.booleans(),
    )
    def let_the_server_fail(self, status: int, count: int, is_stored: bool, is_torn: bool) -> None:
        # A refused line is set aside on the host, which another test counts; here each must arrive.
        if status in (400, 413):
            count = 1
        self.server.failures += [Failure(status, is_stored=is_stored, is_torn=is_torn)] * count

    @invariant()
    def nothing_unwritten_arrives(self) -> None:
        if hasattr(self, "server"):
            written = {line for life in self.lives for line in life}
            assert set(self.server.stored) <= written

    def teardown(self) -> None:
        try:
            self._settle()
            arrived = first_arrivals(self.server.stored)
            set_aside = set(set_aside_lines(self.folder))
            for life in self.lives:
                positions = [arrived.get(line) for line in life if line not in set_aside]
                assert None not in positions
                assert positions == sorted(positions, key=lambda position: position or 0)
        finally:
            self.host.stop()
            self.server.stop()
            shutil.rmtree(self.folder)

    def _step(self) -> None:
        self.host.agent.step()

    def _settle(self) -> None:
        """The server is well again and enough time passes."""
        self.server.failures.clear()
        for _ in range(4):
            self.host.clock.pass_time(400)
            self._step()

    def _truncate(self) -> None:
        os.truncate(self.path, 0)
        self._begin_life()

    def _begin_life(self) -> None:
        self.half = b""
        self.lives.append([])


def set_aside_lines(folder: Path) -> Iterator[bytes]:
    for path in (folder / "rejected").glob("*.ndjson"):
        for record in path.read_text().splitlines():
            yield json.loads(record)["line"].encode()


def first_arrivals(lines: list[bytes]) -> dict[bytes, int]:
    arrived: dict[bytes, int] = {}
    for position, line in enumerate(lines):
        arrived.setdefault(line, position)
    return arrived


TestAtLeastOnce = HostAndServer.TestCase
TestAtLeastOnce.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)

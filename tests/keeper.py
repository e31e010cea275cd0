"""ZooKeeper, out of Debian's package, as the Keeper of replicas."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.processes import free_port

JARS = Path("/usr/share/java")
# The first names what it needs.
OWN_JARS = ("zookeeper", "slf4j-simple")
MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
STARTED_WITHIN_SECONDS = 30


def is_installed() -> bool:
    return shutil.which("java") is not None and any(JARS.glob("zookeeper-3*.jar"))


@dataclass
class Keeper:
    directory: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Returns once it answers."""
        configuration = self.directory / "zoo.cfg"
        jars = ":".join(f"{JARS}/{name}.jar" for name in OWN_JARS)
        with (self.directory / "zookeeper.log").open("ab") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx256m", "-Dzookeeper.forceSync=no", "-cp", jars, MAIN, str(configuration)],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + STARTED_WITHIN_SECONDS
        while self._asked(b"ruok") != b"imok":
            assert time.monotonic() < deadline and self.process.poll() is None, "ZooKeeper did not start"
            time.sleep(0.1)

    def _asked(self, word: bytes) -> bytes:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(word)
                return connection.recv(4)
        except OSError:
            return b""

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait()


class Line:
    """A way to a port of this machine that can be cut, and is whole again afterwards."""

    def __init__(self, to: int) -> None:
        self.port = free_port()
        self._to = to
        self._open: list[socket.socket] = []
        self.mend()

    def mend(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def cut(self) -> None:
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                one = listening.accept()[0]
                with suppress(OSError):
                    other = socket.create_connection(("127.0.0.1", self._to))
                    self._open += [one, other]
                    for ends in ((one, other), (other, one)):
                        threading.Thread(target=_pass_on, args=ends, daemon=True).start()
                    continue
                one.close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def running_keeper(directory: Path) -> Iterator[Keeper]:
    """One that is gone afterwards."""
    directory.mkdir(parents=True)
    port = free_port()
    (directory / "zoo.cfg").write_text(
        f"tickTime=2000\ndataDir={directory}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
        "admin.enableServer=false\n4lw.commands.whitelist=ruok\nmaxClientCnxns=0\n"
    )
    found = Keeper(directory, port)
    found.start()
    try:
        yield found
    finally:
        found.kill()

"""ZooKeeper, out of Debian's package, as the Keeper of replicas."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port

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

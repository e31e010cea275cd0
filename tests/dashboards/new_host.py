"""A host where nothing of ours is installed, and a user who pastes the commands of a page."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

# All that the shipper needs of others, without what pip would take for installed distributions.
NEEDED = ("backports", "h11", "urllib3", "yaml", "_yaml")


class NewHost:
    """pip has no package index here, so what the shipper needs is on the path."""

    def __init__(self, folder: Path, address: str) -> None:
        self.home = folder / "home"
        self.logs = folder / "logs"
        self.home.mkdir()
        needed = folder / "needed"
        needed.mkdir()
        for name in NEEDED:
            (needed / name).symlink_to(Path(sysconfig.get_path("purelib")) / name)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHON": sys.executable,
            "PYTHONPATH": str(needed),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
        }
        self._address = address

    def command(self, shown: str) -> str:
        """As shown, for the service of the test and a directory that this user may write to."""
        return shown.replace("http://testserver", self._address).replace("/var/log/errata", str(self.logs))

    def run(self, shown: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-c", self.command(shown)],
            cwd=self.home,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )

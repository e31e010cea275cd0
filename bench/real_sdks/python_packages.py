"""SDKs for Python: the one of this environment, and older ones in folders of their own."""

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.real_sdks.sdk import PROGRAMS, NotInstalled, Sdk


class PythonPackages:
    names = ("sentry-sdk", "sentry-sdk 1", "raven")

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sdks(self) -> Iterator[Sdk | tuple[str, NotInstalled]]:
        program = str(shutil.copy(PROGRAMS / "sentry_sdk_program.py", self._folder))
        version = importlib.metadata.version("sentry-sdk")
        yield Sdk("sentry-sdk", "Python", version, [sys.executable, program])
        for label, wanted, name, source in (
            ("sentry-sdk 1", "sentry-sdk<2", "sentry_sdk", "sentry_sdk_program.py"),
            ("raven", "raven", "raven", "raven_program.py"),
        ):
            try:
                yield self._older(label, wanted, name, source)
            except NotInstalled as reason:
                yield label, reason

    def _older(self, label: str, wanted: str, name: str, source: str) -> Sdk:
        packages = self._folder / label.replace(" ", "-")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages), wanted]
        installed = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if not (packages / name).is_dir():
            raise NotInstalled(f"pip: {installed.stderr.strip().splitlines()[-1:]}")
        (found,) = importlib.metadata.distributions(name=wanted.partition("<")[0], path=[str(packages)])
        program = str(shutil.copy(PROGRAMS / source, self._folder))
        environment = {"PYTHONPATH": str(packages), "PYTHONWARNINGS": "ignore"}
        return Sdk(label, "Python", found.version, [sys.executable, program], environment, label != "raven")

"""Does in a directory of its own what a page of the docs says, command by command."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def blocks(page: str, section: str, values: Mapping[str, str]) -> list[str]:
    """The commands of a section, with values of a test in place of the page's own."""
    text = (DOCS / page).read_text().partition(f"## {section}\n")[2].partition("\n## ")[0]
    for written, value in values.items():
        assert written in text
        text = text.replace(written, value)
    found = [dedent(block) for block in BLOCK.findall(text)]
    assert found and all("…" not in block for block in found)
    return found


class Shell:
    """Runs commands after those of `preparation`, in the same environment each time."""

    def __init__(self, directory: Path, preparation: str, settings: Mapping[str, str] | None = None) -> None:
        self._directory = directory
        self._preparation = preparation
        self._settings = settings or {}

    def run(self, commands: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._shell(commands),
            cwd=self._directory,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def running(self, command: str) -> Iterator[None]:
        process = subprocess.Popen(
            self._shell(command),
            cwd=self._directory,
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
            assert process.poll() is None
        finally:
            process.terminate()
            process.wait(60)

    def _shell(self, commands: str) -> list[str]:
        *first, last = commands.strip().splitlines()
        if "<<" not in commands:
            # The last command takes the shell's place, so that it gets the shell's signals.
            assigned, command = re.fullmatch(r"((?:\w+=\S+ )?)(.*)", last).groups()  # type: ignore[union-attr]
            last = f"{assigned}exec {command}"
        return ["bash", "-ec", "\n".join([self._preparation, *first, last])]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {**kept, "PATH": path, **self._settings}

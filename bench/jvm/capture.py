"""Runs the Java programs beside this file and keeps the stacks they print. `python -m bench.jvm.capture`

Needs a JDK of version 17 or later, Guava, commons-lang3 and commons-io (Debian: `default-jdk-headless`,
`libguava-java`, `libcommons-lang3-java`, `libcommons-io-java`).
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from zlib import crc32

SOURCES = Path(__file__).with_name("src")
DATA = Path(__file__).parents[2] / "tests" / "data" / "java_stacks.jsonl.gz"
LIBRARIES = ":".join(
    f"/usr/share/java/{name}.jar" for name in ("guava", "commons-lang3", "commons-io-2.11.0")
)
PROGRAMS = (
    "shop.Shop",
    "ledger.Ledger",
    "calc.Calc",
    "importer.Importer",
    "jobs.Jobs",
    "chatter.Chatter",
    "flow.Flow",
)


class Server(NamedTuple):
    """A build of the programs and the settings of the JVM it runs in."""

    name: str
    is_later: bool
    compiler: tuple[str, ...]
    machine: tuple[str, ...]
    # Of a hundred stacks.
    share: int


SERVERS = (
    Server("first release", False, ("-g",), (), 40),
    Server("later release", True, (), (), 30),
    Server("later release, plain messages", True, (), ("-XX:-ShowCodeDetailsInExceptionMessages",), 15),
    Server(
        "first release, hidden frames",
        False,
        ("-g",),
        ("-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames"),
        15,
    ),
)


def later(source: str) -> str:
    """Other line numbers, and other numbers of lambdas."""
    source = re.sub(r"^import lab", "// A later release.\n\n\nimport lab", source, flags=re.MULTILINE)
    source = source.replace(
        "register(Lab lab) {", "register(Lab lab) {\n Runnable first = () -> {}; first.run();"
    )
    return re.sub(
        r"^(    static final class \w+ (?:implements \w+ )?\{)$",
        r"// Moved down.\n\n\1",
        source,
        flags=re.MULTILINE,
    )


def printed(server: Server, folder: Path) -> str:
    sources = []
    for path in SOURCES.glob("*/*.java"):
        copied = folder / "src" / path.relative_to(SOURCES)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(later(path.read_text()) if server.is_later else path.read_text())
        sources.append(str(copied))
    classes = str(folder / "classes")
    subprocess.run(["javac", *server.compiler, "-cp", LIBRARIES, "-d", classes, *sources], check=True)
    java = ["java", *server.machine, "-cp", f"{classes}:{LIBRARIES}", "lab.Lab", *PROGRAMS]
    return subprocess.run(java, check=True, capture_output=True, text=True).stdout


def stacks(server: Server) -> Iterator[tuple[str, str, str]]:
    with TemporaryDirectory() as folder:
        out = printed(server, Path(folder))
    for number, section in enumerate(out.split("### ")[1:]):
        head, _, stack = section.partition("\n")
        if "did not fail" in stack:
            raise ValueError(head)
        bug, _, way = head.partition(" | ")
        yield (
            f"{number} {head}",
            json.dumps({"bug": bug, "way": way, "server": server.name, "stack": stack}),
            head,
        )


def main() -> None:
    lines = []
    lower = 0
    for server in SERVERS:
        upper = lower + server.share
        lines += [line for key, line, _ in stacks(server) if lower <= crc32(key.encode()) % 100 < upper]
        lower = upper
    DATA.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    print(f"{len(lines)} stacks, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()

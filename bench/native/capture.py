"""Crashes the program beside this file under gdb and keeps its stacks. `python -m bench.native.capture`

Needs `g++` and `gdb`.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SOURCE = Path(__file__).with_name("crashes.cpp")
DATA = Path(__file__).parents[2] / "tests" / "data" / "native_crashes.jsonl.gz"
PATHS = ("thread", "callback", "request")
LEVELS = ("-O0", "-O2")
_BUG = re.compile(r'if \(name == "([^"]+)"\)')
_SIGNAL = re.compile(r"received signal (SIG\w+), (.+)\.")
_FRAME = re.compile(
    r"#\d+ +(?:(0x[0-9a-f]+) in )?(.+?) \(.*?\)(?: at (\S+?):(\d+)| from (\S+))?$", re.MULTILINE
)


def crash(program: Path, bug: str, path: str) -> dict[str, Any]:
    commands = ("set debuginfod enabled off", "set print frame-arguments none", "run", "bt 60")
    options = [option for command in commands for option in ("-ex", command)]
    limited = f'ulimit -s 1024; exec gdb -batch -nx {" ".join(f"{one!r}" for one in options)} --args "$@"'
    run = ["bash", "-c", limited, "gdb", str(program), bug, path]
    printed = subprocess.run(run, check=False, capture_output=True, text=True).stdout
    signal = _SIGNAL.search(printed)
    if signal is None:
        raise ValueError(f"{bug} did not crash by {path}")
    frames = [_frame(match) for match in _FRAME.finditer(printed)]
    return {
        "type": signal[1],
        "value": signal[2],
        "mechanism": {"type": "signalhandler", "synthetic": True, "handled": False},
        "stacktrace": {"frames": frames[::-1]},
    }


def _frame(match: re.Match[str]) -> dict[str, Any]:
    address, function, file, line, package = match.groups()
    sent: dict[str, Any] = {"instruction_addr": address} if address else {}
    if function != "??":
        sent["function"] = function
    if file:
        sent |= {"filename": file, "lineno": int(line)}
    if package:
        sent["package"] = package
    return sent


def captured() -> Iterator[str]:
    bugs = dict.fromkeys(_BUG.findall(SOURCE.read_text()))
    with TemporaryDirectory() as folder:
        for level in LEVELS:
            program = Path(folder) / f"crashes{level}"
            options = ["-g", level, "-std=c++17", "-pthread", "-fno-optimize-sibling-calls"]
            subprocess.run(["g++", *options, SOURCE.name, "-o", program], cwd=SOURCE.parent, check=True)
            for bug in bugs:
                for path in PATHS:
                    exception = crash(program, bug, path)
                    extra = {"case": bug, "path": path, "level": level}
                    yield json.dumps(
                        {"platform": "native", "exception": {"values": [exception]}, "extra": extra}
                    )


def main() -> None:
    lines = list(captured())
    DATA.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    print(f"{len(lines)} crashes, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Whether Errata can run on this machine."""

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from errata import __version__
from errata.doctor.finding import Finding
from errata.up.answers import answers
from errata.up.ports import free_port

ENGINE = "26.9.0"
ENGINE_ANSWERS_WITHIN_SECONDS = 30


def versions() -> Iterator[Finding]:
    python = platform.python_version()
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    yield Finding("python", python, "" if supported else "Use Python 3.11, 3.12 or 3.13")
    yield Finding("errata", __version__)
    try:
        engine = importlib.metadata.version("chdb-core")
    except importlib.metadata.PackageNotFoundError:
        yield Finding("engine", "chdb-core is not installed", "Run `make setup`")
        return
    yield Finding("engine", f"chdb-core {engine}", "" if engine == ENGINE else f"Install chdb-core {ENGINE}")


def ports() -> Iterator[Finding]:
    try:
        yield Finding("ports", f"127.0.0.1:{free_port()} is available")
    except OSError as error:
        yield Finding("ports", str(error), "Allow this user to open ports on 127.0.0.1")


def engine_starts() -> Finding:
    """Starts it for a moment, in a directory of its own."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="errata-doctor-") as temporary:
        command = [
            sys.executable,
            "-m",
            "errata.warehouse.listener",
            "--data",
            temporary,
            "--port",
            str(port),
        ]
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)
        try:
            while time.monotonic() - began < ENGINE_ANSWERS_WITHIN_SECONDS and process.poll() is None:
                if answers(f"http://127.0.0.1:{port}/ping"):
                    return Finding("engine", f"responded after {time.monotonic() - began:.1f} s")
                time.sleep(0.1)
        finally:
            process.kill()
            _, complaint = process.communicate()
    said = complaint.decode(errors="replace").strip().splitlines()[-1:] or ["no response"]
    return Finding(
        "engine", said[0], "Reinstall with `make setup`; the wheel needs Linux on x86-64 or aarch64"
    )

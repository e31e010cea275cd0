"""The shortest proof that wheels work where nothing else is installed."""

import signal
import subprocess
import tempfile
import time
from pathlib import Path

from release.building import archives_of
from release.command import clean_environment, run
from release.distributions import SDK, SERVER, SHIPPER, WIRE, Distribution
from release.environment import Environment
from release.errors import ReleaseRefused
from release.locked import Locked

READY_WITHIN_SECONDS = 120
CAPTURES = """
import sys, errata_sdk, sentry_sdk
errata_sdk.init("errata_app_of_a_release", sys.argv[1])
sentry_sdk.capture_exception(ValueError("from a release"))
sentry_sdk.flush()
"""


def try_host(python: Path, wheels: Path, version: str, locked: Locked) -> None:
    """Shipper and SDK: the one says its version, the other writes an error to a file."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = _environment(Path(temporary), python, wheels, version, locked, WIRE, SHIPPER, SDK)
        _expect(run(environment.program("errata-shipper"), "--version"), f"errata-shipper {version}")
        logs = Path(temporary) / "logs"
        run(environment.python, "-I", "-c", CAPTURES, logs)
        written = "".join(path.read_text() for path in logs.glob("errata-*.log"))
        _expect(written, "from a release")


def try_server(python: Path, wheels: Path, version: str, locked: Locked, *, starts: bool) -> None:
    """`starts` runs the whole service once, too."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = _environment(Path(temporary), python, wheels, version, locked, WIRE, SHIPPER, SERVER)
        errata = environment.program("errata")
        _expect(run(errata, "--version"), f"errata {version}")
        _expect(run(errata, "doctor", "--help"), "usage: errata doctor")
        if starts:
            _run_service(errata, Path(temporary))


def _environment(
    folder: Path, python: Path, wheels: Path, version: str, locked: Locked, *distributions: Distribution
) -> Environment:
    environment = Environment(folder / "venv", locked)
    environment.create(python)
    environment.install(*(str(archives_of(wheels, one, version)[0]) for one in distributions))
    return environment


def _run_service(errata: Path, folder: Path) -> None:
    data, log = folder / "data", folder / "up.log"
    with log.open("w") as written:
        service = subprocess.Popen(
            [errata, "up", "--data", data, "--port", "0"],
            cwd=folder, env=clean_environment(), stdout=written, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _wait_until_ready(service, log)
            run(errata, "healthcheck", "--data", data)
        finally:
            service.send_signal(signal.SIGTERM)
            code = service.wait(60)
    if code:
        raise ReleaseRefused(f"errata up ended with {code} when it was stopped:\n{_end_of(log)}")


def _wait_until_ready(service: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while "ready at" not in log.read_text():
        if service.poll() is not None or time.monotonic() > deadline:
            raise ReleaseRefused(f"errata up didn't become ready:\n{_end_of(log)}")
        time.sleep(0.2)


def _end_of(log: Path) -> str:
    return log.read_text()[-2000:]


def _expect(text: str, part: str) -> None:
    if part not in text:
        raise ReleaseRefused(f"expected {part!r}, not {text[:500]!r}")

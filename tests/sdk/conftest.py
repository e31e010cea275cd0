import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sentry_sdk

Lines = Callable[[], list[dict[str, Any]]]
Run = Callable[..., subprocess.CompletedProcess[str]]

OUR_PATH = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

SESSION = """
import sys, sentry_sdk, errata_sdk
transport = errata_sdk.init("errata_app_test", sys.argv[1], auto_enabling_integrations=False)
{body}
print(transport.log_file.written_count, transport.log_file.lost_count)
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def lines(logs: Path) -> Lines:
    def read() -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for file in sorted(logs.glob("*.log*"))
            for line in file.read_bytes().splitlines()
        ]

    return read


@pytest.fixture
def run_script(logs: Path, tmp_path: Path) -> Run:
    """Run a program whose first argument is the folder of the logs."""

    def run(
        body: str, *arguments: str, frame: str = SESSION, folder: Path = logs, command: Iterable[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "script.py"
        script.write_text(frame.format(body=body))
        finished = subprocess.run(
            [*command, sys.executable, str(script), str(folder), *arguments],
            env={**os.environ, **OUR_PATH},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert finished.returncode == 0, finished.stderr
        return finished

    return run


@pytest.fixture(autouse=True)
def sentry_is_left_as_it_was() -> Iterator[None]:
    yield
    sentry_sdk.get_client().close(timeout=0)
    sentry_sdk.get_global_scope().set_client(None)
    sentry_sdk.get_global_scope().clear()
    sentry_sdk.get_isolation_scope().clear()
    sentry_sdk.get_current_scope().clear()

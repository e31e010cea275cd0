"""The shipper as operators run it: a process, its exit code, its two streams."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.shipper.hosts import TODAY
from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "shipper")}


def may_do_everything() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.touch(mode=0)
        return os.access(secret, os.R_OK)


# A shipper that root starts may read and write everything, unless it is started without that privilege.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if may_do_everything() else []
needs_permissions = pytest.mark.skipif(
    bool(UNPRIVILEGED) and shutil.which("setpriv") is None, reason="this user may read and write everything"
)


class Installation:
    """A configuration file and a storage path, and the processes started with them."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.config = folder / "errata.yaml"
        self.storage_path = folder / "logs"
        self.storage_path.mkdir()
        self.log = self.storage_path / TODAY
        # What the processes are started by.
        self.prefix: list[str] = []
        self._base_url = base_url
        self._started: list[subprocess.Popen[str]] = []
        self.configure()

    def configure(self, **fields: object) -> None:
        values = {
            "apiKey": API_KEY,
            "appKey": APP_KEY,
            "storagePath": self.storage_path,
            "baseUrl": self._base_url,
            "flushInterval": "50ms",
            **fields,
        }
        fields_text = "".join(f"  {name}: {value}\n" for name, value in values.items() if value is not None)
        self.config.write_text(f"errata:\n{fields_text}")
        self.config.chmod(0o600)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self.prefix, sys.executable, "-m", "errata_shipper", "--config", str(self.config), *arguments],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=30,
        )

    def record(self, *arguments: str) -> "subprocess.Popen[str]":
        return self._start("-m", "errata_shipper", "--config", str(self.config), "--record", *arguments)

    def stop_all(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()

    def _start(self, *command: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*self.prefix, sys.executable, *command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
        )
        self._started.append(process)
        return process


@pytest.fixture
def installation(tmp_path: Path, server: IngestServer) -> Iterator[Installation]:
    made = Installation(tmp_path, server.base_url)
    yield made
    made.stop_all()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lines_numbered(since: int, until: int) -> list[bytes]:
    return [b'{"n": %d}' % number for number in range(since, until)]


def test_a_shipper_killed_at_any_moment_loses_nothing(
    installation: Installation, server: IngestServer
) -> None:
    chance = random.Random(7)
    written: list[bytes] = []
    for is_first in (True, *[False] * 7):
        process = installation.record()
        for _ in range(chance.randrange(3, 30)):
            new = lines_numbered(len(written), len(written) + chance.randrange(1, 60))
            with installation.log.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in new))
            written += new
            time.sleep(chance.random() * 0.03)
        if is_first:
            wait_until(lambda: bool(server.stored))
        process.kill()
        process.communicate()
    process = installation.record()
    wait_until(lambda: set(server.stored) == set(written))
    process.terminate()
    assert process.wait(10) == 0
    first_arrivals = list(dict.fromkeys(server.stored))
    assert first_arrivals == written


def test_a_shipper_killed_between_storage_and_answer_repeats_the_same_batch(
    installation: Installation, server: IngestServer
) -> None:
    installation.log.write_bytes(b'{"n": 1}\n{"n": 2}\n')
    process = installation.record()
    server.on_stored = process.kill
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    server.on_stored = lambda: None
    process = installation.record()
    wait_until(lambda: len(server.requests) == 2)
    process.terminate()
    assert process.wait(10) == 0
    assert server.requests[0].batch_id == server.requests[1].batch_id
    assert server.requests[0].lines == server.requests[1].lines


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_flushes_and_ends_well(
    installation: Installation, server: IngestServer, number: signal.Signals
) -> None:
    installation.configure(flushInterval="1h")
    installation.log.write_bytes(b'{"n": 1}\n{"n": 2}\nhalf')
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    assert server.stored == []
    process.send_signal(number)
    _, messages = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Batch sent: 2 events" in messages
    assert server.stored == [b'{"n": 1}', b'{"n": 2}']


def test_a_stop_does_not_wait_for_a_server_that_hangs(
    installation: Installation, server: IngestServer
) -> None:
    arrived, may_answer = threading.Event(), threading.Event()

    def hang() -> None:
        arrived.set()
        may_answer.wait(20)

    server.on_stored = hang
    installation.configure(timeout="1s")
    installation.log.write_bytes(b'{"n": 1}\n')
    process = installation.record()
    assert arrived.wait(20)
    process.terminate()
    assert process.wait(10) == 0
    may_answer.set()


def test_a_second_shipper_on_the_same_directory_says_so_and_ends(installation: Installation) -> None:
    first = installation.record()
    assert first.stderr is not None
    while "Starting shipper..." not in first.stderr.readline():
        pass
    second = installation.run("--record")
    assert second.returncode == 6
    assert f"another shipper (process {first.pid}) holds {installation.storage_path}" in second.stderr
    first.kill()
    first.communicate()
    third = installation.record()
    assert third.stderr is not None
    assert "Starting shipper..." in third.stderr.readline()


def test_verbose_recording_tells_of_each_request(installation: Installation, server: IngestServer) -> None:
    installation.configure(logLevel="warn")
    installation.log.write_bytes(b'{"n": 1}\n')
    process = installation.record("--verbose")
    wait_until(lambda: server.stored != [])
    process.terminate()
    _, messages = process.communicate(timeout=10)
    for message in ("Starting shipper...", "Connected to errata", "Batch sent: 1 events"):
        assert any(line.endswith(message) for line in messages.splitlines())
    assert f"batch {server.requests[0].batch_id}: {TODAY} bytes 0 to 9, 1 lines" in messages


def test_a_quiet_shipper_says_nothing_while_all_is_well(
    installation: Installation, server: IngestServer
) -> None:
    installation.configure(logLevel="warn")
    installation.log.write_bytes(b'{"n": 1}\n')
    process = installation.record()
    wait_until(lambda: server.stored != [])
    process.terminate()
    _, messages = process.communicate(timeout=10)
    assert messages == ""


def test_the_connection_test_names_each_check(installation: Installation) -> None:
    tested = installation.run("--test")
    assert tested.returncode == 0
    assert [line.split("  ")[0].split()[0] for line in tested.stdout.splitlines()] == ["ok"] * 5
    for name in ("Write access", "DNS", "Connection", "API key", "Application key"):
        assert name in tested.stdout
    assert "organization Acme" in tested.stdout
    assert tested.stderr == ""


@pytest.mark.parametrize(
    ("fields", "exit_code", "said"),
    [
        ({"apiKey": "errata_api_wrong"}, 5, "Authentication failed: Invalid API Key"),
        ({"appKey": "errata_app_wrong"}, 5, "Application Not Found"),
        ({"baseUrl": "http://127.0.0.1:9"}, 4, "Connection refused"),
        ({"baseUrl": "https://errata.invalid"}, 4, "DNS              Host name not found"),
        ({"storagePath": "/nowhere/logs"}, 3, "Storage path not found"),
    ],
)
def test_the_connection_test_names_what_fails(
    installation: Installation, fields: dict[str, str], exit_code: int, said: str
) -> None:
    installation.configure(**fields)
    tested = installation.run("--test")
    assert tested.returncode == exit_code
    (failed,) = [line for line in tested.stdout.splitlines() if line.startswith("failed")]
    assert said in failed


def test_a_server_without_tls_behind_https_is_named(installation: Installation, server: IngestServer) -> None:
    installation.configure(baseUrl=server.base_url.replace("http:", "https:"))
    tested = installation.run("--test")
    assert tested.returncode == 4
    assert "TLS" in tested.stdout
    assert "the server speaks no TLS on this port" in tested.stdout


def test_status_can_be_asked_before_while_and_without_a_key(
    installation: Installation, server: IngestServer
) -> None:
    installation.log.write_bytes(b'{"n": 1}\n{"n": 2}\n')
    before = installation.run("--status")
    assert before.returncode == 0
    assert "shipper        not running\nlast delivery  none\n" in before.stdout
    process = installation.record()
    wait_until((installation.storage_path / "tracker.json").exists)
    installation.configure(apiKey="${NOT_SET_IN_THIS_TERMINAL}")
    during = installation.run("--status", "--json")
    assert (during.returncode, during.stderr) == (0, "")
    status = json.loads(during.stdout)
    assert status["shipper"] == {"is_running": True, "process": process.pid}
    assert status["total"]["position_bytes"] == 18
    process.terminate()
    assert process.wait(10) == 0


def test_an_answer_that_is_not_read_to_its_end_is_no_error(installation: Installation) -> None:
    for number in range(1500):
        (installation.storage_path / f"{TODAY}.{number}").touch()
    process = subprocess.Popen(
        [sys.executable, "-m", "errata_shipper", "--config", str(installation.config), "--status"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(10) == 0


@pytest.mark.parametrize("action", ["--record", "--status"])
def test_a_missing_storage_path_is_named(installation: Installation, action: str) -> None:
    installation.configure(storagePath="/nowhere/logs")
    ended = installation.run(action)
    assert ended.returncode == 3
    assert "Storage path not found\n" in ended.stderr
    assert "/nowhere/logs: create it" in ended.stderr


@pytest.mark.parametrize("action", ["--record", "--status"])
def test_a_storage_path_that_is_no_directory_is_not_accessible(
    installation: Installation, action: str
) -> None:
    installation.configure(storagePath=installation.config)
    ended = installation.run(action)
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert "the shipper's user, read and write access" in ended.stderr


@needs_permissions
def test_a_file_that_becomes_unreadable_holds_back_no_other(
    installation: Installation, server: IngestServer
) -> None:
    installation.prefix = UNPRIVILEGED
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    secret = installation.storage_path / "errata-2026-11-20.log"
    secret.touch(mode=0o200)
    secret.write_bytes(b'{"n": 1}\n')
    installation.log.write_bytes(b'{"n": 2}\n')
    wait_until(lambda: server.stored == [b'{"n": 2}'])
    secret.chmod(0o600)
    wait_until(lambda: server.stored == [b'{"n": 2}', b'{"n": 1}'])
    process.terminate()
    _, messages = process.communicate(timeout=10)
    assert messages.count("Storage path not accessible") == 1


@needs_permissions
@pytest.mark.parametrize(
    ("mode", "said"),
    [(0o500, "Permission denied writing tracker.json; give "), (0o000, "Permission denied; give ")],
)
def test_a_storage_path_that_may_not_be_used_is_named(
    installation: Installation, mode: int, said: str
) -> None:
    installation.prefix = UNPRIVILEGED
    installation.storage_path.chmod(mode)
    ended = installation.run("--record")
    installation.storage_path.chmod(0o700)
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert f"{installation.storage_path}: {said}" in ended.stderr


@needs_permissions
def test_logs_that_may_not_be_read_are_named(installation: Installation) -> None:
    installation.prefix = UNPRIVILEGED
    installation.log.touch(mode=0o200)
    ended = installation.run("--record")
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert f"{installation.log}: Permission denied reading logs; give " in ended.stderr
    (installation.storage_path / "rejected").mkdir(mode=0)
    status = installation.run("--status")
    (installation.storage_path / "rejected").chmod(0o700)
    assert status.returncode == 0
    assert "rejected       unknown to this user\n" in status.stdout


def test_validate_answers_on_stdout_and_complains_on_stderr(installation: Installation) -> None:
    valid = installation.run("--validate")
    assert (valid.returncode, valid.stdout, valid.stderr) == (0, f"{installation.config} is valid\n", "")
    installation.configure(batchSize=0)
    wrong = installation.run("--validate")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "errata.batchSize: 0 is not between 1 and 10000" in wrong.stderr


def test_a_storage_path_that_disappears_is_waited_for(
    installation: Installation, server: IngestServer
) -> None:
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    installation.storage_path.rename(installation.storage_path.with_name("gone"))
    while "Storage path not found" not in process.stderr.readline():
        pass
    assert "create it" in process.stderr.readline()
    installation.storage_path.mkdir()
    installation.log.write_bytes(b'{"n": 1}\n')
    wait_until(lambda: server.stored == [b'{"n": 1}'])
    second = installation.run("--record")
    assert second.returncode == 6
    process.terminate()
    _, messages = process.communicate(timeout=10)
    assert messages.count("Storage path not found") == 0
    assert "The storage path is there again" in messages


def test_the_version_is_printed(installation: Installation) -> None:
    printed = installation.run("--version")
    assert (printed.returncode, printed.stdout) == (0, "errata-shipper 0.2.0\n")


def test_keys_are_swapped_under_a_running_shipper(installation: Installation, server: IngestServer) -> None:
    key_file = installation.config.with_name("api-key")
    key_file.touch(mode=0o600)
    key_file.write_text(f"{API_KEY}\n")
    installation.configure(apiKey=None, apiKeyFile=key_file)
    process = installation.record()
    server.other_api_keys = {"errata_api_new"}
    installation.log.write_bytes(b'{"n": 1}\n')
    wait_until(lambda: len(server.stored) == 1)
    key_file.write_text("errata_api_new\n")
    process.send_signal(signal.SIGHUP)
    assert process.stderr is not None
    messages: list[str] = []
    while "using the new errata.apiKey from now on" not in (messages or [""])[-1]:
        messages.append(process.stderr.readline())
    server.api_key, server.other_api_keys = "errata_api_new", set()
    with installation.log.open("ab") as file:
        file.write(b'{"n": 2}\n')
    wait_until(lambda: len(server.stored) == 2)
    process.terminate()
    _, rest = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Authentication failed" not in "".join(messages) + rest


def test_rejected_lines_are_delivered_again_beside_a_running_shipper(
    installation: Installation, server: IngestServer
) -> None:
    folder = installation.storage_path / "rejected"
    server.rejects = lambda line: "invalid_item" if line == b"bad" else None
    installation.log.write_bytes(b"good\nbad\n")
    process = installation.record()
    wait_until(lambda: list(folder.glob("*.ndjson")) != [])
    again = installation.run("--retry-rejected")
    assert (again.returncode, again.stdout) == (0, f"1 line refused again, kept in {folder}\n")
    server.rejects = lambda line: None
    again = installation.run("--retry-rejected")
    assert (again.returncode, again.stdout) == (0, "1 line delivered\n")
    assert "Batch sent: 1 events" in again.stderr
    again = installation.run("--retry-rejected")
    assert (again.returncode, again.stdout, again.stderr) == (0, f"nothing to deliver in {folder}\n", "")
    process.terminate()
    assert process.wait(10) == 0
    assert server.stored.count(b"bad") == 3

"""The shipper as operators run it: a process, its exit code, its two streams."""

import json
import signal
import subprocess
import sys

import pytest
from errata_shipper import __version__

from tests.shipper.hosts import TODAY
from tests.shipper.ingest_server import API_KEY, Failure, IngestServer
from tests.shipper.installation import ENVIRONMENT, Installation, wait_until


def test_a_second_shipper_on_the_same_directory_says_so_and_ends(installation: Installation) -> None:
    first = installation.record()
    assert first.stderr is not None
    while "Starting shipper..." not in first.stderr.readline():
        pass
    second = installation.run("--record")
    assert second.returncode == 6
    assert f"another shipper (process {first.pid}) is using {installation.storage_path}" in second.stderr
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


@pytest.mark.parametrize("status", [200, 401, 403, 404, 429])
def test_a_proxy_that_answers_instead_is_named_by_the_connection_test(
    installation: Installation, server: IngestServer, status: int
) -> None:
    page = Failure(status, {"Server": "squid/5.7"}, b"<html>Denied</html>")
    server.failures = [page]
    key = _failed(installation)
    server.fails = lambda source, body: page
    for failed in (key, _failed(installation)):
        assert f"A proxy or another server answered {status}" in failed
        assert "squid/5.7" in failed
    assert "Application key" in key


def _failed(installation: Installation) -> str:
    tested = installation.run("--test")
    assert tested.returncode == 4
    (failed,) = [line for line in tested.stdout.splitlines() if line.startswith("failed")]
    return failed


def test_a_server_without_tls_behind_https_is_named(installation: Installation, server: IngestServer) -> None:
    installation.configure(baseUrl=server.base_url.replace("http:", "https:"))
    tested = installation.run("--test")
    assert tested.returncode == 4
    assert "TLS" in tested.stdout
    assert "the server doesn't use TLS on this port" in tested.stdout


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


def test_validate_answers_on_stdout_and_complains_on_stderr(installation: Installation) -> None:
    valid = installation.run("--validate")
    assert (valid.returncode, valid.stdout, valid.stderr) == (0, f"{installation.config} is valid\n", "")
    installation.configure(batchSize=0)
    wrong = installation.run("--validate")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "errata.batchSize: 0 is not between 1 and 10000" in wrong.stderr


def test_the_version_is_printed(installation: Installation) -> None:
    printed = installation.run("--version")
    assert (printed.returncode, printed.stdout) == (0, f"errata-shipper {__version__}\n")


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
    assert (again.returncode, again.stdout) == (0, f"1 line rejected again, kept in {folder}\n")
    server.rejects = lambda line: None
    again = installation.run("--retry-rejected")
    assert (again.returncode, again.stdout) == (0, "1 line delivered\n")
    assert "Batch sent: 1 events" in again.stderr
    again = installation.run("--retry-rejected")
    assert (again.returncode, again.stdout, again.stderr) == (0, f"nothing to deliver in {folder}\n", "")
    process.terminate()
    assert process.wait(10) == 0
    assert server.stored.count(b"bad") == 3

"""The intake within the shipper's process, and the Sentry SDK of this host sending to it."""

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import free_port
from tests.shipper.ingest_server import IngestServer, running_server
from tests.shipper.installation import ENVIRONMENT, Installation, wait_until

APPLICATION = """
import sys, sentry_sdk
sentry_sdk.init(sys.argv[1], traces_sample_rate=1.0, release="shop@1", auto_session_tracking=False,
    default_integrations=False, _experiments={"transport_compression_algo": sys.argv[2]})
with sentry_sdk.start_transaction(op="task", name="nightly"):
    try:
        {}["discount"]
    except KeyError:
        print(sentry_sdk.capture_exception())
sentry_sdk.flush(10)
"""


@pytest.fixture
def server() -> Iterator[IngestServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def installation(tmp_path: Path, server: IngestServer) -> Iterator[Installation]:
    made = Installation(tmp_path, server.base_url)
    yield made
    made.stop_all()


def run_application(port: int, encoding: str) -> str:
    dsn = f"http://errata_app_shop@127.0.0.1:{port}/1"
    return subprocess.run(
        [sys.executable, "-c", APPLICATION, dsn, encoding], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_what_the_sentry_sdk_sends_is_delivered_also_after_an_outage(
    installation: Installation, server: IngestServer
) -> None:
    port = free_port()
    event_ids = []
    for base_url, encoding in (("http://127.0.0.1:9", "br"), (server.base_url, "gzip")):
        installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}", baseUrl=base_url)
        process = installation.record()
        wait_until(lambda: is_listening(port))
        event_ids.append(run_application(port, encoding))
        if encoding == "br":
            process.kill()
            process.communicate()
    wait_until(lambda: len(server.stored) == 4)
    lines = [json.loads(line) for line in server.stored]
    assert {line["app_key"] for line in lines} == {"errata_app_shop"}
    assert [line["payload"]["event_id"] for line in lines if line["type"] == "event"] == event_ids
    assert [line["payload"]["transaction"] for line in lines if line["type"] == "transaction"] == 2 * [
        "nightly"
    ]
    process.terminate()
    _, said = process.communicate(timeout=10)
    assert process.returncode == 0
    assert f"Intake listening on 127.0.0.1:{port}; DSN: http://<application key>@127.0.0.1:{port}/1" in said


def test_a_new_application_key_holds_from_the_hangup_on(
    installation: Installation, server: IngestServer
) -> None:
    port = free_port()
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}")
    process = installation.record()
    wait_until(lambda: is_listening(port))
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}", appKey="errata_app_new")
    server.app_key = "errata_app_new"
    process.send_signal(signal.SIGHUP)
    wait_until(lambda: "errata_app_new" in key_of_an_event_without_one(port, installation))


def key_of_an_event_without_one(port: int, installation: Installation) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/api/1/store/", "{}")
    assert connection.getresponse().status == 200
    connection.close()
    (path,) = installation.storage_path.glob("errata-*.log")
    return str(json.loads(path.read_bytes().splitlines()[-1])["app_key"])


def test_a_port_that_is_taken_stops_the_start(installation: Installation, server: IngestServer) -> None:
    port = int(server.base_url.rpartition(":")[2])
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}")
    ended = installation.run("--record")
    assert ended.returncode == 2
    what = f"errata.intake.listen: 127.0.0.1:{port}: Address already in use"
    assert f"{what}; stop the program using this port, or choose another port" in ended.stderr


def test_listening_to_other_hosts_is_warned_about(installation: Installation) -> None:
    installation.configure(intake=f"{{listen: '0.0.0.0:{free_port()}', origins: ['*']}}")
    warnings = installation.run("--validate").stderr
    assert (
        "errata.intake.listen: 0.0.0.0 is reachable from other hosts; anyone who can connect can write"
        in warnings
    )
    assert "errata.intake.origins contains *: any page" in warnings


def test_what_was_answered_is_in_the_log_file_however_the_shipper_ends(installation: Installation) -> None:
    port = free_port()
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}", baseUrl="http://127.0.0.1:9")
    answered: list[str] = []
    for _ in range(2):
        process = installation.record()
        wait_until(lambda: is_listening(port))
        threads = [threading.Thread(target=send_until_it_ends, args=(port, answered)) for _ in range(4)]
        for thread in threads:
            thread.start()
        wait_for_more(answered)
        process.kill()
        process.communicate()
        for thread in threads:
            thread.join()
    content = b"".join(file.read_bytes() for file in installation.storage_path.glob("errata-*.log"))
    written = {json.loads(line)["payload"]["event_id"] for line in content.splitlines()}
    assert set(answered) <= written


def wait_for_more(answered: list[str]) -> None:
    count = len(answered)
    wait_until(lambda: len(answered) > count + 50)


def test_a_port_that_systemd_keeps_open_answers_what_came_while_the_shipper_was_away(
    installation: Installation,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as kept:
        port = kept.getsockname()[1]
        installation.configure(intake="{listen: 127.0.0.1:8123}", baseUrl="http://127.0.0.1:9")
        for number in range(2):
            waiting = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            waiting.request("POST", "/api/1/store/", json.dumps({"message": str(number)}))
            with record_with(kept, installation) as process:
                assert waiting.getresponse().status == 200
                process.kill()
            waiting.close()
    content = b"".join(file.read_bytes() for file in installation.storage_path.glob("errata-*.log"))
    assert [json.loads(line)["payload"]["message"] for line in content.splitlines()] == ["0", "1"]


def record_with(kept: socket.socket, installation: Installation) -> "subprocess.Popen[bytes]":
    """A shipper started as systemd does: with the socket as its descriptor 3."""
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.set_inheritable(3, True); "
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); "
        "os.execv(sys.executable, sys.argv[2:])"
    )
    shipper = (sys.executable, "-m", "errata_shipper", "--config", str(installation.config), "--record")
    return subprocess.Popen(
        [sys.executable, "-c", start, str(kept.fileno()), *shipper],
        env=ENVIRONMENT,
        pass_fds=[kept.fileno()],
        stderr=subprocess.DEVNULL,
    )


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def send_until_it_ends(port: int, answered: list[str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            event_id = uuid.uuid4().hex
            connection.request("POST", "/api/1/store/", json.dumps({"event_id": event_id}))
            if connection.getresponse().read() == json.dumps({"id": event_id}).encode():
                answered.append(event_id)
    connection.close()


TORN = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from errata_shipper.intake.log_file import LogFile
folder = Path(sys.argv[1])
log = LogFile(folder, False, lambda: datetime(2026, 11, 21, tzinfo=UTC))
log.append([b'{"n":1}\\n'])
resource.setrlimit(resource.RLIMIT_FSIZE, (12, resource.RLIM_INFINITY))
for line in (b'{"n":2}\\n', b'{"n":3}\\n'):
    try:
        log.append([line])
    except OSError as error:
        print(error.strerror or error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append([b'{"n":4}\\n', b'{"n":5}\\n'])
"""


def test_a_line_that_a_full_disk_cut_off_costs_only_itself(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TORN, str(tmp_path)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines() == ["a line was only partially written to disk", "File too large"]
    assert (tmp_path / "errata-2026-11-21.log").read_bytes() == b'{"n":1}\n{"n"\n{"n":4}\n{"n":5}\n'


UNSHARED = r"""
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from errata_shipper.intake.log_file import LogFile
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.seteuid(65534)
log = LogFile(Path(), False, lambda: datetime(2026, 11, 21, tzinfo=UTC))
log.append([b'{"n":1}\n'])
log.append([b'{"n":2}\n'])
"""


def test_a_file_that_another_user_keeps_to_itself_has_one_of_the_intake_beside_it(tmp_path: Path) -> None:
    day = tmp_path / "errata-2026-11-21.log"
    day.write_bytes(b'{"n":0}\n')
    day.chmod(0o440)
    tmp_path.chmod(0o777)
    subprocess.run([sys.executable, "-c", UNSHARED, str(tmp_path)], env=ENVIRONMENT, check=True)
    assert day.read_bytes() == b'{"n":0}\n'
    assert day.with_name(f"{day.name}.intake").read_bytes() == b'{"n":1}\n{"n":2}\n'

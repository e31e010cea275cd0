"""The intake within the shipper's process, and the Sentry SDK of this host sending to it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import free_port
from tests.shipper.ingest_server import IngestServer, running_server
from tests.shipper.test_process import Installation, wait_until

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


def test_what_the_sentry_sdk_sends_is_delivered(installation: Installation, server: IngestServer) -> None:
    port = free_port()
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}")
    process = installation.record()
    assert process.stderr is not None
    while "Intake listening" not in (said := process.stderr.readline()):
        assert said
    assert f"Intake listening on 127.0.0.1:{port}; DSN: http://<application key>@127.0.0.1:{port}/1" in said
    event_ids = [run_application(port, encoding) for encoding in ("gzip", "br")]
    wait_until(lambda: len(server.stored) == 4)
    lines = [json.loads(line) for line in server.stored]
    assert {line["app_key"] for line in lines} == {"errata_app_shop"}
    assert [line["payload"]["event_id"] for line in lines if line["type"] == "event"] == event_ids
    assert [line["payload"]["transaction"] for line in lines if line["type"] == "transaction"] == 2 * [
        "nightly"
    ]
    process.terminate()
    assert process.wait(10) == 0


def test_a_port_that_is_taken_stops_the_start(installation: Installation, server: IngestServer) -> None:
    port = int(server.base_url.rpartition(":")[2])
    installation.configure(intake=f"{{listen: 127.0.0.1:{port}}}")
    ended = installation.run("--record")
    assert ended.returncode == 2
    assert (
        f"intake.listen 127.0.0.1:{port}: Address already in use; stop what listens there, or choose another"
        in ended.stderr
    )


def test_listening_to_other_hosts_is_warned_about(installation: Installation) -> None:
    installation.configure(intake=f"{{listen: '0.0.0.0:{free_port()}', origins: ['*']}}")
    warnings = installation.run("--validate").stderr
    assert "errata.intake.listen: 0.0.0.0 is not of this host alone; whoever reaches it can write" in warnings
    assert "errata.intake.origins holds *: every page" in warnings

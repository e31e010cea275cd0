"""Several shippers on one host: names that tell them apart."""

import json
import logging

import pytest
from errata_shipper.name_claim import claimed_name
from errata_shipper.source import host_name

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import IngestServer
from tests.shipper.installation import Installation

URL = "https://errata.example.com"
TOMORROW = "errata-2026-11-22.log"


def sources(server: IngestServer) -> list[tuple[str, str, str]]:
    """Host, file and first byte of each batch."""
    headers = [request.headers["x-errata-source"] for request in server.requests]
    told = [dict(part.split("=") for part in header.split("; ")) for header in headers]
    return [(one["host"], one["file"], one["from"]) for one in told]


@pytest.mark.parametrize("is_tracker_of_before", [False, True])
def test_a_file_keeps_the_name_it_was_begun_under(
    host: Host, server: IngestServer, is_tracker_of_before: bool
) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    host.stop()
    if is_tracker_of_before:
        path = host.storage_path / "tracker.json"
        document = json.loads(path.read_text())
        assert document["files"][0].pop("host") == "web-1"
        path.write_text(json.dumps(document))
    host.name = "web-1/shop"
    host.start()
    host.write(b'{"n": 1}\n')
    host.write(b'{"n": 2}\n', TOMORROW)
    host.flush()
    begun, *later = sources(server)
    assert begun == ("web-1", TODAY, "0")
    assert sorted(later) == [("web-1", TODAY, "9"), ("web-1/shop", TOMORROW, "0")]
    # Emptied, it is another file.
    (host.storage_path / TODAY).write_bytes(b"")
    host.flush()
    host.write(b'{"n": 3}\n')
    host.flush()
    assert sources(server)[-1] == ("web-1/shop", TODAY, "0")


def test_a_removed_tracker_changes_no_name(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 0}\n')
    host.flush()
    host.stop()
    host.name = "web-1/shop"
    host.start()
    host.flush()
    (host.storage_path / "tracker.json").unlink()
    host.flush()
    assert sources(server) == [("web-1", TODAY, "0")] * 2


def test_the_second_shipper_of_a_name_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with claimed_name("web-1", URL):
        with (
            claimed_name("web-1/shop", URL),
            claimed_name("web-2", URL),
            claimed_name("web-1", "https://other.example.com"),
        ):
            assert caplog.messages == []
        with claimed_name("web-1", URL):
            assert caplog.messages[0].startswith("Another shipper on this host also reports as web-1")
        assert [record.levelno for record in caplog.records] == [logging.WARNING]
    caplog.clear()
    with claimed_name("web-1", URL):
        assert caplog.messages == []


def test_two_processes_of_one_name_deliver_and_one_warns(
    installation: Installation, server: IngestServer
) -> None:
    with claimed_name(host_name(), server.base_url):
        process = installation.record()
        assert process.stderr is not None
        assert f"also reports as {host_name()}" in next(iter(process.stderr))
    installation.stop_all()
    assert "instance" not in installation.config.read_text()
    installation.configure(instance="shop")
    with claimed_name(host_name(), server.base_url):
        process = installation.record()
        assert process.stderr is not None
        assert "Starting shipper" in next(iter(process.stderr))

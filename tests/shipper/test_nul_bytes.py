"""What a power cut leaves in a file: NUL bytes, a line that was cut off, and good lines after them."""

import json

import pytest

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import IngestServer


@pytest.mark.parametrize("count", [1, 7, 4096, 300_000, 9 << 20], ids=str)
def test_lines_before_and_after_nul_bytes_are_delivered(
    host: Host, server: IngestServer, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    host.write(b'{"n": 0}\n' + b"\0" * count)
    host.flush()
    host.write(b'{"n": 1}\n{"n": 2}\n')
    host.flush()
    assert server.stored == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']
    assert host.rejected() == []
    assert len([message for message in caplog.messages if "NUL bytes" in message]) == 1
    ranges = sorted(
        (int(request.source["from"]), int(request.source["to"]))
        for request in [*server.requests, *server.reports]
    )
    assert [since for since, _ in ranges] == [0, *(until for _, until in ranges[:-1])]
    assert ranges[-1][1] == (host.storage_path / TODAY).stat().st_size


@pytest.mark.parametrize("count", [1, 4096, 5 << 20], ids=str)
def test_a_line_that_was_cut_off_costs_the_next_one_nothing(
    host: Host, server: IngestServer, count: int
) -> None:
    server.rejects = lambda line: "invalid_json" if line == b'{"torn": "li' else None
    host.write(b'{"torn": "li' + b"\0" * count + b'{"n": 1}\n')
    host.flush()
    assert server.stored[-1] == b'{"n": 1}'
    assert any(b"torn" in path.read_bytes() for path in host.rejected())


def test_nul_bytes_between_lines_are_no_lines(host: Host, server: IngestServer) -> None:
    host.write(b'\0\0{"n": 0}\0\0\n\0\0\n \0 \n{"n": 1}\n\0\0\0\n')
    host.flush()
    assert server.stored == [b'{"n": 0}', b'{"n": 1}']
    host.restart()
    host.write(b'{"n": 2}\n')
    host.flush()
    assert server.stored == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']


def test_a_part_cut_off_that_the_server_refuses_is_set_aside_as_it_was(
    host: Host, server: IngestServer
) -> None:
    server.rejects = lambda line: None if line.endswith(b"}") else "invalid_json"
    host.write(b'{"cut": \0\0\0{"n": 1}\n')
    host.flush()
    (path,) = host.rejected()
    record = json.loads(path.read_text())
    assert (record["line"], record["from"], record["to"]) == ('{"cut": ', 0, 8)

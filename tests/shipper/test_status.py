import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from errata_shipper.lock import DirectoryLock
from errata_shipper.status import status_of
from errata_shipper.status_text import json_of, text_of

from tests.shipper.hosts import TODAY, Host
from tests.shipper.ingest_server import IngestServer

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def text(host: Host) -> list[str]:
    return text_of(status_of(host.settings, NOW), NOW).splitlines()


def test_before_the_first_delivery_there_is_a_status_too(host: Host, server: IngestServer) -> None:
    assert text(host) == [
        f"storage path   {host.storage_path}",
        f"server         {server.base_url}",
        "shipper        not running",
        "last delivery  none",
        "last error     none",
        "rejected       none",
        "",
        "no log files yet",
    ]


def test_the_status_is_a_table_of_files_with_their_total(host: Host, server: IngestServer) -> None:
    host.write(b'{"n": 1}\n{"n": 2}\n', "errata-2026-11-20.log")
    server.rejects = lambda line: "invalid_item" if line == b"bad" else None
    host.write(b"bad\n", "errata-2026-11-20.log")
    host.flush()
    host.agent.close()
    host.write(b'{"logged_at": "2026-11-21T11:59:00Z"}\n{"n": 2}\nhalf')
    with DirectoryLock(host.storage_path):
        shown = text(host)
    assert shown[2:6] == [
        f"shipper        running, process {os.getpid()}",
        "last delivery  2026-11-21T10:16:50.010Z (103m ago): 2 lines of errata-2026-11-20.log",
        "last error     none",
        "rejected       1 line (1 invalid_item) at 2026-11-21T10:16:50.010Z (103m ago) "
        f"in {host.storage_path}/rejected; "
        "deliver again with --retry-rejected",
    ]
    assert shown[7:] == [
        "file                   position  size  behind  lines  seconds",
        "errata-2026-11-20.log        22    22       0      0        0",
        "errata-2026-11-21.log         0    51      51      2       60",
        "total                        22    73      51      2       60",
    ]


def test_an_error_is_shown_with_the_time_since_which_it_lasts(host: Host, server: IngestServer) -> None:
    host.write(b"1\n")
    server.api_key = "errata_api_other"
    host.agent.step()
    assert text(host)[4].startswith("last error     2026-11-21T10:16:40.000Z (103m ago): Invalid API Key: ")
    host.clock.pass_time(600)
    host.agent.step()
    since = "failing since 2026-11-21T10:16:40.000Z (103m ago): Invalid API Key: "
    assert text(host)[4].startswith(f"last error     2026-11-21T10:26:40.000Z (93m ago), {since}")


def test_after_three_refusals_and_a_delivery_the_last_refusal_is_still_told(
    host: Host, server: IngestServer
) -> None:
    host.write(b"1\n")
    right, server.api_key = server.api_key, "errata_api_other"
    for _ in range(3):
        host.flush()
        host.clock.pass_time(600)
    server.api_key = right
    host.flush()
    (line,) = (line for line in text(host) if line.startswith("last error"))
    assert ", resolved 2026-11-21T10:4" in line
    assert line.endswith(
        "Invalid API Key: set apiKey to the current API key; changes to errata.yaml apply immediately"
    )
    assert json.loads(json_of(status_of(host.settings, NOW)))["last_error"]["resolved_at"]


def test_a_server_that_was_never_reached_is_the_last_error_without_any_line(
    host: Host,
) -> None:
    host.stop()
    host.settings = replace(host.settings, base_url="http://127.0.0.1:1")
    host.start()
    host.agent.step()
    assert "(103m ago): " in text(host)[4]
    assert "none" not in text(host)[4]


def test_a_file_that_was_filled_anew_is_not_taken_for_delivered(host: Host) -> None:
    host.write(b"1\n2\n")
    host.flush()
    (host.storage_path / TODAY).write_bytes(b"3\n4\n")
    assert text(host)[-1].split()[1:5] == ["0", "4", "4", "2"]


def test_a_damaged_tracker_is_named(host: Host) -> None:
    host.write(b"1\n")
    (host.storage_path / "tracker.json").write_text("{")
    assert text(host)[3].startswith(f"tracker        {host.storage_path}/tracker.json is damaged (")


def test_a_long_backlog_is_estimated(host: Host) -> None:
    host.write(b"123456789\n" * 50_000)
    assert text(host)[-1].split()[3:5] == ["500000", "50000"]
    total = status_of(host.settings, NOW, counted_bytes=0).total
    assert total.is_estimated
    assert total.line_count == pytest.approx(50_000, rel=0.01)


def test_the_status_is_there_for_programs_too(host: Host, server: IngestServer) -> None:
    host.write(b"1\n2\n")
    status = json.loads(json_of(status_of(host.settings, NOW)))
    assert status["shipper"] == {"is_running": False, "process": None}
    assert (status["last_delivery"], status["last_error"], status["rejected_lines"]) == (None, None, 0)
    (file,) = status["files"]
    assert file["file"] == TODAY
    assert (file["position_bytes"], file["behind_bytes"], file["behind_lines"]) == (0, 4, 2)
    assert status["total"]["size_bytes"] == 4
    assert Path(status["storage_path"]) == host.storage_path


def test_what_was_rejected_is_counted_by_reason(host: Host, server: IngestServer) -> None:
    server.rejects = lambda line: "invalid_json" if line == b"bad" else "invalid_item"
    host.write(b"bad\nother\nbad\n")
    host.flush()
    status = status_of(host.settings, NOW)
    assert json.loads(json_of(status))["rejected_reasons"] == {"invalid_json": 2, "invalid_item": 1}
    assert "3 lines (2 invalid_json, 1 invalid_item) at 2026-11-21T10:16:50.010Z (103m ago) in " in text_of(
        status, NOW
    )
    host.clock.pass_time(600)
    host.write(b"another\n")
    host.flush()
    later = text_of(status_of(host.settings, NOW), NOW)
    assert (
        ", first 2026-11-21T10:16:50.010Z (103m ago), last 2026-11-21T10:27:00.020Z (93m ago), in " in later
    )
    (host.storage_path / "rejected" / "z.ndjson").touch()
    assert "rejected       over 3 lines (" in text_of(status_of(host.settings, NOW, counted_bytes=1), NOW)

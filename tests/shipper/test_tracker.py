import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from errata_shipper.checkpoint import Checkpoint
from errata_shipper.tracker import Tracker, TrackerDamaged

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
DELIVERED = Checkpoint("errata-2026-11-21.log", 1, 2, 20, 20, "aa", 10, "bb", 40)


def saved(folder: Path) -> dict[str, Any]:
    tracker = Tracker(folder)
    tracker.checkpoints[DELIVERED.key] = DELIVERED
    tracker.save(NOW)
    document: dict[str, Any] = json.loads(tracker.path.read_text())
    return document


def test_what_was_saved_is_read_back(tmp_path: Path) -> None:
    saved(tmp_path)
    tracker = Tracker(tmp_path)
    tracker.read()
    assert tracker.checkpoints == {(1, 2): DELIVERED}
    assert not tracker.was_removed()


def test_it_is_written_for_people(tmp_path: Path) -> None:
    document = saved(tmp_path)
    assert (document["version"], document["updated_at"]) == (2, "2026-11-21T10:00:00.000Z")
    assert document["files"][0]["name"] == "errata-2026-11-21.log"
    assert document["files"][0]["offset"] == 20
    assert len((tmp_path / "tracker.json").read_text().splitlines()) == 10


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    saved(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["tracker.json"]


def test_an_unknown_field_of_a_later_version_is_passed_over(tmp_path: Path) -> None:
    document = saved(tmp_path)
    document["files"][0]["birth"] = 7
    (tmp_path / "tracker.json").write_text(json.dumps(document))
    tracker = Tracker(tmp_path)
    tracker.read()
    assert tracker.checkpoints == {(1, 2): DELIVERED}


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 400, b"[]", b"7", b"{}", b'{"version": 1}', b'{"version": 0, "files": []}', b"\xff"],
)
def test_a_document_that_is_no_tracker_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tracker.json").write_bytes(content)
    with pytest.raises(TrackerDamaged):
        Tracker(tmp_path).read()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("offset", -1),
        ("offset", "20"),
        ("offset", True),
        ("offset", 5),
        ("offset", 1 << 64),
        ("head_bytes", 1 << 40),
        ("inode", None),
        ("name", 7),
        ("edge_hash", None),
        ("attempted_until", 20),
        ("attempted_until", "40"),
    ],
)
def test_a_checkpoint_that_cannot_be_is_damaged(tmp_path: Path, field: str, value: object) -> None:
    document = saved(tmp_path)
    document["files"][0][field] = value
    (tmp_path / "tracker.json").write_text(json.dumps(document))
    with pytest.raises(TrackerDamaged):
        Tracker(tmp_path).read()

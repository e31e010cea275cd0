from pathlib import Path

import pytest

from errata.backup.errors import DrillFailed
from errata.backup.scratch import FOLDER, remove_leftover, scratch
from errata.up.data_directory import DataDirectory


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    found = DataDirectory(tmp_path / "data")
    found.create()
    return found


def test_a_drill_needs_room_and_is_alone(data: DataDirectory, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    (tmp_path / FOLDER).mkdir()
    with scratch(data, tmp_path) as made:
        assert not made.service.exists()
        made.require_room(1)
        with pytest.raises(DrillFailed, match="ERRATA_BACKUP_SCRATCH"):
            made.require_room(1 << 60)
        made.service.mkdir()
        with pytest.raises(DrillFailed, match="under way"), scratch(data, tmp_path):
            pass
        remove_leftover(data, tmp_path)
        assert made.service.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "mine"]


def test_what_a_killed_drill_left_is_removed(data: DataDirectory) -> None:
    (data.path / FOLDER / "warehouse").mkdir(parents=True)
    remove_leftover(data, None)
    assert not (data.path / FOLDER).exists() and data.run.exists()


def test_without_a_data_directory_no_drill_has_left_anything(tmp_path: Path) -> None:
    """As in a container that runs the pipelines alone, where nothing makes the directory."""
    remove_leftover(DataDirectory(tmp_path / "data"), None)
    assert list(tmp_path.iterdir()) == []

import shutil
import subprocess
from pathlib import Path

import pytest
from errata_shipper.settings import load_settings
from errata_shipper.settings_warnings import warnings_about

from tests.shipper.configuration import written

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="asks git")


def warnings_of(path: Path) -> list[str]:
    return warnings_about(
        path, load_settings(path, {"KEY": "errata_api_1", "KEY_OF_APPLICATION": "errata_app_1"})
    )


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640])
def test_a_file_that_only_its_user_and_group_read_is_well(tmp_path: Path, mode: int) -> None:
    path = written(tmp_path)
    path.chmod(mode)
    assert warnings_of(path) == []


@pytest.mark.parametrize(
    ("mode", "said"), [(0o644, "read by"), (0o660, "modified by"), (0o666, "read and modified by")]
)
def test_a_file_that_others_reach_is_warned_about(tmp_path: Path, mode: int, said: str) -> None:
    path = written(tmp_path)
    path.chmod(mode)
    (warning,) = warnings_of(path)
    assert warning == f"{path} can be {said} other users of this host; run: chmod 600 {path}"


def test_a_file_without_secrets_may_be_read_but_not_changed_by_all(tmp_path: Path) -> None:
    path = written(tmp_path, apiKey="${KEY}", appKey="ABSENT", appKeyFile="app-key")
    (tmp_path / "app-key").write_text("errata_app_1\n")
    (tmp_path / "app-key").chmod(0o600)
    path.chmod(0o644)
    assert warnings_of(path) == []
    path.chmod(0o646)
    assert len(warnings_of(path)) == 1


def test_a_key_file_that_others_reach_is_warned_about(tmp_path: Path) -> None:
    path = written(tmp_path, apiKey="ABSENT", apiKeyFile="api-key")
    (tmp_path / "api-key").write_text("errata_api_1\n")
    (tmp_path / "api-key").chmod(0o644)
    (warning,) = warnings_of(path)
    assert warning.startswith(f"{tmp_path / 'api-key'} can be read by other users")


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"apiKey": "errata_api_..."}, "errata.apiKey still contains the example text"),
        ({"apiKey": "key"}, "errata.apiKey doesn't start"),
        ({"appKey": "key"}, "errata.appKey doesn't start"),
    ],
)
def test_keys_that_look_incomplete_are_warned_about(
    tmp_path: Path, fields: dict[str, str], what: str
) -> None:
    (warning,) = warnings_of(written(tmp_path, **fields))
    assert what in warning


@needs_git
def test_a_key_under_version_control_is_warned_about(tmp_path: Path) -> None:
    path = written(tmp_path)
    git(tmp_path, "init")
    (warning,) = warnings_of(path)
    assert "doesn't ignore it; add it to .gitignore" in warning
    (tmp_path / ".gitignore").write_text("errata.yaml\n")
    assert warnings_of(path) == []
    git(tmp_path, "add", "--force", "errata.yaml")
    (warning,) = warnings_of(path)
    assert warning.startswith(f"{path} is under version control, including its key; ")


@needs_git
def test_a_configuration_without_secrets_may_be_under_version_control(tmp_path: Path) -> None:
    path = written(tmp_path, apiKey="${KEY}", appKey="${KEY_OF_APPLICATION}")
    git(tmp_path, "init")
    git(tmp_path, "add", "errata.yaml")
    assert not any("version control" in warning for warning in warnings_of(path))


def test_a_broken_repository_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nonsense")
    assert warnings_of(written(tmp_path)) == []

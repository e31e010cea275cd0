"""`errata config` as a person types it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from errata.configuration.file_shape import schema_text
from errata.state import Store
from errata.up.data_directory import DataDirectory
from tests.configured import EVERYTHING, VARIABLES

ROOT = Path(__file__).parents[3]


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    return begun(tmp_path / "data")


def begun(path: Path) -> DataDirectory:
    found = DataDirectory(path)
    found.create()
    found.begin()
    with closing(opened(found)) as store:
        store.migrate()
        store.accounts.create_first("Acme", "Shop", "owner@example.org")
    return found


def opened(directory: DataDirectory) -> Store:
    return Store.open(directory.state_url, directory.secret().encode())


def config(
    *arguments: str, directory: DataDirectory, variables: Mapping[str, str] = VARIABLES
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", "config", *arguments, "--data", str(directory.path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=directory.path.parent,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin", **variables},
    )


@pytest.fixture
def everything(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "errata.yaml").write_text(EVERYTHING)
    yield "errata.yaml"


@pytest.mark.slow
def test_a_file_is_planned_applied_exported_and_applied_to_a_new_service(
    directory: DataDirectory, everything: str, tmp_path: Path
) -> None:
    planned = config("plan", everything, "--check", directory=directory)
    assert planned.returncode == 3 and '+ budget "Checkout is fast" of shop' in planned.stdout, planned.stderr
    assert re.search(r"\d+ to create, \d+ to change, 0 to delete\.", planned.stdout)
    applied = config("apply", everything, "--secrets-file", "secrets", directory=directory)
    assert applied.returncode == 0 and " applied." in applied.stdout, applied.stderr
    secrets = tmp_path / "secrets"
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert "Password of ada@example.org: " in secrets.read_text()
    assert "errata_app_" not in applied.stdout and "errata_app_worker_" in secrets.read_text()
    again = config("plan", everything, "--check", directory=directory)
    assert (again.returncode, again.stdout) == (0, "No changes.\n")
    assert config("export", "first.yaml", directory=directory).returncode == 0
    other = begun(tmp_path / "other")
    anew = config("apply", "first.yaml", directory=other)
    assert anew.returncode == 0 and "shown only once: Password of ada@example.org: " in anew.stdout
    assert config("export", directory=other).stdout == (tmp_path / "first.yaml").read_text()


@pytest.mark.slow
def test_a_refused_file_ends_with_the_lines(directory: DataDirectory, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(EVERYTHING.replace("metric: lcp_ms", "metric: lpc_ms"))
    for verb in ("plan", "apply"):
        done = config(verb, "wrong.yaml", directory=directory)
        assert done.returncode == 78 and done.stdout == ""
        assert "\nwrong.yaml:50: projects[0].budgets[0].metric: one of load_ms" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_nothing_is_changed_where_secrets_cannot_be_written(
    directory: DataDirectory, everything: str, tmp_path: Path
) -> None:
    before = config("export", directory=directory).stdout
    done = config("apply", everything, "--secrets-file", "nowhere/secrets", directory=directory)
    assert done.returncode == 1 and "can't be written" in done.stderr and "Traceback" not in done.stderr
    assert config("export", directory=directory).stdout == before


@pytest.mark.slow
def test_an_organization_is_named_where_there_are_several(directory: DataDirectory, everything: str) -> None:
    with closing(opened(directory)) as store:
        store.accounts.create("Other", actor="a test")
    done = config("plan", everything, directory=directory)
    assert done.returncode == 1 and "--organization: one of: " in done.stderr
    assert config("plan", everything, "--organization", "Acme", directory=directory).returncode == 0


@pytest.mark.slow
def test_the_schema_is_printed(directory: DataDirectory) -> None:
    printed = config("schema", directory=directory)
    assert printed.returncode == 0 and printed.stdout == schema_text()


def test_the_published_schema_is_that_of_the_code() -> None:
    assert (ROOT / "docs" / "configuration.schema.json").read_text() == schema_text()
    assert json.loads(schema_text())["additionalProperties"] is False


def test_the_schema_takes_the_files_that_are_applied_and_no_misspelt_field() -> None:
    validator = jsonschema_rs.validator_for(json.loads(schema_text()))
    for text in (EVERYTHING, (ROOT / "demo" / "configuration.yaml").read_text()):
        assert validator.is_valid(yaml.safe_load(text))
        assert not validator.is_valid(yaml.safe_load(text.replace("threshold:", "treshold:", 1)))

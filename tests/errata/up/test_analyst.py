"""What `errata analyst` prints, from the data directory of a service."""

import json
from pathlib import Path

import pytest

from errata.__main__ import main
from errata.state import Store
from errata.up.data_directory import DataDirectory


def test_json_has_every_fact_of_the_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = DataDirectory(tmp_path)
    directory.create()
    directory.begin()
    directory.warehouse_address_path.write_text("127.0.0.1:18123")
    store = Store.open(directory.state_url, directory.secret().encode())
    store.migrate()
    store.accounts.create_first("Acme", "Web shop", "ada@example.org")
    ((_, project),) = store.projects.all()
    store.close()
    assert main(["analyst", "--data", str(tmp_path)]) == 0
    lines = [line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert main(["analyst", "--data", str(tmp_path), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["projects"] == {project.slug: project.id}
    as_lines = {**told, f"project {project.slug}": str(project.id)}
    assert [(name.strip(), as_lines[name.strip()]) for name, _ in lines] == [
        (name.strip(), value) for name, value in lines
    ]
    assert [name.strip() for name, _ in lines][:4] == ["address", "user", "password", "database"]

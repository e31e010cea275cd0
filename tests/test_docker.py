"""Dockerfile and compose.yaml: what can be known of them without Docker."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.settings import ApiSettings
from errata.command_line import command_line
from errata.settings import CoreSettings, unknown_variables
from tests.cases import each
from tests.service import ROOT, running

TARGET = "AS server"


def stages() -> dict[str, list[str]]:
    """Instructions by the name of their stage."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("FROM "):
            found[line.rpartition(" ")[2]] = []
        elif line and not line.startswith(("#", "ARG ")):
            found[list(found)[-1]].append(line)
    return found


def instruction(stage: str, name: str) -> str:
    (found,) = [line.removeprefix(f"{name} ") for line in stages()[stage] if line.startswith(f"{name} ")]
    return found


def services(file: str = "compose.yaml") -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / file).read_text())["services"]
    return found


def test_what_is_copied_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [line.split()[1:-1] for line in stages()["build"] if line.startswith("COPY ")]
    names = {name for names in copied for name in names}
    assert names == kept and all((ROOT / name).exists() for name in names)
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = packages["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"]} < names
    assert {"postgres", "s3"} <= packages["project"]["optional-dependencies"].keys()


@each("stage", ["server", "shipper"])
def test_nothing_runs_as_root(stage: str) -> None:
    user = instruction(stage, "USER")
    assert int(user) > 0
    assert any(f"--uid {user}" in line for line in stages()[stage])


def test_the_container_runs_a_command_that_there_is() -> None:
    arguments = json.loads(instruction("server", "CMD"))
    assert json.loads(instruction("server", "ENTRYPOINT")) == ["errata"]
    chosen = command_line().parse_args(arguments)
    assert (chosen.command, chosen.host, chosen.port) == ("up", "0.0.0.0", 8000)
    assert instruction("server", "EXPOSE") == "8000"


def test_compose_publishes_on_loopback_and_keeps_what_matters() -> None:
    server = services()["errata"]
    assert server["ports"] == ["127.0.0.1:8000:8000"]
    mounted = {volume.partition(":")[2] for volume in server["volumes"]}
    assert mounted == set(json.loads(instruction("server", "VOLUME")))
    environment = server["environment"]
    assert unknown_variables(CoreSettings, environment) == unknown_variables(ApiSettings, environment) == []
    assert any(environment["ERRATA_BACKUP_DIR"].startswith(f"{folder}/") for folder in mounted)
    for service in services().values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["build"]["target"] in stages()


def test_compose_with_servers_runs_commands_with_settings_that_there_are() -> None:
    found = services("compose.servers.yaml")
    ours = {name: each for name, each in found.items() if "build" in each}
    assert set(found) == {"clickhouse", "postgres", *ours} and set(ours) == {"migrate", "web", "pipelines"}
    for name in ("migrate", "web"):
        assert command_line().parse_args(ours[name]["command"]).command == name
    assert ours["pipelines"]["entrypoint"] == ["python", "-m", "pipelines"]
    for service in ours.values():
        environment = {
            name: value for name, value in service["environment"].items() if name != "DAGSTER_HOME"
        }
        assert (
            unknown_variables(CoreSettings, environment) == unknown_variables(ApiSettings, environment) == []
        )
        assert (
            service["read_only"] and service["cap_drop"] == ["ALL"] and service["build"]["target"] in stages()
        )
    assert [name for name, each in found.items() if "ports" in each] == ["web"]
    assert ours["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert {name for name, each in ours.items() if "ERRATA_WAREHOUSE_ADMIN_URL" in each["environment"]} == {
        "migrate"
    }
    # No password has a default.
    text = (ROOT / "compose.servers.yaml").read_text()
    assert set(re.findall(r"\$\{(\w+):-", text)) == {"ERRATA_BASE_URL"}


@pytest.mark.slow
def test_the_health_check_works(tmp_path: Path) -> None:
    check = json.loads(instruction("server", "HEALTHCHECK").partition("CMD ")[2])
    assert check[0] == "errata"

    def checked(data: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", *check],
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "ERRATA_DATA": str(data)},
            capture_output=True,
            text=True,
            check=False,
        )

    settings = {"ERRATA_BASE_URL": "https://errata.example.com"}
    with running("--no-pipelines", "--host", "0.0.0.0", settings=settings) as service:
        found = checked(service.directory)
        assert (found.returncode, found.stdout) == (0, "healthy\n"), found.stderr
        service.kill("web")
        directory = service.directory
    assert checked(directory).returncode == 1
    assert checked(tmp_path / "none").returncode == 1

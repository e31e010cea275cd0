"""`--init`: a first configuration, from options, the environment and a terminal."""

import os
import pty
import subprocess
import sys

import pytest
import yaml

from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer
from tests.shipper.installation import ENVIRONMENT, Installation

COMMAND = [sys.executable, "-m", "errata_shipper"]


@pytest.fixture
def fresh(installation: Installation) -> Installation:
    installation.config.unlink()
    return installation


def options(installation: Installation, server: IngestServer, **changed: str) -> list[str]:
    given = {
        "base-url": server.base_url,
        "api-key": API_KEY,
        "app-key": APP_KEY,
        "storage-path": str(installation.storage_path),
        **changed,
    }
    return [f"--{name}={value}" for name, value in given.items()]


def test_the_options_become_a_private_file_and_the_connection_is_tested(
    fresh: Installation, server: IngestServer
) -> None:
    made = fresh.run("--init", *options(fresh, server), "--intake", "--origin=https://shop.example.com")
    assert (made.returncode, made.stderr) == (0, "")
    assert fresh.config.stat().st_mode & 0o777 == 0o600
    assert yaml.safe_load(fresh.config.read_text())["errata"] == {
        "baseUrl": server.base_url,
        "apiKey": API_KEY,
        "appKey": APP_KEY,
        "storagePath": str(fresh.storage_path),
        "intake": {"listen": "127.0.0.1:8123", "origins": ["https://shop.example.com"]},
    }
    assert "ok      API key          organization Acme" in made.stdout
    assert f"run: errata-shipper --config {fresh.config} --record" in made.stdout
    assert API_KEY not in made.stdout
    assert fresh.run("--validate").returncode == 0


def test_scripts_pass_values_in_the_environment_and_hear_what_is_missing(
    fresh: Installation, server: IngestServer
) -> None:
    folder = fresh.storage_path.parent
    environment = {
        **ENVIRONMENT,
        "ERRATA_SHIPPER_API_KEY": API_KEY,
        "ERRATA_SHIPPER_BASE_URL": server.base_url,
    }
    command = [*COMMAND, "--init", "--storage-path", "new-logs"]
    run = {"cwd": folder, "stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    lacking = subprocess.run(command, env=environment, **run)  # type: ignore[call-overload]
    assert lacking.returncode == 2
    assert "errata.appKey: is required; pass --app-key, set ERRATA_SHIPPER_APP_KEY" in lacking.stderr
    assert not (folder / "errata.yaml").exists()
    environment["ERRATA_SHIPPER_APP_KEY"] = APP_KEY
    made = subprocess.run(command, env=environment, **run)  # type: ignore[call-overload]
    assert (made.returncode, made.stderr) == (0, "")
    written = yaml.safe_load((folder / "errata.yaml").read_text())["errata"]
    assert written["storagePath"] == str(folder / "new-logs")
    assert f"ok      Write access     {folder / 'new-logs'}" in made.stdout


def test_former_names_of_variables_are_read_with_a_warning(fresh: Installation, server: IngestServer) -> None:
    former = {
        "ERRATA_API_KEY": API_KEY,
        "ERRATA_APP_KEY": APP_KEY,
        "ERRATA_BASE_URL": server.base_url,
        "ERRATA_STORAGE_PATH": str(fresh.storage_path),
    }
    environment = {**ENVIRONMENT, **former, "ERRATA_SHIPPER_APP_KEY": APP_KEY}
    command = [*COMMAND, "--init", "--config", str(fresh.config)]
    made = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    for name in former:
        warning = f"{name} was used; rename it to {name.replace('ERRATA_', 'ERRATA_SHIPPER_')}"
        assert (warning in made.stderr) == (name != "ERRATA_APP_KEY"), made.stderr
    assert API_KEY not in made.stderr


def test_an_existing_file_is_replaced_only_if_that_is_asked_for(
    installation: Installation, server: IngestServer
) -> None:
    before = installation.config.read_text()
    refused = installation.run("--init", *options(installation, server))
    assert refused.returncode == 2
    assert "already exists; pass --force to replace it" in refused.stderr
    assert installation.config.read_text() == before
    installation.config.chmod(0o644)
    assert installation.run("--init", "--force", *options(installation, server)).returncode == 0
    assert "flushInterval" not in installation.config.read_text()
    assert installation.config.stat().st_mode & 0o777 == 0o600


def test_swapped_keys_are_named_and_not_written(fresh: Installation, server: IngestServer) -> None:
    swapped = fresh.run("--init", *options(fresh, server, **{"api-key": APP_KEY, "app-key": API_KEY}))
    assert swapped.returncode == 2
    assert "errata.apiKey: contains an application key (errata_app_…); move it to appKey" in swapped.stderr
    assert "errata.appKey: contains an API key (errata_api_…); move it to apiKey" in swapped.stderr
    assert not fresh.config.exists()


def test_a_refused_key_is_kept_with_its_remedy(fresh: Installation, server: IngestServer) -> None:
    refused = fresh.run("--init", *options(fresh, server, **{"api-key": "errata_api_old"}))
    assert refused.returncode == 5
    assert "set apiKey to the current API key" in refused.stdout
    assert f"Fix what failed, then run: errata-shipper --config {fresh.config} --test" in refused.stdout
    assert fresh.config.exists()


def test_a_terminal_is_asked_until_each_answer_fits(fresh: Installation, server: IngestServer) -> None:
    dialog = [
        ("Server address", "errata.example.com"),
        ("errata.baseUrl: is not a valid URL", server.base_url),
        ("API key (errata_api_…): ", APP_KEY),
        ("errata.apiKey: contains an application key", API_KEY),
        ("Application key (errata_app_…): ", APP_KEY),
        ("Directory of the log files [/var/log/errata]: ", str(fresh.storage_path)),
    ]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "--config", str(fresh.config), "--init"],
        env=ENVIRONMENT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = ""
        for expected, answer in dialog:
            while not (expected in shown and shown.endswith(": ")):
                shown += os.read(ours, 4096).decode()
            shown = ""
            os.write(ours, f"{answer}\n".encode())
        while "--record" not in shown:
            shown += os.read(ours, 4096).decode()
        assert process.wait(20) == 0
    os.close(ours)
    assert "ok      Application key  accepted" in shown
    # The API key was typed unseen.
    assert API_KEY not in shown
    written = yaml.safe_load(fresh.config.read_text())["errata"]
    assert (written["apiKey"], written["appKey"]) == (API_KEY, APP_KEY)

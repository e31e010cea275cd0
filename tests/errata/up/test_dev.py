"""`errata dev`: a change of a file is answered by a new process, and the service goes on."""

import time

import pytest
import urllib3

from errata.__main__ import main
from errata.up.web import ROOT, web_arguments
from tests.service import Service, running


def test_only_a_service_in_development_loads_files_anew() -> None:
    assert "--reload" not in web_arguments("127.0.0.1", 8000, None, None)
    arguments = web_arguments("127.0.0.1", 8000, None, None, reloads=True)
    watched = [arguments[at + 1] for at, word in enumerate(arguments) if word == "--reload-dir"]
    assert str(ROOT / "dashboards") in watched and str(ROOT / "tests") not in watched


def test_several_workers_cannot_be_loaded_anew(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "--workers", "2"]) == 2
    assert "--workers" in capsys.readouterr().err


def started_at(service: Service) -> float:
    return max(one.create_time() for one in service.processes()["web"])


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_change_is_answered_by_a_new_process() -> None:
    with running("--no-pipelines", command="dev") as service:
        before = started_at(service)
        (ROOT / "dashboards" / "app.py").touch()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and started_at(service) == before:
            time.sleep(0.2)
        assert started_at(service) > before
        address = f"{service.credentials['base_url']}/api/health"
        while urllib3.request("GET", address, retries=20, timeout=10).status != 200:
            assert time.monotonic() < deadline
            time.sleep(0.5)

import stat
from pathlib import Path

import pytest
from errata_shipper.settings import load_settings

from demo.folder import DemoError, DemoFolder
from demo.stage import is_refused
from tests.errata.outgoing.servers import Reply, serving


def test_a_second_demonstration_in_the_same_folder_is_told_of_the_first(tmp_path: Path) -> None:
    with (
        DemoFolder(tmp_path).hold(),
        pytest.raises(DemoError, match=r"already running: process \d+ in "),
        DemoFolder(tmp_path).hold(),
    ):
        pass
    with DemoFolder(tmp_path).hold():
        pass


def test_the_shop_keeps_its_port_from_one_demonstration_to_the_next(tmp_path: Path) -> None:
    port = DemoFolder(tmp_path).port("shop")
    assert port > 1024
    assert DemoFolder(tmp_path).port("shop") == port


def test_the_shipper_reads_what_the_demonstration_writes_for_it(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path)
    folder.write_shipper_config("http://127.0.0.1:8000", "errata_api_" + "a" * 32, "errata_app_" + "b" * 32)
    assert stat.S_IMODE(folder.shipper_config.stat().st_mode) == 0o600
    settings = load_settings(folder.shipper_config)
    assert settings.storage_path == folder.logs
    assert settings.flush_interval_seconds == 1.0
    assert settings.base_url == "http://127.0.0.1:8000"


def test_a_key_that_the_service_refuses_is_known_before_the_shipper_starts() -> None:
    with serving(lambda asked: Reply(401 if "dead" in asked.headers["authorization"] else 200)) as server:
        assert is_refused(server.url, "errata_api_dead")
        assert not is_refused(server.url, "errata_api_current")
    assert not is_refused(server.url, "errata_api_dead")

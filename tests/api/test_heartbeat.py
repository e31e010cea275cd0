"""The health of the pipelines, wherever they run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.heartbeat import heartbeat_check
from errata.state import Store
from errata.state.database import Database
from errata.state.heartbeats import FORGOTTEN_AFTER, STALE_AFTER, note_heartbeat


class Hosts:
    """Two hosts of pipelines, and a clock."""

    def __init__(self, url: str) -> None:
        self.now = datetime(2026, 11, 26, tzinfo=UTC)
        self.database = Database(url, lambda: self.now)
        self.store = Store(self.database, b"s" * 32)
        self.store.migrate()
        self.check = heartbeat_check(self.store, is_expected=True)

    def note(self, host: str, *, has_built: bool = False) -> None:
        note_heartbeat(self.database, host, has_built=has_built)

    def wait(self, time: timedelta) -> None:
        self.now += time


@pytest.fixture
def hosts(tmp_path: Path) -> Hosts:
    return Hosts(f"sqlite:///{tmp_path / 'state.db'}")


def test_pipelines_are_off_starting_ok_and_failing(hosts: Hosts) -> None:
    assert heartbeat_check(hosts.store, is_expected=False)() == "off"
    assert hosts.check() == "starting"
    hosts.note("one")
    hosts.wait(timedelta(minutes=2, seconds=-1))
    assert hosts.check() == "ok"
    hosts.wait(timedelta(seconds=1))
    assert hosts.check() == "failing"


def test_pipelines_that_run_and_do_not_build_fail(hosts: Hosts) -> None:
    hosts.note("one")
    hosts.wait(timedelta(minutes=30, seconds=-1))
    hosts.note("one")
    assert hosts.check() == "ok"
    hosts.wait(timedelta(seconds=1))
    hosts.note("one")
    assert hosts.check() == "failing"
    hosts.note("one", has_built=True)
    assert hosts.check() == "ok"


def test_one_living_host_is_enough_and_one_that_is_gone_is_forgotten(hosts: Hosts) -> None:
    hosts.note("one")
    hosts.wait(STALE_AFTER)
    hosts.note("two")
    assert hosts.check() == "ok"
    assert [each.host for each in hosts.store.heartbeats.all()] == ["two", "one"]
    hosts.wait(FORGOTTEN_AFTER)
    assert hosts.check() == "starting"

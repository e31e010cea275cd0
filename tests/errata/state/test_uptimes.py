"""When the service was up, and when it was not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.state import Store
from errata.state.database import Database
from errata.state.uptimes import FORGOTTEN_AFTER

BEGAN = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Clock:
    def __init__(self, url: str) -> None:
        self.now = BEGAN
        self.store = Store(Database(url, lambda: self.now), b"s" * 32)
        self.store.migrate()

    def live(self, length: timedelta) -> None:
        """A process that starts now, and then notes twice that it is up."""
        began_at = self.now
        for _ in range(2):
            self.store.uptimes.note(began_at)
            self.now += length / 2
        self.store.uptimes.note(began_at)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(f"sqlite:///{tmp_path / 'state.db'}")


def test_between_the_last_sign_of_life_and_the_next_start_the_service_was_away(clock: Clock) -> None:
    assert clock.store.uptimes.absences() == []
    clock.live(timedelta(hours=1))
    assert clock.store.uptimes.absences() == []
    clock.now += timedelta(minutes=7)
    clock.live(timedelta(hours=1))
    left_at = BEGAN + timedelta(hours=1)
    assert clock.store.uptimes.absences() == [(left_at, left_at + timedelta(minutes=7))]


def test_while_another_node_is_up_the_service_is_not_away(clock: Clock) -> None:
    clock.store.uptimes.note(BEGAN)
    clock.now += timedelta(minutes=10)
    clock.live(timedelta(minutes=10))
    clock.now = BEGAN + timedelta(minutes=30)
    clock.store.uptimes.note(BEGAN)
    clock.now += timedelta(seconds=5)
    clock.live(timedelta(minutes=1))
    last = BEGAN + timedelta(minutes=30)
    assert clock.store.uptimes.absences() == [
        (last, last + timedelta(seconds=5)),
    ]


def test_old_spans_are_forgotten(clock: Clock) -> None:
    clock.live(timedelta(hours=1))
    clock.now += FORGOTTEN_AFTER + timedelta(days=1)
    clock.live(timedelta(hours=1))
    assert clock.store.uptimes.absences() == []

"""Replays of a project as they are listed: filters, order, copies and missing segments."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.replays.list import ReplayFilters, replays_of_project
from errata.warehouse.queries.replays.replay import replay_by_id
from tests.builders import Row, insert

NOW = datetime.now(UTC).replace(microsecond=0)
HERS = '{"user":{"email":"a@example.org"}}'
PERIOD = Period("14d").of_events(NOW)
MASKED, UNMASKED, OTHER = (UUID(int=number) for number in (5, 6, 7))


def a_segment(replay: UUID, number: int, began: datetime, **values: Any) -> list[Row]:
    """Description and recording, which lasts five seconds."""
    shared = {"project_id": 7, "replay_id": replay, "segment_id": number, "occurred_at": began}
    told = ("environment", "release", "urls", "error_ids", "user_hash", "payload", "replay_type")
    described = {name: values.pop(name) for name in told if name in values}
    recorded = {"recording": "[]", "recording_bytes": 10, "event_count": 3, "first_event_at": began}
    items = UUID(int=replay.int * 1000 + number * 2), UUID(int=replay.int * 1000 + number * 2 + 1)
    return [
        {**shared, "part": "event", "item_id": items[0], **described},
        {
            **shared,
            **recorded,
            "part": "recording",
            "item_id": items[1],
            "last_event_at": began + timedelta(seconds=5),
            **values,
        },
    ]


@pytest.fixture
def filled(ingest: Warehouse) -> None:
    first, second = NOW - timedelta(hours=3), NOW - timedelta(hours=1)
    rows = [
        *a_segment(
            MASKED,
            0,
            first,
            urls=["/a"],
            environment="production",
            user_hash=9,
            payload='{"user":{"email":"a@example.org"}}',
        ),
        # Segment 1 did not arrive, 3 came before 2.
        *a_segment(
            MASKED, 3, first + timedelta(seconds=30), urls=["/c"], error_ids=["b", "a"], dead_click_count=1
        ),
        *a_segment(
            MASKED, 2, first + timedelta(seconds=20), urls=["/b", "/a"], error_ids=["a"], rage_click_count=2
        ),
        *a_segment(UNMASKED, 0, second, is_unmasked=True, environment="staging", release="2.0"),
        *a_segment(OTHER, 0, NOW - timedelta(days=20)),
    ]
    insert(ingest, "errata_raw.replay_segments", rows)
    # A client that retries sends the same segments again.
    insert(ingest, "errata_raw.replay_segments", rows)
    insert(ingest, "errata_raw.replay_segments", [{**rows[0], "project_id": 8, "replay_id": UUID(int=1)}])
    # Of this one no recording has arrived.
    insert(ingest, "errata_raw.replay_segments", a_segment(UUID(int=2), 0, second)[:1])


def listed(read: Warehouse, **filters: Any) -> list[UUID]:
    return [one.replay_id for one in replays_of_project(read, 7, ReplayFilters(PERIOD, **filters)).replays]


@pytest.mark.usefixtures("filled")
def test_replays_are_listed_latest_first_and_filtered(read: Warehouse) -> None:
    assert listed(read) == [UNMASKED, MASKED]
    for filters in (
        {"page": "/c"},
        {"user_hash": 9},
        {"user_words": "EXAMPLE.org  a@"},
        {"environment": "production"},
        {"has_errors": True},
        {"has_rage_clicks": True},
        {"has_dead_clicks": True},
    ):
        assert listed(read, **filters) == [MASKED], filters
    assert listed(read, is_unmasked=True) == listed(read, release="2.0") == [UNMASKED]
    assert listed(read, has_errors=True, is_unmasked=True) == []
    assert listed(read, user_words="a@example.org b") == []


@pytest.mark.usefixtures("filled")
def test_pages_of_the_list_follow_each_other(read: Warehouse) -> None:
    first = replays_of_project(read, 7, ReplayFilters(PERIOD), 1)
    assert first.next_cursor
    second = replays_of_project(read, 7, ReplayFilters(PERIOD), 1, first.next_cursor)
    assert [one.replay_id for one in (*first.replays, *second.replays)] == [UNMASKED, MASKED]
    assert second.next_cursor is None


@pytest.mark.usefixtures("filled")
def test_a_replay_is_put_together_from_its_segments_in_any_order(read: Warehouse) -> None:
    found = replay_by_id(read, 7, MASKED)
    assert found is not None
    assert [one.segment_id for one in found.segments] == [0, 2, 3]
    assert (found.segment_count, found.missing_count, found.duration_ms) == (3, 1, 35_000)
    assert (found.rage_click_count, found.dead_click_count, found.event_count) == (2, 1, 9)
    assert (list(found.urls), sorted(found.error_ids)) == (["/a", "/b", "/c"], ["a", "b"])
    assert (found.user_label, found.user_hash, found.is_unmasked) == ("a@example.org", 9, False)


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("replay_id", [UUID(int=1), UUID(int=2), UUID(int=99)])
def test_without_a_recording_of_the_project_there_is_no_replay(read: Warehouse, replay_id: UUID) -> None:
    assert replay_by_id(read, 7, replay_id) is None

"""Recordings that were stored as sent read as those of today."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from api.jobs.recordings import inflate
from errata.warehouse.queries.replays.replay import replay_by_id
from errata.warehouse.queries.replays.segments import recording_of_segment
from errata.warehouse.roles import Role
from tests.builders import insert
from tests.captured_replays import captured_replays, recorded_bytes
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)


def as_sent(replay_id: str, number: int, recorded: bytes, item: int) -> dict[str, Any]:
    return {
        "project_id": 7,
        "replay_id": UUID(replay_id),
        "segment_id": number,
        "part": "recording",
        "occurred_at": NOW,
        "received_at": NOW - timedelta(days=2),
        "item_id": UUID(int=item),
        "payload": base64.b64encode(recorded).decode(),
    }


@pytest.mark.slow
def test_recordings_of_before_are_inflated_once_and_broken_ones_stay(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    replays = captured_replays(NOW)
    rows = [
        as_sent(
            replay.replay_id, number, recorded_bytes(number, events, number % 2 == 1), 100 * index + number
        )
        for index, replay in enumerate(replays, 1)
        for number, events in replay.segments.items()
    ]
    broken = as_sent("d" * 32, 0, b'{"segment_id":0}\nx\x9cbroken', 9)
    insert(ingest, "errata_raw.replay_segments", [*rows, broken])
    assert inflate(ingest, lambda: True) == len(rows)
    assert inflate(ingest, lambda: True) == 0
    for replay in replays:
        replay_id = UUID(replay.replay_id)
        found = replay_by_id(read, 7, replay_id)
        assert found is not None and found.segment_count == len(replay.segments)
        assert [one.segment_id for one in found.segments] == sorted(replay.segments)
        for number, events in replay.segments.items():
            recording = recording_of_segment(read, 7, replay_id, number)
            assert recording is not None and json.loads(recording.text()) == events
    left = ingest.rows(
        "select segment_id, received_at < now() - interval 1 day as is_old from errata_raw.replay_segments "
        "where payload != '' and part = 'recording'"
    )
    assert left == [{"segment_id": 0, "is_old": 1}]
    assert replay_by_id(read, 7, UUID("d" * 32)) is None
    ingest.close()
    read.close()

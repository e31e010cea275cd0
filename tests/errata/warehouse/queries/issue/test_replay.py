from datetime import UTC, datetime, timedelta
from uuid import UUID

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.replay import recording_of_replay
from tests.builders import Row, insert

REPLAY = UUID(int=5)
BEGAN = datetime(2026, 11, 20, 12, tzinfo=UTC)


def a_segment(number: int, part: str, seconds: int, **values: object) -> Row:
    return {
        "project_id": 7,
        "replay_id": REPLAY,
        "segment_id": number,
        "part": part,
        "occurred_at": BEGAN + timedelta(seconds=seconds),
        "item_id": UUID(int=100 * number + len(part)),
        **values,
    }


def test_a_recording_lasts_from_its_first_description_to_its_last(ingest: Warehouse, read: Warehouse) -> None:
    rows = [
        a_segment(0, "event", 5, replay_type="session", started_at=BEGAN, urls=["/", "/cart"]),
        # Recorded bytes name no moment: theirs is that of their arrival.
        a_segment(0, "recording", 600),
        a_segment(1, "event", 65, replay_type="session", urls=["/cart", "/pay"]),
        a_segment(1, "recording", 601),
        a_segment(2, "recording", 602),
        a_segment(0, "recording", 900, replay_id=UUID(int=6)),
        a_segment(3, "recording", 900, project_id=8),
    ]
    insert(ingest, "errata_raw.replay_segments", rows)
    # A client that retries sends the same segments again.
    insert(ingest, "errata_raw.replay_segments", rows)
    found = recording_of_replay(read, 7, REPLAY)
    assert (found.replay_id, found.segment_count, found.replay_type) == (REPLAY, 3, "session")
    assert (found.started_at, found.ended_at) == (BEGAN, BEGAN + timedelta(seconds=65))
    assert found.length_ms == 65_000
    assert sorted(found.urls) == ["/", "/cart", "/pay"]


def test_of_a_recording_that_did_not_arrive_there_is_no_segment(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.replay_segments", [a_segment(0, "recording", 1, project_id=8)])
    found = recording_of_replay(read, 7, REPLAY)
    assert (found.segment_count, found.length_ms, list(found.urls)) == (0, 0, [])

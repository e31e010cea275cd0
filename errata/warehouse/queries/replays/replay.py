"""Replays in detail, without their recordings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from errata.clock import END, utc
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.vocabulary import user_key
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True)
class Segment:
    """`recording_bytes`: of the JSON array of its events."""

    segment_id: int
    recording_bytes: int


@dataclass(frozen=True)
class Replay:
    """A replay with at least one recorded segment. `missing_count`: segments before the last one that did not
    arrive. `error_ids` as the SDK named them. `user_hash` 0: nobody was identified."""

    replay_id: UUID
    began_at: datetime
    ended_at: datetime
    segment_count: int
    segments: Sequence[Segment]
    missing_count: int
    recording_bytes: int
    replay_type: str
    environment: str
    release: str
    browser: str
    os: str
    device: str
    user_hash: int
    user_id: str
    user_email: str
    user_name: str
    user_ip: str
    urls: Sequence[str]
    error_ids: Sequence[str]
    event_count: int
    click_count: int
    rage_click_count: int
    dead_click_count: int
    console_error_count: int
    request_count: int
    navigation_count: int
    is_unmasked: bool

    @property
    def id(self) -> str:
        return self.replay_id.hex

    @property
    def duration_ms(self) -> float:
        return (self.ended_at - self.began_at).total_seconds() * 1000

    @property
    def error_count(self) -> int:
        return len(self.error_ids)

    @property
    def user_key(self) -> str:
        """Empty: nobody was identified."""
        return user_key(self.user_hash) if self.user_hash else ""

    @property
    def user_label(self) -> str:
        """As the list of users names them."""
        return self.user_email or self.user_name or self.user_id or self.user_ip


def replay_by_id(warehouse: Warehouse, project_id: int, replay_id: UUID) -> Replay | None:
    """None: no recorded segment arrived, or none is stored any more."""
    about = {"project_id": project_id, "replay_id": str(replay_id)}
    (receipt,) = warehouse.rows(sql.query("receipt_of_replay"), about)
    found = replays_by_id(
        warehouse, project_id, [replay_id], utc(receipt["received_since"]), utc(receipt["received_until"])
    )
    return next(iter(found), None)


def replays_by_id(
    warehouse: Warehouse,
    project_id: int,
    replay_ids: Sequence[UUID],
    received_since: datetime,
    received_until: datetime = END,
) -> Sequence[Replay]:
    """In the order of their ids; those without a recorded segment are left out."""
    if not replay_ids:
        return ()
    parameters = {
        "project_id": project_id,
        "replays": list(map(str, replay_ids)),
        "received_since": received_since,
        "received_until": received_until,
    }
    found = {
        row["replay_id"]: typed(Replay, row, segments=[Segment(*one) for one in row["recorded"]])
        for row in warehouse.rows(sql.query("replays_in_detail"), parameters, BOTH_CORES)
    }
    return [found[replay_id] for replay_id in replay_ids if replay_id in found]

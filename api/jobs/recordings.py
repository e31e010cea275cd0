"""The job that inflates recordings of before, which were stored as sent: pages read one form of them."""

import logging
from base64 import b64decode
from collections.abc import Callable
from uuid import UUID

from api.context import Context
from api.ingest.item import Item
from api.ingest.recording import Unusable, opened
from api.ingest.replay_rows import replay_recording_rows
from api.ingest.row_inserts import Row, store
from api.ingest.values import warehouse_time
from api.jobs.job import Job, Run
from errata.clock import utc
from errata.scrubbing import TooDeep, TooLarge, TooManySuspects
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

log = logging.getLogger("errata.jobs")

EVERY_SECONDS = 600.0
AT_ONCE = 20
TABLE = "errata_raw.replay_segments"
NOWHERE = (0, UUID(int=0))


def recordings_job(context: Context) -> Job:
    def work(run: Run) -> None:
        for shard in context.warehouse.there():
            inflate(shard, run.goes_on)

    return Job("recordings", work, EVERY_SECONDS)


def inflate(warehouse: Warehouse, goes_on: Callable[[], bool]) -> int:
    """Stores each recording again, inflated, then deletes it as it was sent; returns how many. What cannot be
    opened stays as it is until it expires. After a kill some are stored twice, as by a delivery that is
    repeated."""
    place, count = NOWHERE, 0
    while goes_on() and (found := _as_sent(warehouse, place)):
        place = found[-1]["project_id"], found[-1]["item_id"]
        by_project: dict[int, list[UUID]] = {}
        rows = []
        for one in found:
            if (row := _inflated(one)) is not None:
                rows.append(row)
                by_project.setdefault(one["project_id"], []).append(one["item_id"])
        store(warehouse, TABLE, rows)
        for project_id, items in by_project.items():
            parameters = {"project_id": project_id, "items": list(map(str, items))}
            warehouse.execute(sql.query("remove_recordings_as_sent"), parameters)
        count += len(rows)
    return count


def _as_sent(warehouse: Warehouse, after: tuple[int, UUID]) -> list[Row]:
    parameters = {"after_project": after[0], "after_item": str(after[1]), "limit": AT_ONCE}
    return warehouse.rows(sql.query("recordings_as_sent"), parameters)


def _inflated(row: Row) -> Row | None:
    """The row as ingest would store it today, received when it was."""
    try:
        recording = opened(b64decode(row["payload"]))
    except (Unusable, TooDeep, TooLarge, TooManySuspects, RecursionError) as error:
        log.info("An older recording can't be decompressed: %s", error)
        return None
    received_at, headers = utc(row["received_at"]), {"replay_id": row["replay_id"].hex}
    item = Item(row["project_id"], "", "replay_recording", headers, {}, recording, received_at, b"")
    made = replay_recording_rows(item, received_at)[TABLE]
    return {**made[0], "received_at": warehouse_time(received_at)} if made else None

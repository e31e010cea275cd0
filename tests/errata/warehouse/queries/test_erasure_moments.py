"""What an erasure takes of rows received, or recorded, at its very moment."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.items import Subject, preview
from errata.warehouse.queries.erasures.removal import ITEM_TABLES, PROJECT_TABLES, count_project
from tests.builders import Row
from tests.warehouse_rows import insert_rows

AT = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
AFTER = AT + timedelta(milliseconds=1)
USER = 5
# Of tables without items, where it isn't `received_at`.
MOMENTS = {
    "errata_raw.issue_actions": "acted_at",
    "errata_raw.issue_states": "acted_at",
    "errata_raw.variants": "recorded_at",
    "errata_raw.variant_sources": "looked_at",
    "errata_raw.variant_issues": "recorded_at",
    "errata_raw.variant_assignments": "first_seen_at",
}


def put(admin: Warehouse, table: str, *rows: Row) -> None:
    insert_rows(admin, table, [{"project_id": 7, **row} for row in rows])


def item(received_at: datetime, **values: object) -> Row:
    return {"item_id": str(uuid4()), "received_at": text(received_at), "occurred_at": text(AT), **values}


def text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}"


def test_a_persons_items_received_at_the_moment_of_the_erasure_go(ingest: Warehouse, read: Warehouse) -> None:
    for received_at in (AT, AFTER):
        view, request = item(received_at), item(received_at)
        for table in ITEM_TABLES:
            # Spans belong to a page view, or to a request; parts of a view and files of an event have no user
            # of their own.
            own = {
                "errata_raw.spans": [view, request],
                "errata_raw.page_resources": [view],
                "errata_raw.attachments": [item(received_at, event_id=view["item_id"])],
            }
            named = [{**(request if table == "errata_raw.requests" else view), "user_hash": USER}]
            put(ingest, table, *own.get(table, named))
    found = preview(read, 7, Subject(users=[USER]), AT)
    assert {one.table: one.row_count for one in found} == {
        table: 2 if table == "errata_raw.spans" else 1 for table in ITEM_TABLES
    }


def test_replays_of_an_interval_begin_with_it_and_end_before_its_end(
    ingest: Warehouse, read: Warehouse
) -> None:
    since, until = AT - timedelta(hours=2), AT - timedelta(hours=1)
    just_before = timedelta(milliseconds=-1)
    for moment in (since + just_before, since, until + just_before, until):
        # With and without an ID of the replay.
        known = item(AT, occurred_at=text(moment), replay_id=str(uuid4()))
        put(ingest, "errata_raw.replay_segments", known, item(AT, occurred_at=text(moment)))
    (found,) = preview(read, 7, Subject(replays_from=since, replays_until=until), AT)
    assert found.row_count == found.item_count == 4


def test_rows_of_a_project_go_that_were_recorded_at_the_moment_of_the_erasure(
    ingest: Warehouse, read: Warehouse
) -> None:
    for table in PROJECT_TABLES:
        if table in ITEM_TABLES:
            late = item(AT + timedelta(minutes=30))
            put(ingest, table, item(AT, occurred_at=text(AFTER)), late, item(AFTER, occurred_at=text(AFTER)))
        else:
            for moment in (AT, AFTER):
                put(ingest, table, {MOMENTS.get(table, "received_at"): text(moment)})
    assert count_project(read, 7, AT) == {table: 2 if table in ITEM_TABLES else 1 for table in PROJECT_TABLES}

"""Bytes on disk of the captured replays: their recordings, and all that is kept of them."""

from datetime import UTC, datetime

from bench.figures import figure
from errata.warehouse.roles import Role
from tests.captured_replays import captured_replays
from tests.recording_senders import Host
from tests.service import Service

TABLE = "errata_raw.replay_segments"
OF_TABLE = """
    select
        sum(bytes_on_disk) as bytes,
        count() as parts
    from system.parts
    where database = 'errata_raw' and table = 'replay_segments' and active
"""
OF_RECORDINGS = """
    select
        sum(column_data_compressed_bytes) as bytes,
        sum(column_data_uncompressed_bytes) as inflated_bytes
    from system.parts_columns
    where database = 'errata_raw' and table = 'replay_segments' and active and column = 'recording'
"""
SEGMENTS = f"select countIf(part = 'recording') as segments, uniq(replay_id) as replays from {TABLE}"


def captured_replays_stored(service: Service) -> None:
    """The segments are delivered one at a time, as browsers send them."""
    host = Host(service, service.credentials["app_key"])
    sent = 0
    for replay in captured_replays(datetime.now(UTC)):
        for line in replay.lines():
            assert host.deliver([line]).status == 200
            sent += len(line)
    admin = service.warehouse(Role.ADMIN, 600)
    (stored,), (delivered,) = admin.rows(SEGMENTS), admin.rows(OF_TABLE)
    figure("replays_on_disk_as_delivered", delivered["bytes"] / 1e3, "kB", parts=delivered["parts"], **stored)
    # As merges leave a day of more: only then is each column a file of its own.
    admin.execute(
        f"alter table {TABLE} modify setting min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0"
    )
    admin.execute(f"optimize table {TABLE} final settings optimize_skip_merged_partitions = 0")
    (merged,), (recordings,) = admin.rows(OF_TABLE), admin.rows(OF_RECORDINGS)
    figure("replays_on_disk_merged", merged["bytes"] / 1e3, "kB", sent_kb=sent // 1000, **stored)
    inflated = recordings["inflated_bytes"] // 1000
    figure("recordings_on_disk_merged", recordings["bytes"] / 1e3, "kB", inflated_kb=inflated, **stored)
    admin.close()

"""A data directory with a running warehouse, an account and two events: enough to back up and restore."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

from errata.backup.directory import BackupDirectory
from errata.backup.take import Options, back_up
from errata.state import Store
from errata.up.data_directory import DataDirectory
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.erasures import removal
from errata.warehouse.queries.erasures.listing import ITEMS
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, record
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess, start_warehouse
from tests.warehouse_rows import insert_rows

EVENTS = "errata_raw.error_events"


@dataclass(frozen=True)
class SmallService:
    data: DataDirectory
    warehouse: WarehouseProcess
    erased: UUID
    kept: UUID

    def take(self, backups: Path, options: Options = Options()) -> str:
        """A backup by a command of this process; its name."""
        before = os.umask(0o077)
        try:
            assert back_up({}, self.data.path, str(backups), options) == 0
        finally:
            os.umask(before)
        return BackupDirectory(backups).complete()[-1]

    def erase(self) -> None:
        now = datetime.now(UTC)
        with closing(self.warehouse.client(Role.ADMIN)) as client:
            erasure = Erasure(1, uuid4(), Kind.EVENT, self.erased.hex, "owner@localhost", now)
            item = {"source": EVENTS, "occurred_on": f"{now:%F}", "received_on": f"{now:%F}", "row_count": 1}
            known = {"project_id": 1, "item_id": str(self.erased), "erasure_id": str(erasure.erasure_id)}
            record(client, erasure, Step.ASKED)
            insert_rows(client, ITEMS, [{**known, **item}])
            removal.remove_items(client, erasure, lambda: True)
            record(client, erasure, Step.SETTLED)


@dataclass(frozen=True)
class Taken:
    """`first` has the event that was erased before the `last`, which builds upon it; `others` is a directory
    of backups of the same service."""

    service: SmallService
    place: Path
    first: str
    last: str
    others: Path


def events(warehouse: WarehouseProcess) -> set[UUID]:
    with closing(warehouse.client(Role.ADMIN)) as client:
        return {row["item_id"] for row in client.rows(f"select item_id from {EVENTS}")}


@contextmanager
def small_service(data: Path) -> Iterator[SmallService]:
    directory = DataDirectory(data)
    directory.create()
    directory.begin()
    warehouse = start_warehouse(data)
    directory.warehouse_address_path.write_text(f"127.0.0.1:{warehouse.port}")
    found = SmallService(directory, warehouse, uuid4(), uuid4())
    with closing(warehouse.client(Role.ADMIN)) as client:
        migrate(client)
        now = f"{datetime.now(UTC):%F %T}.000"
        rows = [
            {"project_id": 1, "item_id": str(one), "occurred_at": now, "received_at": now}
            for one in (found.erased, found.kept)
        ]
        insert_rows(client, EVENTS, rows)
    with closing(Store.open(directory.state_url, directory.secret().encode())) as store:
        store.migrate()
        store.accounts.create_first("Acme", "Shop", "owner@shop.example")
    try:
        yield found
    finally:
        warehouse.stop()

"""Counts stand still while builds are published beside the readers."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from errata.period import Period
from errata.warehouse.client import Row
from errata.warehouse.queries.issue.head import issue_head
from errata.warehouse.queries.issues.choices import choices_of_project
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.builders import a_mapping, a_variant, insert
from tests.processes import WarehouseProcess
from tests.warehouse_builds import BRISK, some_events


@pytest.mark.slow
def test_issue_counts_stand_still_while_builds_are_published(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    events = some_events(random.Random(3), datetime.now(UTC), 300)
    _store(warehouse, events)
    project_id = events[0]["project_id"]
    ended = threading.Event()

    def figures() -> object:
        period = Period("14d").of_events(datetime.now(UTC))
        listed = issues_of_project(read, project_id, IssueFilters(period=period)).issues
        heads = [issue_head(read, project_id, one.issue_id, period) for one in listed[:1]]
        return listed, heads, choices_of_project(read, project_id, period.since)

    def disturb() -> None:
        try:
            for _ in range(4):
                list(build_due(builder, ["variant_hourly", "variant_daily"], BRISK))
                insert(ingest, "errata_raw.error_events", events)
        finally:
            ended.set()

    before, reads = figures(), 0
    with ThreadPoolExecutor(1) as other:
        disturbed = other.submit(disturb)
        while not ended.is_set() or reads < 3:
            assert figures() == before
            reads += 1
        disturbed.result()
    for client in (ingest, builder, read):
        client.close()


def _store(warehouse: WarehouseProcess, events: list[Row]) -> None:
    ingest = warehouse.client(Role.INGEST)
    keys = {(event["project_id"], event["variant_hash"]) for event in events}
    insert(ingest, "errata_raw.variants", [a_variant(project_id=p, variant_hash=v) for p, v in keys])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(project_id=p, variant_hash=v, issue_id=v) for p, v in keys],
    )
    insert(ingest, "errata_raw.error_events", events)
    ingest.close()

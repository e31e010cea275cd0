"""A fresh installation: every check of every asset passes, before the first events and after."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import dagster as dg
import pytest

from api.ingest.telemetry import rows_of
from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.definitions import defs
from pipelines.resources import StateResource, WarehouseResource
from tests.builders import a_delivery
from tests.captured_errors import captured_errors
from tests.captures import an_item, browser_items, moved, moved_to, payloads
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

JOBS = (
    "refresh_errors",
    "refresh_performance",
    "compare",
    "judge_budgets",
    "check_marts",
    "compare_with_logs",
)


def state_store(directory: Path) -> str:
    url = f"sqlite:///{directory / 'state.db'}"
    opened = Store.open(url, b"a secret of more than sixteen bytes")
    opened.migrate()
    opened.accounts.create_first("Acme", "Web shop", "ada@example.org")
    opened.close()
    return url


def deliver_some_events(warehouse: WarehouseProcess) -> None:
    """Errors, page loads and calls of real SDKs, received two minutes ago; every fourth twice."""
    now = datetime.now(UTC)
    by = moved_to(now)
    items = list(islice(browser_items("v11", by, ("transaction", "span")), 60))
    items += [an_item("transaction", moved(one, by)) for one in islice(payloads("python_transactions"), 20)]
    ingest = warehouse.client(Role.INGEST)
    errors = captured_errors(ingest, 1)
    errors["errata_raw.error_events"] = errors["errata_raw.error_events"][:40]
    ingest.close()
    deliveries = {"errata_raw.deliveries": [a_delivery(project_id=1)]}
    batches = [*(rows_of(item, now) for item in items), errors, deliveries]
    for table, rows in (item for batch in batches for item in batch.items()):
        # Variants have a moment of their own.
        for row in rows if not table.startswith("errata_raw.variant") else ():
            row["received_at"] = now - timedelta(minutes=2)
    copies = {"errata_raw.error_events": errors["errata_raw.error_events"][::4]}
    store(warehouse, *batches, *batches[:60:4], copies)


def run_all_jobs(warehouse: WarehouseProcess, state_url: str) -> Counter[tuple[str, bool]]:
    resources = {
        "warehouse": WarehouseResource(url=warehouse.url(Role.BUILD)),
        "state": StateResource(url=state_url),
    }
    evaluated: Counter[tuple[str, bool]] = Counter()
    with dg.DagsterInstance.ephemeral() as instance:
        for name in JOBS:
            done = defs.resolve_job_def(name).execute_in_process(instance=instance, resources=resources)
            assert done.success
            evaluated.update((one.check_name, one.passed) for one in done.get_asset_check_evaluations())
    return evaluated


@pytest.mark.timeout(900)
@pytest.mark.slow
@pytest.mark.parametrize("has_events", [False, True], ids=["empty", "first events"])
def test_every_check_of_every_asset_passes(
    warehouse: WarehouseProcess, tmp_path: Path, has_events: bool
) -> None:
    if has_events:
        deliver_some_events(warehouse)
    evaluated = run_all_jobs(warehouse, state_store(tmp_path))
    names = {key.name for key in defs.get_repository_def().asset_graph.asset_check_keys}
    assert evaluated == {(name, True): 1 for name in names}
    admin = warehouse.client(Role.ADMIN)
    for mart in ("variant_hourly", "repeated_events", "page_metrics_daily", "endpoint_metrics_hourly"):
        found = admin.rows(f"select count() as row_count from errata_mart.{mart}")
        assert bool(found[0]["row_count"]) == has_events, mart
    admin.close()

"""Merge, split, regroup, roll back, new events, in any order: no event is lost or in two issues.

A short run; `python -m bench.decisions` makes long ones.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from errata.state import Store
from tests.people_and_rules import PeopleAndRules
from tests.processes import WarehouseProcess


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_people_and_rules_in_any_order(warehouse: WarehouseProcess) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(f"sqlite:///{Path(folder) / 'state.db'}", b"s" * 48)
        store.migrate()
        account = store.accounts.create_first("Acme", "Web shop", "owner@example.org")
        owner = store.keys.api.owner(account.api_key)
        assert owner is not None
        PeopleAndRules.in_(warehouse, store, owner.organization_id)
        run_state_machine_as_test(
            PeopleAndRules,
            settings=settings(
                max_examples=3,
                stateful_step_count=8,
                deadline=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
        store.close()

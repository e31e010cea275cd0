"""Decides at random about grouping, for long, and compares with a model after each step: exact or it fails.

python -m bench.decisions --examples 300 --steps 25 --seed 1
"""

import argparse
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from bench.figures import figure
from errata.state import Store
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.people_and_rules import PeopleAndRules
from tests.processes import start_warehouse


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--state", default="", help="URL of an empty PostgreSQL database (default: a SQLite file)"
    )
    chosen = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        running = start_warehouse(Path(directory))
        try:
            migrate(running.client(Role.ADMIN))
            store = Store.open(chosen.state or f"sqlite:///{directory}/state.db", b"s" * 48)
            store.migrate()
            account = store.accounts.create_first("Acme", "Web shop", "owner@example.org")
            owner = store.keys.api.owner(account.api_key)
            assert owner is not None
            PeopleAndRules.in_(running, store, owner.organization_id)
            decide(chosen.examples, chosen.steps, chosen.seed)
            store.close()
        finally:
            running.stop()
    figure(
        "decisions in any order, all exact",
        PeopleAndRules.steps["steps"],
        "steps",
        **{name: count for name, count in PeopleAndRules.steps.items() if name != "steps"},
        seed=chosen.seed,
        state="PostgreSQL" if chosen.state else "SQLite",
        seconds=round(time.monotonic() - began),
    )


def decide(examples: int, steps: int, number: int) -> None:
    run_state_machine_as_test(
        seed(number)(PeopleAndRules),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )


if __name__ == "__main__":
    main()

"""A project is applied whole or not at all, whatever stops it."""

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from errata.budgets.limit import Limit
from errata.configuration.apply import applied
from errata.configuration.errors import ApplyFailed
from errata.state import Store
from errata.state.errors import ProjectNotFound
from tests.configured import ACTOR, EVERYTHING, SECRET, Configured

FEW = (
    "version: 1\nprojects:\n- {slug: docs, name: Docs}\n"
    "- slug: shop\n  name: Shop\n  application_keys: ['*', web]\n"
)
APPLY = """
import sys
from tests.configured import Configured, SECRET
from errata.state import Store
Configured(Store.open(sys.argv[1], SECRET)).apply(open(sys.argv[2]).read())
"""
KILLS = 4


def budgets(count: int, name: str = "New") -> str:
    lines = (f"  - {{name: {name} {number}, metric: lcp_ms, threshold: 1}}\n" for number in range(count))
    return "  budgets:\n" + "".join(lines)


def test_a_failure_in_the_middle_leaves_the_project_as_it_was(configured: Configured) -> None:
    refuses_in_the_middle(configured)


def test_a_failure_in_the_middle_on_postgresql(on_postgresql: Configured) -> None:
    refuses_in_the_middle(on_postgresql)


def refuses_in_the_middle(configured: Configured) -> None:
    """The store itself refuses the fortieth budget: sixty stay that the file doesn't name."""
    configured.apply("version: 1\nprojects:\n- {slug: shop, name: Before}\n")
    [organization] = configured.store.accounts.organizations()
    for number in range(60):
        limit = Limit("lcp_ms", "p75", 1.0)
        configured.store.budgets.create(organization.id, "shop", f"Old {number}", limit, actor="a test")
    before = configured.export()
    entries = configured.store.activity.entries(organization.id, limit=1000)
    context = configured.context(FEW + budgets(50))
    with pytest.raises(ApplyFailed) as failed:
        list(applied(context))
    assert "project shop was not changed" in str(failed.value)
    assert "Applied earlier: Acme, project docs" in str(failed.value)
    after = configured.export()
    assert "slug: docs" in after and after.partition("- slug: shop")[2] == before.partition("- slug: shop")[2]
    logged = configured.store.activity.entries(organization.id, limit=1000)
    assert {entry.subject for entry in logged if entry not in entries} == {"docs"}
    # Keys of the project that stays as it was are told to nobody.
    assert [each for each in context.issued if "shop" in each] == []


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_the_project_as_it_was(configured: Configured, state_file: Path) -> None:
    path, undone = state_file.with_name("errata.yaml"), 0
    for number in range(KILLS):
        slug = f"shop-{number}"
        path.write_text(f"version: 1\nprojects:\n- slug: {slug}\n  name: Shop\n{budgets(100)}")
        kill_within(state_file, path)
        try:
            found = configured.store.budgets.of_project(1, slug)
        except ProjectNotFound:
            found = []
        assert len(found) in (0, 100)
        undone += not found
        configured.apply(path.read_text())
        assert len(configured.store.budgets.of_project(1, slug)) == 100
    assert undone > 0


def kill_within(state_file: Path, path: Path) -> None:
    """Kills a process that applies the file, soon after it holds the write lock."""
    child = subprocess.Popen(
        [sys.executable, "-c", APPLY, f"sqlite:///{state_file}", str(path)],
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin"},
    )
    deadline = time.monotonic() + 60
    while not is_locked(state_file) and child.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    # Some time into the transaction.
    time.sleep(0.03)
    child.kill()
    child.wait()


def is_locked(state_file: Path) -> bool:
    with closing(sqlite3.connect(state_file, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("begin immediate")
        except sqlite3.OperationalError:
            return True
        connection.execute("rollback")
        return False


def test_others_see_nothing_of_a_project_before_it_is_whole(configured: Configured, state_file: Path) -> None:
    with closing(Store.open(f"sqlite:///{state_file}", SECRET)) as other:
        with configured.store.database.one_transaction():
            configured.store.projects.create(1, "Shop", actor=ACTOR)
            assert [each.slug for each in configured.store.projects.of_organization(1)] == ["shop"]
            assert other.projects.of_organization(1) == []
        assert [each.slug for each in other.projects.of_organization(1)] == ["shop"]


def test_everything_is_undone_by_an_error_of_any_kind(configured: Configured) -> None:
    with pytest.raises(KeyboardInterrupt), configured.store.database.one_transaction():
        configured.store.projects.create(1, "Shop", actor=ACTOR)
        raise KeyboardInterrupt
    assert configured.store.projects.of_organization(1) == []
    configured.apply(EVERYTHING)
    assert configured.plan(EVERYTHING) == []

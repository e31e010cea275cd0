from dataclasses import replace
from datetime import timedelta

import pytest

from errata.budgets.limit import Limit
from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.alerts.rules import NewRule
from errata.state.errors import BudgetNotFound, ProjectNotFound
from errata.state.every_budget import every_budget
from tests.errata.state.conftest import Clock

LOAD = Limit("load_ms", "p75", 2500.0, "/checkout/*", "production", "mobile", 168, 30)


def test_a_budget_is_made_changed_and_deleted_and_the_activity_log_tells(
    store: Store, organization_id: int, clock: Clock
) -> None:
    made = store.budgets.create(organization_id, "web-shop", " Checkout ", LOAD, actor="ada@example.org")
    assert (made.name, made.limit, made.created_by) == ("Checkout", LOAD, "ada@example.org")
    clock.advance(timedelta(hours=1))
    renamed = store.budgets.change(organization_id, "web-shop", made.id, "Pay", LOAD, actor="bo@example.org")
    assert (renamed.name, renamed.changed_at) == ("Pay", made.changed_at)
    small = Limit("cls", "p99", 0.1)
    changed = store.budgets.change(organization_id, "web-shop", made.id, "Pay", small, actor="bo@example.org")
    assert (changed.limit, changed.changed_at) == (small, clock.now)
    assert store.budgets.of_project(organization_id, "web-shop") == [changed]
    store.budgets.delete(organization_id, "web-shop", made.id, actor="bo@example.org")
    assert store.budgets.of_project(organization_id, "web-shop") == []
    with pytest.raises(BudgetNotFound):
        store.budgets.get(organization_id, "web-shop", made.id)
    told = store.activity.entries(organization_id, kind="budget")
    assert [(entry.action, entry.subject) for entry in told] == [
        ("budget.deleted", "Pay"),
        ("budget.changed", "Pay"),
        ("budget.changed", "Pay"),
        ("budget.created", "Checkout"),
    ]


def test_a_rule_follows_its_budget_until_that_is_deleted(
    store: Store, organization_id: int, clock: Clock
) -> None:
    rules = store.alerts.rules
    budget = store.budgets.create(organization_id, "web-shop", "Pay", LOAD, actor="")
    follows = NewRule("Pay", "budget", {"budget_id": budget.id})
    rule = rules.create(organization_id, "web-shop", follows, actor="")
    assert (rule.condition, rule.budget_name) == (LOAD.as_condition(), "Pay")
    assert rules.with_limit(organization_id, "web-shop", follows.condition) == rule.condition
    clock.advance(timedelta(hours=1))
    store.budgets.change(organization_id, "web-shop", budget.id, "Pay", LOAD, actor="")
    assert rules.get(organization_id, "web-shop", rule.id).since == rule.since
    small = replace(LOAD, threshold=2000.0)
    store.budgets.change(organization_id, "web-shop", budget.id, "Pay", small, actor="")
    [changed] = rules.enabled()
    assert (changed.condition, changed.since) == (small.as_condition(), clock.now)
    clock.advance(timedelta(hours=1))
    store.budgets.delete(organization_id, "web-shop", budget.id, actor="")
    left = rules.get(organization_id, "web-shop", rule.id)
    assert (left.is_on, left.budget_id, left.condition) == (False, "", small.as_condition())
    for budget_id in (budget.id, "0" * 32):
        with pytest.raises(InvalidParameter):
            rules.create(
                organization_id, "web-shop", replace(follows, condition={"budget_id": budget_id}), actor=""
            )


def test_a_budget_of_another_project_or_without_a_name_is_none(store: Store, organization_id: int) -> None:
    with pytest.raises(ProjectNotFound):
        store.budgets.create(organization_id, "other", "Load", LOAD, actor="")
    for name in ("", " ", "a\nb", "n" * 101):
        with pytest.raises(InvalidParameter):
            store.budgets.create(organization_id, "web-shop", name, LOAD, actor="")


def test_every_budget_is_read_with_its_project(store: Store, organization_id: int, state_url: str) -> None:
    made = store.budgets.create(organization_id, "web-shop", "Pay", LOAD, actor="")
    gone = store.budgets.create(organization_id, "web-shop", "Gone", LOAD, actor="")
    store.budgets.delete(organization_id, "web-shop", gone.id, actor="")
    project = store.projects.get(organization_id, "web-shop")
    assert every_budget(state_url) == [(project.id, made)]

from datetime import timedelta

import pytest

from errata.scrubbing import NO_PROJECT_RULES, ProjectRules, ScrubbingRulesNotUnderstood
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.errors import ProjectNotFound
from tests.errata.state.conftest import Clock


def test_rules_are_replaced_as_a_whole_and_read_with_the_keys(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    def routed() -> str:
        return store.keys.app.routes(organization_id, [account.app_key])[account.app_key].scrubbing

    assert (store.scrubbing.get(organization_id, "web-shop").rules, routed()) == (NO_PROJECT_RULES, "")
    first = ProjectRules(("customer",), (r"é\d+",), ("token",), ("demo",))
    store.scrubbing.replace(organization_id, "web-shop", first, actor="ann")
    assert (store.scrubbing.get(organization_id, "web-shop").rules, routed()) == (first, first.text)
    clock.advance(timedelta(hours=1))
    second = ProjectRules(kept_names=("token",))
    replaced = store.scrubbing.replace(organization_id, "web-shop", second, actor="bob")
    assert store.scrubbing.get(organization_id, "web-shop") == replaced
    assert (replaced.rules, replaced.changed_at, replaced.changed_by) == (second, clock.now, "bob")
    store.scrubbing.replace(organization_id, "web-shop", NO_PROJECT_RULES, actor="bob")
    assert (store.scrubbing.get(organization_id, "web-shop").changed_at, routed()) == (None, "")
    written = [
        (entry.action, entry.actor, entry.subject) for entry in store.activity.entries(organization_id)
    ][:3]
    assert written == [("scrubbing_rules.changed", actor, "web-shop") for actor in ("bob", "bob", "ann")]


def test_rules_that_cannot_be_used_change_nothing(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    kept = ProjectRules(("customer",))
    store.scrubbing.replace(organization_id, "web-shop", kept, actor="ann")
    before = len(store.activity.entries(organization_id))
    with pytest.raises(ScrubbingRulesNotUnderstood, match="filtered_patterns, entry 1"):
        store.scrubbing.replace(
            organization_id, "web-shop", ProjectRules(filtered_patterns=("(",)), actor="ann"
        )
    with pytest.raises(ProjectNotFound):
        store.scrubbing.replace(organization_id, "nowhere", kept, actor="ann")
    assert store.scrubbing.get(organization_id, "web-shop").rules == kept
    assert len(store.activity.entries(organization_id)) == before

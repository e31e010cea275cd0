from datetime import timedelta

import pytest

from errata.errors import InvalidParameter
from errata.filters import NO_FILTERS, ProjectFilters
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.errors import ProjectNotFound
from tests.errata.state.conftest import Clock


def test_filters_are_replaced_as_a_whole_and_read_with_the_keys(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    def routed() -> str:
        by_key = store.keys.app.routes(organization_id, [account.app_key])[account.app_key].filters
        assert store.keys.app.route_of_project(organization_id, "web-shop").filters == by_key
        return by_key

    filters = store.inbound_filters
    assert (filters.get(organization_id, "web-shop").filters, routed()) == (NO_FILTERS, "")
    first = ProjectFilters({"error-message": ("*é*",), "web-crawlers": ()})
    filters.replace(organization_id, "web-shop", first, actor="ann")
    assert (filters.get(organization_id, "web-shop").filters, routed()) == (first, first.text)
    clock.advance(timedelta(hours=1))
    second = ProjectFilters({"localhost": ()})
    replaced = filters.replace(organization_id, "web-shop", second, actor="bob")
    assert filters.get(organization_id, "web-shop") == replaced
    assert (replaced.filters, replaced.changed_at, replaced.changed_by) == (second, clock.now, "bob")
    filters.replace(organization_id, "web-shop", NO_FILTERS, actor="bob")
    assert (filters.get(organization_id, "web-shop").changed_at, routed()) == (None, "")
    entries = store.activity.entries(organization_id)[:3]
    assert [(entry.action, entry.actor, entry.subject) for entry in entries] == [
        ("inbound_filters.changed", "bob", "web-shop: all off"),
        ("inbound_filters.changed", "bob", "web-shop: localhost"),
        ("inbound_filters.changed", "ann", "web-shop: error-message, web-crawlers"),
    ]


def test_filters_that_cannot_be_used_change_nothing(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    kept = ProjectFilters({"web-crawlers": ()})
    store.inbound_filters.replace(organization_id, "web-shop", kept, actor="ann")
    before = len(store.activity.entries(organization_id))
    with pytest.raises(InvalidParameter, match="ip-address, entry 1"):
        wrong = ProjectFilters({"ip-address": ("home",)})
        store.inbound_filters.replace(organization_id, "web-shop", wrong, actor="ann")
    with pytest.raises(ProjectNotFound):
        store.inbound_filters.replace(organization_id, "nowhere", kept, actor="ann")
    assert store.inbound_filters.get(organization_id, "web-shop").filters == kept
    assert len(store.activity.entries(organization_id)) == before

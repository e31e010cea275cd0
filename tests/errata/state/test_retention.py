from datetime import timedelta

import pytest

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.errors import ProjectNotFound
from errata.warehouse.retention import DataKind, Retention
from tests.errata.state.conftest import Clock

SHORT = Retention({DataKind.TRACES: 7, DataKind.ERRORS: 60})


def test_days_are_replaced_as_a_whole_and_read_with_the_keys(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    def routed() -> Retention:
        route = store.keys.app.routes(organization_id, [account.app_key])[account.app_key]
        return Retention.of(route.retention)

    (project,) = store.projects.of_organization(organization_id)
    assert (store.retention.all(), routed()) == ({}, Retention())
    store.retention.replace(organization_id, "web-shop", SHORT, actor="ann")
    assert (store.retention.all(), routed()) == ({project.id: SHORT}, SHORT)
    clock.advance(timedelta(hours=1))
    other = Retention({DataKind.REPLAYS: 14})
    replaced = store.retention.replace(organization_id, "web-shop", other, actor="bob")
    assert store.retention.get(organization_id, "web-shop") == replaced
    assert (replaced.changed_at, replaced.changed_by) == (clock.now, "bob")
    store.retention.replace(organization_id, "web-shop", Retention(), actor="bob")
    assert (store.retention.all(), routed()) == ({}, Retention())
    entries = store.activity.entries(organization_id, kind="retention")
    assert [entry.subject for entry in entries] == [
        "web-shop: as long as the service does",
        "web-shop: replays 14",
        "web-shop: errors 60, traces 7",
    ]


@pytest.mark.parametrize(
    ("kind", "days"), [(DataKind.ERRORS, 59), (DataKind.ERRORS, 91), (DataKind.TRACES, 0)]
)
def test_days_that_are_too_few_or_more_than_there_are_change_nothing(
    store: Store, account: FirstAccount, organization_id: int, kind: DataKind, days: int
) -> None:
    store.retention.replace(organization_id, "web-shop", SHORT, actor="ann")
    with pytest.raises(InvalidParameter):
        store.retention.replace(organization_id, "web-shop", Retention({kind: days}), actor="ann")
    assert store.retention.get(organization_id, "web-shop").retention == SHORT
    with pytest.raises(ProjectNotFound):
        store.retention.replace(organization_id + 1, "web-shop", SHORT, actor="ann")


def test_a_deleted_project_has_no_retention(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    store.retention.replace(organization_id, "web-shop", SHORT, actor="ann")
    store.projects.delete(organization_id, "web-shop", actor="ann")
    assert store.retention.all() == {}

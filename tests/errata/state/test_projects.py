"""Projects are renamed and deleted; nobody else's are."""

import pytest
from sqlalchemy import insert

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import ProjectNotFound
from errata.state.organization import Organization
from tests.errata.state.conftest import Clock


def test_a_renamed_project_keeps_its_slug_and_key(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    before = store.projects.get(organization_id, "web-shop")
    changed = store.projects.change(organization_id, "web-shop", "Big shop", "python", actor="x")
    assert (changed.id, changed.slug, changed.app_key_prefix) == (
        before.id,
        "web-shop",
        before.app_key_prefix,
    )
    assert (changed.name, changed.platform) == ("Big shop", "python")
    assert account.app_key in store.keys.app.routes(organization_id, [account.app_key])
    for name in ("", "two\nlines", "x" * 201):
        with pytest.raises(InvalidParameter):
            store.projects.change(organization_id, "web-shop", name, "", actor="x")
    assert store.activity.entries(organization_id)[0].action is Action.PROJECT_CHANGED


def test_a_deleted_project_takes_nothing_more_and_frees_its_slug(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    gone = store.projects.get(organization_id, "web-shop")
    worker = store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    store.projects.delete(organization_id, "web-shop", actor="x")
    assert store.projects.of_organization(organization_id) == []
    assert gone.id not in store.projects.ids()
    assert store.keys.app.routes(organization_id, [account.app_key, worker.key]) == {}
    for act in (store.projects.get, lambda *of: store.projects.delete(*of, actor="x")):
        with pytest.raises(ProjectNotFound):
            act(organization_id, "web-shop")
    again = store.projects.create(organization_id, "Web shop", slug="web-shop", actor="x")
    assert again.project.id != gone.id
    assert set(store.keys.app.routes(organization_id, [again.app_key.key, worker.key])) == {again.app_key.key}
    assert Action.PROJECT_DELETED in {entry.action for entry in store.activity.entries(organization_id)}


def test_a_project_of_another_organization_is_not_found(
    store: Store, account: FirstAccount, clock: Clock
) -> None:
    with store.database.writing() as connection:
        query = insert(Organization).values(name="Other", created_at=clock.now)
        other = int(connection.execute(query.returning(Organization.id)).scalar_one())
    with pytest.raises(ProjectNotFound):
        store.projects.change(other, "web-shop", "Mine", "", actor="x")
    with pytest.raises(ProjectNotFound):
        store.projects.delete(other, "web-shop", actor="x")

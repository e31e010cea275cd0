from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.app_key import AppKey
from errata.state.errors import AppKeyExists, AppKeyNotFound, ProjectExists, ProjectNotFound
from errata.state.organization import Organization
from errata.state.projects import LARGEST_ID, slug_of
from tests.errata.state.conftest import Clock


@pytest.fixture
def foreign_organization_id(store: Store, clock: Clock) -> int:
    with store.database.writing() as connection:
        return int(
            connection.execute(
                insert(Organization).values(name="Other", created_at=clock.now).returning(Organization.id)
            ).scalar_one()
        )


def test_many_keys_are_routed_in_one_call(store: Store, account: FirstAccount, organization_id: int) -> None:
    worker = store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    assert worker.key.startswith("errata_app_worker_")
    unknown = [f"errata_app_{number:040}" for number in range(1200)]
    routes = store.keys.app.routes(
        organization_id, [*unknown, account.app_key, worker.key, account.api_key, "", "x\0\ud800"]
    )
    assert set(routes) == {account.app_key, worker.key}
    assert routes[worker.key].service == "worker" and routes[account.app_key].service == ""
    assert routes[worker.key].project_id == routes[account.app_key].project_id


def test_a_project_of_an_older_version_gets_a_public_key_when_the_store_is_migrated(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    # As projects were before there were public keys.
    with store.database.writing() as connection:
        connection.execute(delete(AppKey).where(AppKey.is_public))
    for _ in range(2):
        store.migrate()
    (key,) = store.keys.app.public_keys(organization_id, account.project)
    assert store.keys.app.sender(key.key) is not None
    # One that was revoked is not made again.
    store.keys.app.revoke(organization_id, account.project, key.id, actor="x")
    store.migrate()
    assert store.keys.app.public_keys(organization_id, account.project) == []


def test_a_replaced_key_routes_for_thirty_days(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    issued = store.keys.app.regenerate(organization_id, "web-shop", actor="x")
    both = [account.app_key, issued.key]
    clock.advance(timedelta(days=30) - timedelta(seconds=1))
    assert set(store.keys.app.routes(organization_id, both)) == set(both)
    clock.advance(timedelta(seconds=1))
    assert set(store.keys.app.routes(organization_id, both)) == {issued.key}
    assert [key.state for key in store.keys.app.of_project(organization_id, "web-shop")] == [
        "current",
        "replaced",
    ]


def test_a_revoked_key_routes_nothing_and_leaves_the_others(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    worker = store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    store.keys.app.revoke(organization_id, "web-shop", worker.id, actor="x")
    assert set(store.keys.app.routes(organization_id, [worker.key, account.app_key])) == {account.app_key}
    with pytest.raises(AppKeyNotFound):
        store.keys.app.revoke(organization_id, "web-shop", worker.id, actor="x")
    with pytest.raises(AppKeyNotFound):
        store.keys.app.regenerate(organization_id, "web-shop", "worker", actor="x")
    again = store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    assert again.key in store.keys.app.routes(organization_id, [again.key])


def test_a_project_whose_own_key_was_revoked_can_have_another(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    (own,) = store.keys.app.of_project(organization_id, "web-shop")
    store.keys.app.revoke(organization_id, "web-shop", own.id, actor="x")
    assert store.projects.get(organization_id, "web-shop").app_key_prefix == ""
    issued = store.keys.app.create(organization_id, "web-shop", "", actor="x")
    assert store.projects.get(organization_id, "web-shop").app_key_prefix == issued.prefix


def test_a_replaced_key_can_be_revoked_before_its_time(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    (own,) = store.keys.app.of_project(organization_id, "web-shop")
    issued = store.keys.app.regenerate(organization_id, "web-shop", actor="x")
    store.keys.app.revoke(organization_id, "web-shop", own.id, actor="x")
    assert set(store.keys.app.routes(organization_id, [account.app_key, issued.key])) == {issued.key}


def test_a_service_has_one_current_key_and_a_plain_name(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    with pytest.raises(AppKeyExists):
        store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    for service in ("Worker", "a_b", "-a", "a-", "x" * 33, "a b", "ä"):
        with pytest.raises(InvalidParameter):
            store.keys.app.create(organization_id, "web-shop", service, actor="x")


def test_a_foreign_project_is_an_unknown_one(
    store: Store, account: FirstAccount, organization_id: int, foreign_organization_id: int
) -> None:
    (own,) = store.keys.app.of_project(organization_id, "web-shop")
    assert store.keys.app.routes(foreign_organization_id, [account.app_key]) == {}
    assert store.projects.of_organization(foreign_organization_id) == []
    attempts: list[Callable[[], object]] = [
        lambda: store.projects.get(foreign_organization_id, "web-shop"),
        lambda: store.keys.app.of_project(foreign_organization_id, "web-shop"),
        lambda: store.keys.app.create(foreign_organization_id, "web-shop", "worker", actor="x"),
        lambda: store.keys.app.regenerate(foreign_organization_id, "web-shop", actor="x"),
        lambda: store.keys.app.revoke(foreign_organization_id, "web-shop", own.id, actor="x"),
    ]
    for attempt in attempts:
        with pytest.raises(ProjectNotFound):
            attempt()


def test_a_key_of_another_project_cannot_be_revoked_through_this_one(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    other = store.projects.create(organization_id, "Other", actor="x")
    with pytest.raises(AppKeyNotFound):
        store.keys.app.revoke(organization_id, "web-shop", other.app_key.id, actor="x")


def test_projects_have_random_ids_and_their_own_slug(store: Store, organization_id: int) -> None:
    created = [
        store.projects.create(organization_id, f"Shop {number}", actor="x").project for number in range(5)
    ]
    ids = [project.id for project in created]
    assert len(set(ids)) == 5 and all(0 < project_id <= LARGEST_ID for project_id in ids)
    assert ids != sorted(ids) or ids[-1] - ids[0] > 100
    listed = store.projects.of_organization(organization_id)
    assert [project.slug for project in listed] == sorted(
        ["web-shop", *(project.slug for project in created)]
    )
    with pytest.raises(ProjectExists):
        store.projects.create(organization_id, "shop 3", actor="x")


@pytest.mark.parametrize(
    ("name", "platform", "slug"),
    [
        ("", "", ""),
        (" ", "", ""),
        ("a\0b", "", ""),
        ("a", "p\0", ""),
        ("a", "", "A b"),
        ("a", "", "-"),
    ],
)
def test_a_project_that_cannot_be_named_is_refused(
    store: Store, organization_id: int, name: str, platform: str, slug: str
) -> None:
    with pytest.raises(InvalidParameter):
        store.projects.create(organization_id, name, platform, slug, actor="x")


def test_a_name_without_latin_letters_gets_a_slug_of_the_id(store: Store, organization_id: int) -> None:
    created = store.projects.create(organization_id, "日本", actor="x").project
    assert (created.name, created.slug) == ("日本", f"project-{created.id}")


def test_a_slug_is_made_of_the_letters_and_digits_of_a_name() -> None:
    assert slug_of("  Größe & Söhne: Shop 2!") == "grosse-sohne-shop-2"
    assert slug_of("x" * 49 + " y") == "x" * 49

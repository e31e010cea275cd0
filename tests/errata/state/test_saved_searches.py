"""Searches that people keep."""

import pytest
from sqlalchemy import select

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.errors import ProjectNotFound, SavedSearchExists, SavedSearchNotFound
from errata.state.saved_searches import PageKind
from errata.state.users import User
from tests.people import joins


@pytest.fixture
def people(store: Store) -> tuple[int, int, int]:
    """The organization, its owner, and a member."""
    store.accounts.create_first("Acme", "Shop", "owner@example.org")
    with store.database.writing() as connection:
        owner = connection.execute(select(User)).one()
    return owner.organization_id, owner.id, joins(store, owner.organization_id, "ada@example.org")


def names(store: Store, organization_id: int, user_id: int | None) -> list[str]:
    return [each.name for each in store.saved_searches.of_project(organization_id, "shop", user_id)]


def test_ones_own_search_is_ones_own_and_a_shared_one_everybodys(
    store: Store, people: tuple[int, int, int]
) -> None:
    organization_id, owner, member = people
    store.saved_searches.save(
        organization_id, "shop", member, name=" mine ", query="is:new", sort="events", is_shared=False
    )
    shared = store.saved_searches.save(
        organization_id, "shop", member, name="Ours", query="level:fatal", sort="last_seen", is_shared=True
    )
    assert (shared.owner, shared.query, shared.is_shared) == ("ada@example.org", "level:fatal", True)
    assert names(store, organization_id, member) == ["mine", "Ours"]
    assert names(store, organization_id, owner) == ["Ours"] == names(store, organization_id, None)
    with pytest.raises(ProjectNotFound):
        store.saved_searches.of_project(organization_id, "other", owner)


def test_saving_again_under_a_name_replaces_ones_own(store: Store, people: tuple[int, int, int]) -> None:
    organization_id, owner, member = people
    for user, query in ((owner, "a"), (member, "b"), (owner, "c")):
        store.saved_searches.save(
            organization_id, "shop", user, name="Ours", query=query, sort="last_seen", is_shared=True
        )
    kept = {
        each.owner: each.query for each in store.saved_searches.of_project(organization_id, "shop", owner)
    }
    assert kept == {"owner@example.org": "c", "ada@example.org": "b"}
    for name in ("", "  ", "x" * 101):
        with pytest.raises(InvalidParameter):
            store.saved_searches.save(
                organization_id, "shop", owner, name=name, query="", sort="last_seen", is_shared=False
            )


def test_only_an_owner_deletes_what_another_shares_and_nobody_what_another_keeps(
    store: Store, people: tuple[int, int, int]
) -> None:
    organization_id, owner, member = people
    ids = {
        (user, is_shared): store.saved_searches.save(
            organization_id, "shop", user, name="x", query="", sort="last_seen", is_shared=is_shared
        ).id
        for user in (owner, member)
        for is_shared in (True, False)
    }

    def delete(user: int, search_id: int, is_owner: bool) -> None:
        store.saved_searches.delete(organization_id, "shop", user, search_id, is_owner=is_owner)

    for user, search_id, is_owner in (
        (member, ids[owner, True], False),
        (member, ids[owner, False], False),
        (owner, ids[member, False], True),
    ):
        with pytest.raises(SavedSearchNotFound):
            delete(user, search_id, is_owner)
    delete(owner, ids[member, True], True)
    delete(member, ids[member, False], False)
    with pytest.raises(SavedSearchNotFound):
        delete(member, ids[member, False], False)


def test_views_of_performance_are_kept_apart_from_searches(
    store: Store, people: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    organization_id, owner, member = people
    scope = organization_id, "shop", member
    store.saved_searches.save(*scope, name="Mine", query="is:new", sort="events", is_shared=False)
    kept = [
        store.saved_searches.save(
            *scope, page=PageKind.PERFORMANCE, name=name, query=query, sort="", is_shared=False
        )
        for name, query in (("Mine", "?period=7d"), ("Other", "/trends"))
    ]
    views = store.saved_searches.of_project(*scope, PageKind.PERFORMANCE)
    assert [(view.name, view.query, view.page) for view in views] == [
        ("Mine", "?period=7d", "performance"),
        ("Other", "/trends", "performance"),
    ]
    assert names(store, organization_id, member) == ["Mine"]

    def change(user: int, name: str | None = None, query: str | None = None) -> str:
        changed = store.saved_searches.change(
            organization_id,
            "shop",
            user,
            kept[1].id,
            is_owner=False,
            page=PageKind.PERFORMANCE,
            name=name,
            query=query,
        )
        return f"{changed.name} {changed.query}"

    assert change(member, name="New name") == "New name /trends"
    assert change(member, query="/trends?metric=cls") == "New name /trends?metric=cls"
    with pytest.raises(SavedSearchNotFound):
        change(owner, name="Not mine")
    with pytest.raises(SavedSearchExists):
        change(member, name="Mine")
    assert change(member) == "New name /trends?metric=cls"
    monkeypatch.setattr("errata.state.saved_searches.MOST_A_PROJECT", 2)
    with pytest.raises(InvalidParameter):
        store.saved_searches.save(
            *scope, page=PageKind.PERFORMANCE, name="Third", query="", sort="", is_shared=False
        )
    store.saved_searches.save(*scope, name="Second", query="", sort="events", is_shared=False)

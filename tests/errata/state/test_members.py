"""Roles and removal, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.annotations import Note
from errata.state.errors import LastOwner, MemberNotFound
from errata.state.subscriptions import Subscription
from errata.state.users import Person, Role
from tests.errata.state.conftest import Clock
from tests.people import joins


def joined(store: Store, organization_id: int, email: str, role: Role) -> Person:
    joins(store, organization_id, email, role)
    return named(store, organization_id, email)


def named(store: Store, organization_id: int, email: str) -> Person:
    return next(each for each in store.users.of_organization(organization_id) if each.email == email)


def test_a_role_holds_in_a_session_that_is_open(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    bob = joined(store, organization_id, "bob@example.org", Role.OWNER)
    session = store.sessions.sign_in(bob.email, account.password)
    assert session is not None and session.role is Role.OWNER
    for role in (Role.VIEWER, Role.VIEWER, Role.MEMBER):
        store.members.change_role(organization_id, bob.id, role, actor=account.email)
        found = store.sessions.find(session.token)
        assert found is not None and found.role is role
    entries = [
        entry
        for entry in store.activity.entries(organization_id, kind="user")
        if entry.action is Action.USER_ROLE_CHANGED
    ]
    assert [entry.subject for entry in entries] == [
        "bob@example.org: viewer to member",
        "bob@example.org: owner to viewer",
    ]
    assert {entry.actor for entry in entries} == {account.email}


def test_a_removed_user_is_out_at_once_and_what_they_wrote_stays(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    bob = joined(store, organization_id, "bob@example.org", Role.MEMBER)
    session = store.sessions.sign_in(bob.email, account.password)
    assert session is not None
    scope = organization_id, "web-shop", bob.id
    for name, is_shared in (("mine", False), ("ours", True)):
        store.saved_searches.save(*scope, name=name, query="level:error", sort="newest", is_shared=is_shared)
    store.annotations.write(*scope, Note("Sale", clock.now))
    (project,) = store.projects.of_organization(organization_id)
    store.subscriptions.follow(project.id, "00000000000000a1", bob.id)

    store.members.remove(organization_id, bob.id, actor=account.email)

    assert store.sessions.find(session.token) is None
    assert store.sessions.sign_in(bob.email, account.password) is None
    assert [each.email for each in store.users.of_organization(organization_id)] == [account.email]
    kept = store.saved_searches.of_project(*scope)
    assert [each.name for each in kept if each.owner == bob.email] == ["ours"]
    with store.database.reading() as connection:
        assert connection.execute(select(Subscription)).all() == []
    (note,) = store.annotations.all_of_project(organization_id, "web-shop")
    assert note.author == bob.email
    entry = store.activity.entries(organization_id, kind="user")[0]
    assert (entry.action, entry.subject, entry.actor) == (Action.USER_REMOVED, bob.email, account.email)
    with pytest.raises(MemberNotFound):
        store.members.remove(organization_id, bob.id, actor=account.email)
    with pytest.raises(MemberNotFound):
        store.members.change_role(organization_id, bob.id, Role.OWNER, actor=account.email)


def test_a_removed_user_who_joins_again_signs_in_anew(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    bob = joined(store, organization_id, "bob@example.org", Role.MEMBER)
    before = store.sessions.sign_in(bob.email, account.password)
    assert before is not None
    store.members.remove(organization_id, bob.id, actor=account.email)
    again = joined(store, organization_id, bob.email, Role.MEMBER)
    assert again.id == bob.id and store.sessions.find(before.token) is None
    session = store.sessions.sign_in(bob.email, account.password)
    assert session is not None
    assert [one.is_own for one in store.sessions.of_user(session)] == [True]


def test_people_of_another_organization_are_unknown(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    person = named(store, organization_id, account.email)
    with pytest.raises(MemberNotFound):
        store.members.change_role(organization_id + 1, person.id, Role.VIEWER, actor="x")
    with pytest.raises(MemberNotFound):
        store.members.remove(organization_id + 1, person.id, actor="x")


def test_the_last_owner_is_neither_demoted_nor_removed(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    joined(store, organization_id, "bob@example.org", Role.MEMBER)
    owner = named(store, organization_id, account.email)
    with pytest.raises(LastOwner):
        store.members.change_role(organization_id, owner.id, Role.MEMBER, actor=account.email)
    with pytest.raises(LastOwner):
        store.members.remove(organization_id, owner.id, actor=account.email)
    store.members.change_role(organization_id, owner.id, Role.OWNER, actor=account.email)


def test_owners_who_demote_and_remove_each_other_at_once_leave_one(
    state_url: str, store: Store, account: FirstAccount, organization_id: int
) -> None:
    people = [named(store, organization_id, account.email)]
    people += [joined(store, organization_id, f"o{n}@example.org", Role.OWNER) for n in range(5)]

    def leave(number: int) -> bool:
        try:
            if number % 2:
                store.members.remove(organization_id, people[number].id, actor="test")
            else:
                store.members.change_role(organization_id, people[number].id, Role.VIEWER, actor="test")
        except LastOwner:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        left = list(threads.map(leave, range(6)))
    assert left.count(False) == 1
    owners = [each for each in store.users.of_organization(organization_id) if each.role == Role.OWNER]
    assert len(owners) == 1

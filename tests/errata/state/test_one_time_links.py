"""Invitations and password links, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import (
    InvitationNotFound,
    MemberNotFound,
    OneTimeLinkEnded,
    UserExists,
    WeakPassword,
)
from errata.state.users import Role
from tests.errata.state.conftest import Clock
from tests.errata.state.test_members import named
from tests.people import joins

BOB = "bob@example.org"
PASSWORD = "correct horse battery"


def invited(store: Store, organization_id: int, role: Role = Role.MEMBER) -> str:
    return store.one_time_links.invite(organization_id, " Bob@Example.org", role, actor="ann").token


def test_an_invitation_is_accepted_once(store: Store, account: FirstAccount, organization_id: int) -> None:
    token = invited(store, organization_id, Role.VIEWER)
    (shown,) = store.one_time_links.open_invitations(organization_id)
    assert (shown.email, shown.role, shown.created_by) == (BOB, "viewer", "ann")
    with pytest.raises(WeakPassword):
        store.one_time_links.use(token, "short")
    session = store.one_time_links.use(token, PASSWORD)
    assert (session.email, session.role, session.organization_id) == (BOB, Role.VIEWER, organization_id)
    assert store.sessions.find(session.token) == session
    assert store.one_time_links.open_invitations(organization_id) == []
    assert store.one_time_links.find(token) is None
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(token, PASSWORD)
    actions = [entry.action for entry in store.activity.entries(organization_id, kind="invitation")]
    assert actions == [Action.INVITATION_ACCEPTED, Action.INVITATION_CREATED]
    assert store.sessions.sign_in(BOB, PASSWORD) is not None


def test_no_token_is_stored(store: Store, organization_id: int) -> None:
    token = invited(store, organization_id)
    with store.database.reading() as connection:
        rows = connection.exec_driver_sql("select * from one_time_links").all()
    assert rows and token not in str(rows)


def test_of_many_who_use_a_link_at_once_one_does(store: Store, organization_id: int) -> None:
    token = invited(store, organization_id)

    def use(number: int) -> bool:
        try:
            store.one_time_links.use(token, f"{PASSWORD} {number}")
        except OneTimeLinkEnded:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(use, range(6))).count(True) == 1


@pytest.mark.parametrize("token", ["", "x" * 40, "é" * 40, "x" * 39])
def test_an_unknown_token_finds_nothing(store: Store, organization_id: int, token: str) -> None:
    invited(store, organization_id)
    assert store.one_time_links.find(token) is None
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(token, PASSWORD)


def test_an_invitation_ends_by_time_by_revoking_and_by_a_newer_one(
    store: Store, organization_id: int, clock: Clock
) -> None:
    links = store.one_time_links
    first, second = invited(store, organization_id), invited(store, organization_id)
    assert links.find(first) is None
    (shown,) = links.open_invitations(organization_id)
    with pytest.raises(InvitationNotFound):
        links.revoke_invitation(organization_id + 1, shown.id, actor="ann")
    assert links.find(second) is not None
    links.revoke_invitation(organization_id, shown.id, actor="ann")
    assert links.find(second) is None
    with pytest.raises(InvitationNotFound):
        links.revoke_invitation(organization_id, shown.id, actor="ann")
    third = invited(store, organization_id)
    clock.advance(timedelta(days=7, seconds=-1))
    assert links.find(third) is not None
    clock.advance(timedelta(seconds=1))
    assert links.find(third) is None and links.open_invitations(organization_id) == []


def test_an_address_with_an_account_is_not_invited(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    with pytest.raises(UserExists):
        store.one_time_links.invite(organization_id, account.email, Role.MEMBER, actor="ann")
    with pytest.raises(InvalidParameter):
        store.one_time_links.invite(organization_id, "bob", Role.MEMBER, actor="ann")


def test_someone_removed_is_invited_again_and_is_not_back_before(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    session = store.one_time_links.use(invited(store, organization_id), PASSWORD)
    bob = named(store, organization_id, BOB)
    old = store.one_time_links.password_link(organization_id, bob.id, actor="ann").token
    store.members.remove(organization_id, bob.id, actor="ann")
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(old, PASSWORD)
    with pytest.raises(MemberNotFound):
        store.one_time_links.password_link(organization_id, bob.id, actor="ann")
    assert store.one_time_links.forgotten(BOB) is None
    again = store.one_time_links.use(invited(store, organization_id, Role.VIEWER), "another password")
    assert (again.user_id, again.role) == (bob.id, Role.VIEWER)
    assert store.sessions.find(session.token) is None
    assert store.sessions.sign_in(BOB, PASSWORD) is None
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(old, PASSWORD)


@pytest.mark.parametrize("is_removed", [True, False])
def test_links_that_a_former_owner_made_end(
    store: Store, account: FirstAccount, organization_id: int, is_removed: bool
) -> None:
    eve, bob = (
        joins(store, organization_id, "eve@example.org", Role.OWNER),
        joins(store, organization_id, BOB),
    )
    made = [
        store.one_time_links.invite(
            organization_id, "friend@example.org", Role.OWNER, actor="eve@example.org"
        ),
        store.one_time_links.password_link(organization_id, bob, actor="eve@example.org"),
    ]
    by_another = store.one_time_links.invite(
        organization_id, "cleo@example.org", Role.MEMBER, actor=account.email
    ).token
    if is_removed:
        store.members.remove(organization_id, eve, actor="ann")
    else:
        store.members.change_role(organization_id, eve, Role.VIEWER, actor="ann")
    for each in made:
        with pytest.raises(OneTimeLinkEnded):
            store.one_time_links.use(each.token, PASSWORD)
    assert store.one_time_links.find(by_another) is not None


def test_a_password_link_replaces_the_password_and_ends_sessions(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    person = named(store, organization_id, account.email)
    first = store.one_time_links.password_link(organization_id, person.id, actor="ann").token
    forgotten = store.one_time_links.forgotten(account.email.upper())
    assert forgotten is not None and store.one_time_links.find(first) is None
    assert store.sessions.find(session.token) is not None
    new = store.one_time_links.use(forgotten.token, PASSWORD)
    assert store.sessions.find(session.token) is None
    assert store.sessions.find(new.token) == new and new.role is Role.OWNER
    assert store.sessions.sign_in(account.email, account.password) is None

    late = store.one_time_links.password_link(organization_id, person.id, actor="ann").token
    clock.advance(timedelta(days=1, seconds=-1))
    assert store.one_time_links.find(late) is not None
    clock.advance(timedelta(seconds=1))
    assert store.one_time_links.find(late) is None
    open_link = store.one_time_links.password_link(organization_id, person.id, actor="ann").token
    signed_in = store.sessions.sign_in(account.email, PASSWORD)
    assert signed_in is not None
    store.passwords.change(signed_in, PASSWORD, "yet another password")
    assert store.one_time_links.find(open_link) is None


def test_nobody_is_forgotten_who_is_unknown(store: Store, account: FirstAccount) -> None:
    assert store.one_time_links.forgotten("nobody@example.org") is None

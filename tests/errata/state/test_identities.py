"""People of a sign-in provider, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import (
    NoRole,
    OneTimeLinkEnded,
    OtherIdentity,
    PersonRemoved,
    ProviderSignInEnded,
)
from errata.state.identities import ProviderIdentity
from errata.state.users import Role, User
from tests.errata.state.conftest import Clock
from tests.people import joins

ADA = ProviderIdentity("https://id.example.org", "1", "Ada@Example.org")
EMAIL = "ada@example.org"


def admitted(
    store: Store, identity: ProviderIdentity = ADA, role: Role | None = Role.MEMBER, organization_id: int = 1
) -> User:
    return store.identities.admit(organization_id, identity, role, keeps_role=False)


def test_someone_unknown_is_created_and_known_from_then_on(store: Store, organization_id: int) -> None:
    first = admitted(store)
    assert (first.email, first.role) == (EMAIL, "member")
    renamed = replace(ADA, email="ada.lovelace@example.org")
    assert admitted(store, renamed).id == first.id
    assert len(store.users.of_organization(organization_id)) == 2
    # Nobody knows the password.
    assert store.sessions.sign_in(EMAIL, "") is None


def test_a_verified_address_links_an_account_once(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    owner = replace(ADA, email=account.email.upper())
    linked = admitted(store, owner, Role.OWNER)
    assert linked.email == account.email
    another = replace(owner, subject="2")
    with pytest.raises(OtherIdentity):
        admitted(store, another, Role.OWNER)
    # A provider of its own may know the person by another name.
    assert admitted(store, replace(another, issuer="https://id2.example.org"), Role.OWNER).id == linked.id
    refused = store.activity.entries(organization_id)
    [entry] = [each for each in refused if each.action is Action.USER_PROVIDER_REFUSED]
    assert entry.subject == "oidc_other_identity"
    assert store.sessions.sign_in(account.email, account.password) is not None


def test_a_removed_person_stays_out_until_invited_again(store: Store, organization_id: int) -> None:
    user = admitted(store)
    store.members.remove(organization_id, user.id, actor="ann")
    for identity in (ADA, replace(ADA, subject="2"), replace(ADA, issuer="https://id2.example.org")):
        with pytest.raises(PersonRemoved):
            admitted(store, identity)
    link = store.one_time_links.invite(organization_id, EMAIL, Role.VIEWER, actor="ann")
    store.one_time_links.use(link.token, "correct horse battery")
    assert admitted(store).id == user.id


@pytest.mark.parametrize("keeps_role", [True, False])
def test_who_was_removed_does_not_enter_another_organization_by_the_provider_of_this_one(
    store: Store, organization_id: int, keeps_role: bool
) -> None:
    user = admitted(store)
    joins(store, store.accounts.create("Beta", actor="test")[0].id, EMAIL)
    store.members.remove(organization_id, user.id, actor="ann")
    with pytest.raises(PersonRemoved):
        store.identities.admit(organization_id, ADA, Role.MEMBER, keeps_role=keeps_role)


def test_who_took_the_address_in_another_organization_is_put_out_when_the_person_comes(
    store: Store, organization_id: int
) -> None:
    other_id = store.accounts.create("Beta", actor="test")[0].id
    link = store.one_time_links.invite(other_id, EMAIL, Role.MEMBER, actor="mallory")
    taken = store.one_time_links.use(link.token, "known to mallory")
    kept = store.one_time_links.password_link(other_id, taken.user_id, actor="mallory")
    user = admitted(store)
    assert (user.id, user.organization_id) == (taken.user_id, organization_id)
    assert store.sessions.find(taken.token) is None
    assert store.sessions.sign_in(EMAIL, "known to mallory") is None
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(kept.token, "known to mallory")
    # The next time nothing ends.
    session = store.sessions.begin(admitted(store), None)
    admitted(store)
    assert store.sessions.find(session.token) is not None


def test_roles_follow_groups_and_an_owner_is_kept(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    assert [admitted(store, role=role).role for role in (Role.VIEWER, Role.OWNER, Role.MEMBER)] == [
        "viewer",
        "owner",
        "member",
    ]
    with pytest.raises(NoRole):
        admitted(store, role=None)
    kept = store.identities.admit(organization_id, ADA, Role.OWNER, keeps_role=True)
    assert kept.role == "member"
    owner = replace(ADA, subject="2", email=account.email)
    assert admitted(store, owner, Role.VIEWER).role == "owner"
    assert store.activity.entries(organization_id)[0].action is Action.USER_ROLE_KEPT
    admitted(store, role=Role.OWNER)
    assert admitted(store, owner, Role.VIEWER).role == "viewer"


def test_nobody_is_created_without_a_role(store: Store, organization_id: int) -> None:
    with pytest.raises(NoRole):
        admitted(store, role=None)
    assert len(store.users.of_organization(organization_id)) == 1


def test_first_sign_ins_at_once_create_one_person(store: Store, organization_id: int) -> None:
    with ThreadPoolExecutor(4) as threads:
        users = list(threads.map(lambda _: admitted(store), range(4)))
    assert len({user.id for user in users}) == 1
    actions = [entry.action for entry in store.activity.entries(organization_id)]
    assert actions.count(Action.USER_CREATED) == 2 and actions.count(Action.USER_IDENTITY_LINKED) == 1


def test_a_return_from_the_provider_works_once(store: Store, clock: Clock) -> None:
    begun = store.provider_sign_ins.begin("/projects")
    other = store.provider_sign_ins.begin("/")
    assert len({begun.state, begun.nonce, begun.code_verifier, other.state, other.nonce}) == 5
    for token, state in (
        (begun.token, other.state),
        (other.token, begun.state),
        (begun.token, ""),
        ("", ""),
        ("é" * 40, ""),
    ):
        with pytest.raises(ProviderSignInEnded):
            store.provider_sign_ins.end(token, state)

    def end(_: int) -> bool:
        try:
            return store.provider_sign_ins.end(begun.token, begun.state) == begun
        except ProviderSignInEnded:
            return False

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(end, range(4))).count(True) == 1
    still = store.provider_sign_ins.begin("/projects")
    clock.advance(timedelta(minutes=10, milliseconds=-1))
    assert store.provider_sign_ins.end(still.token, still.state) == still
    clock.advance(timedelta(milliseconds=1))
    with pytest.raises(ProviderSignInEnded):
        store.provider_sign_ins.end(other.token, other.state)


def test_nothing_that_the_provider_sees_is_stored(store: Store) -> None:
    begun = store.provider_sign_ins.begin("/projects")
    with store.database.reading() as connection:
        rows = str(connection.exec_driver_sql("select * from provider_sign_ins").all())
    assert "/projects" in rows
    for secret in (begun.token, begun.state, begun.nonce, begun.code_verifier):
        assert secret not in rows

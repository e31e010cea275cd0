"""People of several organizations and of chosen projects, on SQLite and PostgreSQL."""

import pytest

from errata.errors import InvalidParameter
from errata.state import Store, one_time_links
from errata.state.accounts import FirstAccount
from errata.state.errors import (
    InvalidCredentials,
    MemberElsewhere,
    MemberNotFound,
    OneTimeLinkEnded,
    OrganizationNotFound,
    ProjectNotFound,
    UserExists,
)
from errata.state.password_hashes import hash_password
from errata.state.sessions import WebSession
from errata.state.users import Role
from tests.errata.state.test_members import named
from tests.people import joins

BOB = "bob@example.org"


@pytest.fixture
def other_id(store: Store, account: FirstAccount) -> int:
    return store.accounts.create("Beta", actor="test")[0].id


def signed_in(store: Store, email: str, password: str) -> WebSession:
    session = store.sessions.sign_in(email, password)
    assert session is not None
    return session


def seen(store: Store, session: WebSession) -> list[str] | None:
    """Slugs of the projects that the session sees now; None: it has ended."""
    found = store.sessions.find(session.token)
    return None if found is None else [project.slug for project in store.projects.visible(found)]


def test_somebody_with_an_account_joins_another_organization_with_their_password(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    joins(store, organization_id, BOB, Role.VIEWER)
    before = signed_in(store, BOB, account.password)
    created = store.one_time_links.invite(other_id, BOB, Role.MEMBER, actor="owner@beta.example")
    found = store.one_time_links.find(created.token)
    assert found is not None and found.has_account
    # Not a password of the inviter's choice.
    with pytest.raises(InvalidCredentials):
        store.one_time_links.use(created.token, "another password")
    session = store.one_time_links.use(created.token, account.password)
    assert (session.organization, session.role) == ("Beta", Role.MEMBER)
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(created.token, account.password)
    with pytest.raises(UserExists):
        store.one_time_links.invite(other_id, BOB, Role.MEMBER, actor="owner@beta.example")
    # The earlier session goes on where it was.
    assert store.sessions.find(before.token) == before


def test_a_session_switches_among_organizations_of_the_person_alone(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    bob = joins(store, organization_id, BOB, Role.VIEWER)
    session = signed_in(store, BOB, account.password)
    with pytest.raises(OrganizationNotFound):
        store.sessions.switch(session, other_id)
    joins(store, other_id, BOB, Role.OWNER)
    store.projects.create(other_id, "Elsewhere", actor="test")
    switched = store.sessions.switch(session, other_id)
    assert (switched.organization, switched.role, seen(store, session)) == (
        "Beta",
        Role.OWNER,
        ["elsewhere"],
    )
    # A page that is still open can change nothing in the other organization.
    assert switched.csrf_token != session.csrf_token
    assert signed_in(store, BOB, account.password).organization_id == other_id
    assert [each.organization for each in store.members.organizations_of(bob)] == [
        account.organization,
        "Beta",
    ]


def test_who_is_removed_from_one_organization_stays_in_the_other(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    bob = joins(store, organization_id, BOB, Role.OWNER)
    here = signed_in(store, BOB, account.password)
    joins(store, other_id, BOB, Role.MEMBER)
    there = signed_in(store, BOB, account.password)
    assert (here.organization_id, there.organization_id) == (organization_id, other_id)
    store.members.remove(other_id, bob, actor="test")
    assert (store.sessions.find(there.token), store.sessions.find(here.token)) == (None, here)
    assert signed_in(store, BOB, account.password).organization_id == organization_id
    with pytest.raises(OrganizationNotFound):
        store.sessions.switch(here, other_id)
    with pytest.raises(MemberNotFound):
        store.members.change_role(other_id, bob, Role.OWNER, actor="test")
    store.members.remove(organization_id, bob, actor="test")
    assert store.sessions.sign_in(BOB, account.password) is None


def test_an_owner_makes_no_password_link_for_somebody_of_another_organization_too(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    bob = joins(store, organization_id, BOB, Role.MEMBER)
    joins(store, other_id, BOB, Role.OWNER)
    for each in (organization_id, other_id):
        with pytest.raises(MemberElsewhere):
            store.one_time_links.password_link(each, bob, actor="owner")
    # By their own mail they can.
    assert store.one_time_links.forgotten(BOB) is not None


def test_a_password_link_of_one_organization_does_not_open_another_one_joined_since(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    bob = joins(store, other_id, BOB, Role.MEMBER)
    kept = store.one_time_links.password_link(other_id, bob, actor="owner@beta.example")
    invited = store.one_time_links.invite(organization_id, BOB, Role.OWNER, actor="owner")
    store.one_time_links.use(invited.token, account.password)
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(kept.token, "of the other owner's choice")
    assert store.sessions.sign_in(BOB, account.password) is not None


def test_chosen_projects_hold_in_a_session_that_is_open(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    store.projects.create(organization_id, "Docs", actor="test")
    elsewhere = store.projects.create(other_id, "Elsewhere", actor="test").project
    bob = joins(store, organization_id, BOB, Role.MEMBER)
    session = signed_in(store, BOB, account.password)
    assert seen(store, session) == ["docs", "web-shop"]
    for slugs in (["docs"], [], ["docs", "web-shop", "docs"]):
        store.members.change_projects(organization_id, bob, slugs, actor="owner")
        assert seen(store, session) == sorted(set(slugs))
        assert named(store, organization_id, BOB).projects == tuple(sorted(set(slugs)))
    for unknown in ("nowhere", elsewhere.slug):
        with pytest.raises(ProjectNotFound):
            store.members.change_projects(organization_id, bob, [unknown], actor="owner")
    # A later project is of those alone who see all.
    store.projects.create(organization_id, "Later", actor="test")
    assert seen(store, session) == ["docs", "web-shop"]
    store.members.change_projects(organization_id, bob, None, actor="owner")
    assert seen(store, session) == ["docs", "later", "web-shop"]


def test_an_owner_sees_all_projects(store: Store, account: FirstAccount, organization_id: int) -> None:
    bob = joins(store, organization_id, BOB, Role.MEMBER, [])
    session = signed_in(store, BOB, account.password)
    assert seen(store, session) == []
    store.members.change_role(organization_id, bob, Role.OWNER, actor="owner")
    assert seen(store, session) == ["web-shop"]
    with pytest.raises(InvalidParameter):
        store.members.change_projects(organization_id, bob, ["web-shop"], actor="owner")
    with pytest.raises(InvalidParameter):
        store.one_time_links.invite(organization_id, "c@example.org", Role.OWNER, ["web-shop"], actor="owner")


@pytest.mark.parametrize("projects", [None, [], ["web-shop"]])
def test_an_invitation_gives_its_projects(
    store: Store, account: FirstAccount, organization_id: int, projects: list[str] | None
) -> None:
    store.projects.create(organization_id, "Docs", actor="test")
    created = store.one_time_links.invite(organization_id, BOB, Role.MEMBER, projects, actor="owner")
    (shown,) = store.one_time_links.open_invitations(organization_id)
    assert store.projects.slugs(organization_id, shown.project_ids) == projects
    session = store.one_time_links.use(created.token, "correct horse battery")
    assert seen(store, session) == (["docs", "web-shop"] if projects is None else projects)


def test_an_account_made_since_the_invitation_keeps_its_password(
    store: Store, account: FirstAccount, organization_id: int, other_id: int
) -> None:
    """The link says "choose a password"; meanwhile the person joined elsewhere and has one."""
    created = store.one_time_links.invite(other_id, BOB, Role.MEMBER, actor="owner")
    joins(store, organization_id, BOB)
    with pytest.raises(InvalidCredentials):
        store.one_time_links.use(created.token, "an attacker's choice")
    assert store.sessions.sign_in(BOB, account.password) is not None


def test_an_account_made_while_an_invitation_is_accepted_keeps_its_password(
    store: Store,
    account: FirstAccount,
    organization_id: int,
    other_id: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    created = store.one_time_links.invite(other_id, BOB, Role.MEMBER, actor="owner")

    def joins_meanwhile(password: str) -> str:
        joins(store, organization_id, BOB)
        return hash_password(password)

    monkeypatch.setattr(one_time_links, "hash_password", joins_meanwhile)
    with pytest.raises(OneTimeLinkEnded):
        store.one_time_links.use(created.token, "an attacker's choice")
    assert store.sessions.sign_in(BOB, "an attacker's choice") is None
    assert store.sessions.sign_in(BOB, account.password) is not None

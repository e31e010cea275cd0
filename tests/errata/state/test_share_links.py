from datetime import timedelta

import pytest
from sqlalchemy import select

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import ShareLinkNotFound
from errata.state.share_links import CreatedShareLink, Shared, ShareLink
from tests.errata.state.conftest import Clock

ISSUE = "00000000000000aa"
ADA = "ada@example.org"


@pytest.fixture
def project_id(store: Store, organization_id: int, account: FirstAccount) -> int:
    return store.projects.get(organization_id, account.project).id


@pytest.fixture
def made(store: Store, organization_id: int, project_id: int, clock: Clock) -> CreatedShareLink:
    expires_at = clock.now + timedelta(days=7)
    return store.share_links.create(organization_id, project_id, Shared(ISSUE), expires_at, actor=ADA)


def test_only_a_hash_of_the_token_is_stored(store: Store, made: CreatedShareLink) -> None:
    with store.database.reading() as connection:
        (row,) = connection.execute(select(ShareLink)).mappings()
    assert made.token not in str(dict(row))
    assert made.token.startswith(row["prefix"]) and len(row["prefix"]) == 6


def test_the_token_opens_what_was_shared_and_is_counted(
    store: Store, organization_id: int, project_id: int, made: CreatedShareLink, clock: Clock
) -> None:
    clock.advance(timedelta(hours=1))
    for _ in range(2):
        opened = store.share_links.open(made.token)
        assert opened is not None and opened.shared == Shared(ISSUE)
    (listed,) = store.share_links.of_project(organization_id, project_id)
    assert (listed.opened_count, listed.last_opened_at, listed.created_by) == (2, clock.now, ADA)


@pytest.mark.parametrize("token", ["", "x" * 40, "short", "ü" * 40, "x" * 4000])
def test_what_is_no_token_opens_nothing(store: Store, made: CreatedShareLink, token: str) -> None:
    assert store.share_links.open(token) is None


def test_an_expired_link_is_told_as_such_and_no_longer_counted(
    store: Store, organization_id: int, project_id: int, made: CreatedShareLink, clock: Clock
) -> None:
    clock.advance(timedelta(days=7))
    opened = store.share_links.open(made.token)
    assert opened is not None and opened.state(clock.now) == "expired"
    assert store.share_links.of_project(organization_id, project_id)[0].opened_count == 0


def test_a_link_without_an_end_stays_open_until_it_is_revoked(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    made = store.share_links.create(organization_id, project_id, Shared(ISSUE), None, actor=ADA)
    clock.advance(timedelta(days=4000))
    opened = store.share_links.open(made.token)
    assert opened is not None and opened.state(clock.now) == "open"
    for _ in range(2):
        store.share_links.revoke(organization_id, project_id, made.link.id, actor=ADA)
    opened = store.share_links.open(made.token)
    assert opened is not None and opened.state(clock.now) == "revoked"
    told = [each.action for each in store.activity.entries(organization_id, kind="share_link")]
    assert told == [Action.SHARE_LINK_REVOKED, Action.SHARE_LINK_CREATED]


def test_nobody_else_lists_or_revokes_it(
    store: Store, organization_id: int, project_id: int, made: CreatedShareLink
) -> None:
    assert store.share_links.of_project(organization_id + 1, project_id) == []
    assert store.share_links.of_project(organization_id, project_id, ["00000000000000bb"]) == []
    with pytest.raises(ShareLinkNotFound):
        store.share_links.revoke(organization_id + 1, project_id, made.link.id, actor=ADA)
    store.projects.create(organization_id, "Docs", slug="docs", actor=ADA)
    other = store.projects.get(organization_id, "docs")
    with pytest.raises(ShareLinkNotFound):
        store.share_links.revoke(organization_id, other.id, made.link.id, actor=ADA)
    opened = store.share_links.open(made.token)
    assert opened is not None and opened.revoked_at is None


def test_a_link_ends_with_its_project(
    store: Store, organization_id: int, account: FirstAccount, made: CreatedShareLink
) -> None:
    store.projects.delete(organization_id, account.project, actor=ADA)
    assert store.share_links.find(made.token) is None and store.share_links.open(made.token) is None

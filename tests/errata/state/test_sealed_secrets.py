import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.errors import SecretUnreadable
from errata.state.seal import Seal
from errata.state.sealed_secrets import SealedSecret
from errata.state.table import objects
from tests.cases import each
from tests.errata.state.conftest import SECRET, Clock

TOKEN = "ghp_ofGitHub0123456789abcdefghijklmnopqr"
OTHER = b"another secret of more than sixteen bytes"


def keep(store: Store, organization_id: int, text: str = TOKEN) -> SealedSecret:
    with store.database.writing() as connection:
        secret_id = store.secrets.keep(connection, organization_id, "integration", text)
        kept = connection.execute(select(SealedSecret).where(SealedSecret.id == secret_id))
        return objects(SealedSecret, kept)[0]


def stored(store: Store) -> str:
    with store.database.reading() as connection:
        kept = select(SealedSecret.sealed).where(SealedSecret.purpose == "integration")
        return str(connection.execute(kept).scalar_one())


def test_a_token_is_stored_encrypted_and_opened_by_its_id(store: Store, organization_id: int) -> None:
    kept = keep(store, organization_id)
    assert TOKEN not in stored(store) and "ghp_" not in stored(store)
    assert store.secrets.open(organization_id, kept.id).get_secret_value() == TOKEN


def test_only_the_end_of_a_long_token_is_told(store: Store, organization_id: int) -> None:
    assert keep(store, organization_id).ending == "opqr"
    assert keep(store, organization_id, "hunter2").ending == ""
    assert TOKEN not in repr(store.secrets.open(organization_id, keep(store, organization_id).id))


def test_another_organization_cannot_open_it(store: Store, organization_id: int) -> None:
    kept = keep(store, organization_id)
    with pytest.raises(SecretUnreadable):
        store.secrets.open(organization_id + 1, kept.id)


@pytest.mark.parametrize("text", ["", "two\nlines", "nul\0", "x" * 8193])
def test_what_cannot_be_a_token_is_refused_with_a_reason(
    store: Store, organization_id: int, text: str
) -> None:
    with pytest.raises(InvalidParameter, match="characters on one line"):
        keep(store, organization_id, text)


def test_a_dropped_token_leaves_nothing_behind(store: Store, organization_id: int) -> None:
    kept = keep(store, organization_id)
    with store.database.writing() as connection:
        store.secrets.drop(connection, organization_id, kept.id)
    with pytest.raises(SecretUnreadable, match="no longer exists"):
        store.secrets.open(organization_id, kept.id)


def test_with_another_secret_a_token_is_unreadable_and_the_remedy_is_said(
    store: Store, organization_id: int, state_url: str, clock: Clock
) -> None:
    kept = keep(store, organization_id)
    stranger = Store.open(state_url, OTHER, clock=clock)
    with pytest.raises(SecretUnreadable, match="ERRATA_PREVIOUS_SECRET"):
        stranger.secrets.open(organization_id, kept.id)
    stranger.close()


def test_a_rotated_secret_takes_over_what_the_former_sealed(
    store: Store, organization_id: int, state_url: str, clock: Clock
) -> None:
    kept = keep(store, organization_id)
    during = Store.open(state_url, OTHER, previous=[SECRET], clock=clock)
    assert during.secrets.open(organization_id, kept.id).get_secret_value() == TOKEN
    assert during.secrets.reseal() == 0
    during.close()
    after = Store.open(state_url, OTHER, clock=clock)
    assert after.secrets.open(organization_id, kept.id).get_secret_value() == TOKEN
    after.close()


def test_what_no_known_secret_opens_is_counted_and_left_as_it_is(
    store: Store, organization_id: int, state_url: str, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    keep(store, organization_id)
    before = stored(store)
    stranger = Store.open(state_url, OTHER, clock=clock)
    with caplog.at_level(logging.WARNING):
        # The keys of the account are sealed as well.
        assert stranger.secrets.reseal() == 4
    stranger.close()
    assert stored(store) == before
    assert "4 sealed secrets can't be read" in caplog.text and TOKEN not in caplog.text


def test_a_sealed_token_moved_to_another_row_does_not_open_there(store: Store, organization_id: int) -> None:
    first, second = keep(store, organization_id), keep(store, organization_id, "another token, as long")
    with store.database.writing() as connection:
        sealed = connection.execute(
            select(SealedSecret.sealed).where(SealedSecret.id == first.id)
        ).scalar_one()
        connection.execute(update(SealedSecret).where(SealedSecret.id == second.id).values(sealed=sealed))
    with pytest.raises(SecretUnreadable, match="modified"):
        store.secrets.open(organization_id, second.id)


@given(st.text(), st.text())
def test_whatever_is_sealed_comes_back_and_never_looks_the_same_twice(text: str, context: str) -> None:
    seal = Seal(SECRET)
    text = text.encode("utf-8", "replace").decode()
    context = context.encode("utf-8", "replace").decode()
    assert seal.open(seal.close(text, context), context).get_secret_value() == text
    assert seal.close(text, context) != seal.close(text, context)


def _flip(sealed: str) -> str:
    at = len(sealed) - 3
    return sealed[:at] + ("A" if sealed[at] != "A" else "B") + sealed[at + 1 :]


@each(
    "spoil",
    [_flip, lambda sealed: sealed[:-8], lambda sealed: "", lambda sealed: "1", lambda sealed: sealed + "ü"],
    ids=["changed", "cut", "empty", "form only", "appended"],
)
def test_what_is_not_exactly_what_was_sealed_is_refused(spoil: Callable[[str], str]) -> None:
    seal: Any = Seal(SECRET)
    with pytest.raises(SecretUnreadable):
        seal.open(spoil(seal.close(TOKEN, "here")), "here")

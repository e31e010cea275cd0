"""The API key is rotated: prepared, used beside the current one, promoted. Keys are viewed again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import inspect, select, update

from errata.errors import ErrataError
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.api_keys import ApiKey
from errata.state.errors import (
    AppKeyNotFound,
    InvalidCredentials,
    KeyNotKept,
    NextKeyExists,
    NextKeyNotFound,
    PasswordRequired,
    SecretUnreadable,
)
from errata.state.sealed_secrets import SealedSecret
from errata.state.table import every_table
from tests.errata.state.conftest import SECRET, Clock


def owns(store: Store, key: str) -> bool:
    return store.keys.api.owner(key) is not None


def test_both_keys_are_valid_until_the_next_one_is_promoted(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    following = store.keys.api.prepare(organization_id, actor="owner")
    assert owns(store, account.api_key) and owns(store, following.key)
    assert store.keys.api.get(organization_id).prefix != following.prefix
    promoted = store.keys.api.promote(organization_id, actor="owner")
    assert not owns(store, account.api_key) and owns(store, following.key)
    assert promoted.prefix == following.prefix and promoted.activated_at is not None
    assert store.keys.api.next(organization_id) is None
    told = [entry.action.value for entry in store.activity.entries(organization_id, kind="api_key")]
    assert [action for action in told if action != "api_key.used"] == [
        "api_key.promoted",
        "api_key.prepared",
        "api_key.created",
    ]


def test_without_a_next_key_nothing_is_promoted_and_the_current_one_stays(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    for change in (store.keys.api.promote, store.keys.api.discard):
        with pytest.raises(NextKeyNotFound):
            change(organization_id, actor="owner")
    assert owns(store, account.api_key)


def test_a_discarded_next_key_fails_at_once_and_another_can_be_prepared(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    following = store.keys.api.prepare(organization_id, actor="owner")
    with pytest.raises(NextKeyExists):
        store.keys.api.prepare(organization_id, actor="owner")
    store.keys.api.discard(organization_id, actor="owner")
    assert not owns(store, following.key) and owns(store, account.api_key)
    assert owns(store, store.keys.api.prepare(organization_id, actor="owner").key)


def test_regeneration_ends_a_next_key_too(store: Store, account: FirstAccount, organization_id: int) -> None:
    following = store.keys.api.prepare(organization_id, actor="owner")
    issued = store.keys.api.regenerate(organization_id, actor="owner")
    assert [owns(store, key) for key in (account.api_key, following.key, issued.key)] == [False, False, True]
    assert store.keys.api.next(organization_id) is None


def test_of_changes_at_once_one_key_is_current_and_at_most_one_next(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    def change(number: int) -> None:
        for act in (store.keys.api.prepare, store.keys.api.promote, store.keys.api.regenerate)[number % 3 :]:
            try:
                act(organization_id, actor=str(number))
            except (NextKeyExists, NextKeyNotFound):
                continue

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(change, range(12)))
    with store.database.reading() as connection:
        valid = connection.execute(select(ApiKey).where(ApiKey.revoked_at.is_(None))).all()
    assert [row.activated_at is not None for row in valid].count(True) == 1 and len(valid) <= 2


def test_a_key_is_viewed_again_and_the_log_says_by_whom(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    key = store.keys.api.get(organization_id)
    assert store.keys.api.reveal(organization_id, key, actor="ada@example.org") == account.api_key
    [entry, *_] = store.activity.entries(organization_id)
    assert (entry.action.value, entry.actor) == ("api_key.viewed", "ada@example.org")
    [app_key] = store.keys.app.of_project(organization_id, "web-shop")
    shown = store.keys.app.reveal(organization_id, "web-shop", app_key.id, actor="ada@example.org")
    assert shown == account.app_key
    assert store.activity.entries(organization_id)[0].action.value == "app_key.viewed"
    store.keys.app.revoke(organization_id, "web-shop", app_key.id, actor="owner")
    with pytest.raises(AppKeyNotFound):
        store.keys.app.reveal(organization_id, "web-shop", app_key.id, actor="ada@example.org")


def test_a_key_that_was_kept_as_a_hash_alone_says_so(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    with store.database.writing() as connection:
        connection.execute(update(ApiKey).values(sealed_id=""))
    with pytest.raises(KeyNotKept):
        store.keys.api.reveal(organization_id, store.keys.api.get(organization_id), actor="owner")


def test_a_stolen_database_gives_no_key_away(
    store: Store, state_url: str, account: FirstAccount, organization_id: int
) -> None:
    following = store.keys.api.prepare(organization_id, actor="owner")
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    secrets = (account.api_key, account.app_key, following.key, account.password, session.token)
    with store.database.reading() as connection:
        assert set(inspect(connection).get_table_names()) >= set(every_table().tables)
        kept = " ".join(
            repr(row) for table in every_table().sorted_tables for row in connection.execute(select(table))
        )
        [sealed_id, *_] = connection.execute(select(SealedSecret.id)).scalars().all()
    assert not [text for text in secrets if text in kept or text[-20:] in kept]
    thief = Store.open(state_url, b"another secret of more than sixteen bytes")
    with pytest.raises(SecretUnreadable):
        thief.secrets.open(organization_id, sealed_id)
    assert thief.keys.api.owner(account.api_key) is None
    assert thief.sessions.find(session.token) is None
    thief.close()
    owner = Store.open(state_url, SECRET)
    assert owns(owner, following.key)
    owner.close()


def test_replaced_keys_leave_no_sealed_text(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    def count() -> int:
        with store.database.reading() as connection:
            return len(connection.execute(select(SealedSecret.id)).all())

    before = count()
    store.keys.api.prepare(organization_id, actor="owner")
    store.keys.api.promote(organization_id, actor="owner")
    store.keys.api.regenerate(organization_id, actor="owner")
    assert count() == before


def test_a_session_is_confirmed_for_five_minutes(store: Store, account: FirstAccount, clock: Clock) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    clock.advance(timedelta(minutes=5, milliseconds=-1))
    store.sessions.require_confirmed(session)
    clock.advance(timedelta(milliseconds=1))
    with pytest.raises(PasswordRequired):
        store.sessions.require_confirmed(session)
    with pytest.raises(InvalidCredentials):
        store.sessions.confirm(session, "wrong")
    store.sessions.confirm(session, account.password)
    again = store.sessions.find(session.token)
    assert again is not None
    store.sessions.require_confirmed(again)
    clock.advance(timedelta(minutes=-1))
    with pytest.raises(PasswordRequired):
        store.sessions.require_confirmed(again)


def test_passwords_are_not_guessed_by_confirming(store: Store, account: FirstAccount) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    codes = set[str]()
    for _ in range(12):
        with pytest.raises(ErrataError) as refused:
            store.sessions.confirm(session, "wrong")
        codes.add(refused.value.code)
    assert codes == {"invalid_credentials", "rate_limited"}

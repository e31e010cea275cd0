import runpy

import pytest

from errata.state import Store, password_hashes
from errata.state.accounts import FirstAccount
from errata.state.errors import InvalidCredentials, WeakPassword


def test_a_changed_password_ends_the_other_sessions(store: Store, account: FirstAccount) -> None:
    here = store.sessions.sign_in(account.email, account.password)
    elsewhere = store.sessions.sign_in(account.email, account.password)
    assert here is not None and elsewhere is not None
    store.passwords.change(here, account.password, "a much better one")
    assert store.sessions.find(here.token) is not None
    assert store.sessions.find(elsewhere.token) is None
    assert store.sessions.sign_in(account.email, account.password) is None
    assert store.sessions.sign_in(account.email, "a much better one") is not None


def test_a_password_is_changed_only_by_who_knows_it_and_to_a_long_one(
    store: Store, account: FirstAccount
) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    with pytest.raises(InvalidCredentials):
        store.passwords.change(session, "wrong", "a much better one")
    for unfit in ("short", "x" * 257):
        with pytest.raises(WeakPassword):
            store.passwords.change(session, account.password, unfit)


def test_a_lost_password_is_replaced_and_ends_every_session(store: Store, account: FirstAccount) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    password = store.passwords.reset(account.email, actor="operator")
    assert store.sessions.find(session.token) is None
    assert store.sessions.sign_in(account.email, password) is not None


def test_a_hash_costs_what_the_field_asks_for() -> None:
    module = runpy.run_path(password_hashes.__file__)
    for made in (module["hash_password"]("a long password"), module["nobodys_hash"]):
        assert made.startswith("$argon2id$v=19$m=19456,t=2,p=1$")

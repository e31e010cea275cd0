from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from errata.errors import InvalidParameter, RateLimited
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import SignInExpired
from errata.state.origin import request_from
from tests.errata.state.conftest import Clock


def test_signing_in_starts_a_session_that_ends_by_signing_out(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    session = store.sessions.sign_in(account.email.upper(), account.password)
    assert session is not None
    assert store.sessions.find(session.token) == session
    store.sessions.sign_out(session.token)
    store.sessions.sign_out(session.token)
    assert store.sessions.find(session.token) is None
    actions = [entry.action for entry in store.activity.entries(organization_id, kind="user")]
    assert actions == [Action.USER_SIGNED_OUT, Action.USER_SIGNED_IN, Action.USER_CREATED]


def test_a_session_ends_after_its_time(store: Store, account: FirstAccount, clock: Clock) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    clock.advance(timedelta(days=30, seconds=-1))
    assert store.sessions.find(session.token) is not None
    clock.advance(timedelta(seconds=1))
    assert store.sessions.find(session.token) is None


def test_a_password_changed_meanwhile_starts_none(store: Store, account: FirstAccount, clock: Clock) -> None:
    user = store.sessions.proven_user(account.email, account.password)
    assert user is not None
    store.passwords.reset(account.email, actor="test")
    with pytest.raises(SignInExpired):
        store.sessions.begin(user, clock())


@pytest.mark.parametrize("email", ["owner@example.org", "nobody@example.org", "", "a\0b@example.org"])
def test_a_wrong_password_or_address_starts_none(store: Store, account: FirstAccount, email: str) -> None:
    assert store.sessions.sign_in(email, "wrong") is None
    assert store.sessions.sign_in(email, "") is None
    assert store.sessions.sign_in(email, "x" * 100_000) is None


@pytest.mark.parametrize("email", ["owner@example.org", "nobody@example.org"])
def test_guesses_are_limited_by_address_whether_known_or_not(
    store: Store, account: FirstAccount, clock: Clock, email: str
) -> None:
    for _ in range(10):
        assert store.sessions.sign_in(email, "wrong") is None
    with pytest.raises(RateLimited) as limited:
        store.sessions.sign_in(email, account.password)
    assert 0 < limited.value.retry_after_seconds <= 300
    clock.advance(timedelta(minutes=5))
    assert (store.sessions.sign_in(email, account.password) is not None) == (email == account.email)


def test_guesses_made_at_once_do_not_overshoot_the_limit(store: Store, account: FirstAccount) -> None:
    def guess(_: int) -> bool:
        try:
            store.sessions.sign_in(account.email, "wrong")
        except RateLimited:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(guess, range(10 + 6))) == 10


def guessed(store: Store, email: str, address: str, count: int) -> list[bool]:
    """Whether each of these wrong passwords from the address was compared."""

    def is_compared() -> bool:
        with request_from(address):
            try:
                assert store.sessions.sign_in(email, "wrong") is None
            except RateLimited:
                return False
        return True

    return [is_compared() for _ in range(count)]


def signed_in(store: Store, account: FirstAccount, address: str) -> bool:
    with request_from(address):
        try:
            return store.sessions.sign_in(account.email, account.password) is not None
        except RateLimited:
            return False


@pytest.mark.slow
def test_wrong_passwords_from_elsewhere_lock_nobody_out(
    store: Store, account: FirstAccount, clock: Clock
) -> None:
    assert guessed(store, account.email, "203.0.113.9", 12) == [True] * 10 + [False] * 2
    assert not signed_in(store, account, "203.0.113.9")
    assert signed_in(store, account, "198.51.100.1")
    clock.advance(timedelta(days=180, seconds=-1))
    # All strangers together have a limit, which a single one does not use up.
    assert sum(guessed(store, account.email, "203.0.113.9", 101)) == 10
    for number in range(10):
        guessed(store, account.email, f"203.0.113.{100 + number}", 10)
    assert not signed_in(store, account, "203.0.113.250")
    # It spares addresses that signed in before, for a time.
    assert signed_in(store, account, "198.51.100.1")
    clock.advance(timedelta(days=180))
    for number in range(10):
        assert all(guessed(store, account.email, f"203.0.113.{100 + number}", 10))
    assert not signed_in(store, account, "198.51.100.1")
    clock.advance(timedelta(minutes=5))
    assert signed_in(store, account, "198.51.100.1")


@pytest.mark.parametrize("email", ["owner@example.org", "nobody@example.org"])
def test_strangers_learn_nothing_of_an_account_by_its_limits(
    store: Store, account: FirstAccount, email: str
) -> None:
    assert signed_in(store, account, "198.51.100.1")
    tried = [guessed(store, email, f"203.0.113.{number}", 11) for number in range(12)]
    assert tried == [[True] * 10 + [False]] * 10 + [[False] * 11] * 2


def test_a_known_address_has_its_own_limit(store: Store, account: FirstAccount) -> None:
    assert signed_in(store, account, "2001:db8:1:2::1")
    for number in range(11):
        guessed(store, account.email, f"203.0.113.{number}", 10)
    # Of an IPv6 network of one host any address counts.
    assert sum(guessed(store, account.email, f"2001:db8:1:2::{n:x}", 1)[0] for n in range(20)) == 10
    assert not signed_in(store, account, "2001:db8:1:2::ffff")
    assert not signed_in(store, account, "2001:db8:1:3::1")


def test_a_new_password_ends_all_waiting(store: Store, account: FirstAccount) -> None:
    for number in range(11):
        guessed(store, account.email, f"203.0.113.{number}", 10)
    password = store.passwords.reset(account.email, actor="errata admin")
    assert signed_in(store, replace(account, password=password), "203.0.113.0")


def test_a_user_sees_open_sessions_and_ends_the_others(
    store: Store, account: FirstAccount, clock: Clock
) -> None:
    first, second = (store.sessions.sign_in(account.email, account.password) for _ in range(2))
    assert first is not None and second is not None
    assert sorted(one.is_own for one in store.sessions.of_user(second)) == [False, True]
    store.sessions.end_all_others(second)
    assert store.sessions.find(first.token) is None
    assert [one.is_own for one in store.sessions.of_user(second)] == [True]
    clock.advance(timedelta(days=30))
    assert store.sessions.of_user(second) == []


def test_a_session_knows_the_time_zone_of_its_user(store: Store, account: FirstAccount) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None and session.time_zone == "UTC"
    store.users.choose_time_zone(session.user_id, "Europe/Berlin")
    for found in (
        store.sessions.find(session.token),
        store.sessions.sign_in(account.email, account.password),
    ):
        assert found is not None and found.time_zone == "Europe/Berlin"
    with pytest.raises(InvalidParameter, match="Europe/Berlin"):
        store.users.choose_time_zone(session.user_id, "Europe/Atlantis")

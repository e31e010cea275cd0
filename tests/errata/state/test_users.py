from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from errata.errors import RateLimited
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import InvalidCredentials, WeakPassword
from errata.state.users import ATTEMPT_WINDOW, ATTEMPTS_A_WINDOW, SESSION_LASTS
from tests.errata.state.conftest import Clock


def test_signing_in_starts_a_session_that_ends_by_signing_out(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    session = store.sign_in(account.email.upper(), account.password)
    assert session is not None
    assert store.web_session(session.token) == session
    store.sign_out(session.token)
    store.sign_out(session.token)
    assert store.web_session(session.token) is None
    actions = [entry.action for entry in store.activity(organization_id, kind="user")]
    assert actions == [Action.USER_SIGNED_OUT, Action.USER_SIGNED_IN, Action.USER_CREATED]


def test_a_session_ends_after_its_time(store: Store, account: FirstAccount, clock: Clock) -> None:
    session = store.sign_in(account.email, account.password)
    assert session is not None
    clock.advance(SESSION_LASTS - timedelta(seconds=1))
    assert store.web_session(session.token) is not None
    clock.advance(timedelta(seconds=1))
    assert store.web_session(session.token) is None


@pytest.mark.parametrize("email", ["owner@example.org", "nobody@example.org", "", "a\0b@example.org"])
def test_a_wrong_password_or_address_starts_none(store: Store, account: FirstAccount, email: str) -> None:
    assert store.sign_in(email, "wrong") is None
    assert store.sign_in(email, "") is None
    assert store.sign_in(email, "x" * 100_000) is None


@pytest.mark.parametrize("email", ["owner@example.org", "nobody@example.org"])
def test_guesses_are_limited_by_address_whether_known_or_not(
    store: Store, account: FirstAccount, clock: Clock, email: str
) -> None:
    for _ in range(ATTEMPTS_A_WINDOW):
        assert store.sign_in(email, "wrong") is None
    with pytest.raises(RateLimited) as limited:
        store.sign_in(email, account.password)
    assert 0 < limited.value.retry_after_seconds <= ATTEMPT_WINDOW.total_seconds()
    clock.advance(ATTEMPT_WINDOW)
    assert (store.sign_in(email, account.password) is not None) == (email == account.email)


def test_guesses_made_at_once_do_not_overshoot_the_limit(store: Store, account: FirstAccount) -> None:
    def guess(_: int) -> bool:
        try:
            store.sign_in(account.email, "wrong")
        except RateLimited:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(guess, range(ATTEMPTS_A_WINDOW + 6))) == ATTEMPTS_A_WINDOW


def test_a_changed_password_ends_the_other_sessions(store: Store, account: FirstAccount) -> None:
    here = store.sign_in(account.email, account.password)
    elsewhere = store.sign_in(account.email, account.password)
    assert here is not None and elsewhere is not None
    store.change_password(here, account.password, "a much better one")
    assert store.web_session(here.token) is not None
    assert store.web_session(elsewhere.token) is None
    assert store.sign_in(account.email, account.password) is None
    assert store.sign_in(account.email, "a much better one") is not None


def test_a_password_is_changed_only_by_who_knows_it_and_to_a_long_one(
    store: Store, account: FirstAccount
) -> None:
    session = store.sign_in(account.email, account.password)
    assert session is not None
    with pytest.raises(InvalidCredentials):
        store.change_password(session, "wrong", "a much better one")
    for unfit in ("short", "x" * 257):
        with pytest.raises(WeakPassword):
            store.change_password(session, account.password, unfit)


def test_a_lost_password_is_replaced_and_ends_every_session(store: Store, account: FirstAccount) -> None:
    session = store.sign_in(account.email, account.password)
    assert session is not None
    password = store.reset_password(account.email, actor="operator")
    assert store.web_session(session.token) is None
    assert store.sign_in(account.email, password) is not None

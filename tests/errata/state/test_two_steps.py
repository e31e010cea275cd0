"""Two-factor authentication, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pyotp
import pytest

from errata.errors import RateLimited
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.errors import (
    CodeRequired,
    InvalidCode,
    MemberNotFound,
    SignInExpired,
    TwoStepsOff,
    TwoStepsOn,
)
from errata.state.origin import request_from
from errata.state.sessions import WebSession
from errata.state.users import Role
from tests.errata.state.conftest import SECRET, Clock
from tests.people import joins

STEP = timedelta(seconds=30)


def signed_in(store: Store, account: FirstAccount) -> WebSession:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    return session


def half(store: Store, email: str, password: str) -> str:
    """The token of the browser between the two steps."""
    with pytest.raises(CodeRequired) as asked:
        store.sessions.sign_in(email, password)
    return asked.value.token


class Phone:
    def __init__(self, secret: str, clock: Clock) -> None:
        self.secret, self.clock = secret, clock

    def code(self, steps: int = 0) -> str:
        return pyotp.TOTP(self.secret).at(self.clock.now + steps * STEP)


@pytest.fixture
def session(store: Store, account: FirstAccount) -> WebSession:
    return signed_in(store, account)


@pytest.fixture
def phone(store: Store, session: WebSession, clock: Clock) -> Phone:
    """Of an owner who has turned two-factor authentication on, one step ago."""
    found = Phone(store.two_steps.begin(session), clock)
    store.two_steps.turn_on(session, found.code())
    clock.advance(STEP)
    return found


def test_it_is_on_only_after_a_right_code(
    store: Store, account: FirstAccount, session: WebSession, clock: Clock
) -> None:
    with pytest.raises(TwoStepsOff):
        store.two_steps.turn_on(session, "123456")
    former = Phone(store.two_steps.begin(session), clock)
    phone = Phone(store.two_steps.begin(session), clock)
    assert former.secret != phone.secret == store.two_steps.secret_being_set_up(session)
    signed_in(store, account)
    for wrong in (former.code(), phone.code(2), "", "nonsense"):
        with pytest.raises(InvalidCode):
            store.two_steps.turn_on(session, wrong)
    codes = store.two_steps.turn_on(session, phone.code())
    assert len(set(codes)) == 10
    state = store.two_steps.of_user(session)
    assert (state.turned_on_at, state.recovery_code_count, state.is_required) == (clock.now, 10, False)
    assert store.two_steps.secret_being_set_up(session) is None
    with pytest.raises(TwoStepsOn):
        store.two_steps.begin(session)
    with pytest.raises(TwoStepsOn):
        store.two_steps.turn_on(session, phone.code(1))


def test_turning_it_on_ends_sessions_of_one_step(
    store: Store, account: FirstAccount, session: WebSession, clock: Clock
) -> None:
    other = signed_in(store, account)
    phone = Phone(store.two_steps.begin(session), clock)
    store.two_steps.turn_on(session, phone.code())
    assert store.sessions.find(other.token) is None
    assert store.sessions.find(session.token) == session


def test_a_right_password_is_half_a_sign_in(
    store: Store, account: FirstAccount, phone: Phone, clock: Clock
) -> None:
    assert store.sessions.sign_in(account.email, "wrong") is None
    token = half(store, account.email, account.password)
    assert store.sessions.find(token) is None
    assert store.second_step.is_awaited(token)
    with pytest.raises(InvalidCode):
        store.second_step.take(token, "000000")
    session = store.second_step.take(token, phone.code())
    assert store.sessions.find(session.token) == session
    assert session.confirmed_at == clock.now
    with pytest.raises(SignInExpired):
        store.second_step.take(token, phone.code(1))


@pytest.mark.parametrize("token", ["", "x" * 40, "é" * 40])
def test_a_code_alone_is_nothing(store: Store, phone: Phone, token: str) -> None:
    with pytest.raises(SignInExpired):
        store.second_step.take(token, phone.code())


def test_half_a_sign_in_is_short_lived(
    store: Store, account: FirstAccount, phone: Phone, clock: Clock
) -> None:
    token, still = (half(store, account.email, account.password) for _ in range(2))
    clock.advance(timedelta(minutes=5, milliseconds=-1))
    assert store.second_step.take(still, phone.code()).email == account.email
    clock.advance(timedelta(milliseconds=1))
    with pytest.raises(SignInExpired):
        store.second_step.take(token, phone.code())


def test_a_new_password_ends_half_a_sign_in_by_the_old_one(
    store: Store, account: FirstAccount, phone: Phone
) -> None:
    token = half(store, account.email, account.password)
    store.passwords.reset(account.email, actor="test")
    with pytest.raises(SignInExpired):
        store.second_step.take(token, phone.code())


def test_another_node_completes_it(
    store: Store, state_url: str, account: FirstAccount, phone: Phone, clock: Clock
) -> None:
    other = Store.open(state_url, SECRET, clock=clock)
    token = half(store, account.email, account.password)
    session = other.second_step.take(token, phone.code())
    assert store.sessions.find(session.token) is not None
    again = half(other, account.email, account.password)
    with pytest.raises(InvalidCode):
        store.second_step.take(again, phone.code())
    other.close()


def test_a_code_is_accepted_once_and_no_earlier_one_after_it(
    store: Store, account: FirstAccount, phone: Phone, clock: Clock
) -> None:
    code, earlier = phone.code(), phone.code(-1)
    store.second_step.take(half(store, account.email, account.password), code)
    token = half(store, account.email, account.password)
    for used in (code, earlier):
        with pytest.raises(InvalidCode):
            store.second_step.take(token, used)
    clock.advance(STEP)
    store.second_step.take(token, phone.code())


def test_the_code_that_turned_it_on_does_not_sign_in(
    store: Store, account: FirstAccount, session: WebSession, clock: Clock
) -> None:
    phone = Phone(store.two_steps.begin(session), clock)
    store.two_steps.turn_on(session, phone.code())
    with pytest.raises(InvalidCode):
        store.second_step.take(half(store, account.email, account.password), phone.code())


@pytest.mark.parametrize("is_recovery", [False, True], ids=["code", "recovery code"])
def test_of_many_browsers_with_one_code_at_once_one_gets_in(
    store: Store, account: FirstAccount, session: WebSession, clock: Clock, is_recovery: bool
) -> None:
    phone = Phone(store.two_steps.begin(session), clock)
    codes = store.two_steps.turn_on(session, phone.code())
    clock.advance(STEP)
    code = codes[0] if is_recovery else phone.code()
    tokens = [half(store, account.email, account.password) for _ in range(4)]

    def take(token: str) -> bool:
        try:
            store.second_step.take(token, code)
        except InvalidCode:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(take, tokens)).count(True) == 1


def test_of_two_codes_in_one_browser_at_once_one_gets_in(
    store: Store, account: FirstAccount, phone: Phone
) -> None:
    token = half(store, account.email, account.password)

    def take(code: str) -> bool:
        try:
            store.second_step.take(token, code)
        except (InvalidCode, SignInExpired):
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(take, [phone.code(), phone.code(1)])).count(True) == 1


def test_codes_and_passwords_are_counted_together(store: Store, account: FirstAccount, phone: Phone) -> None:
    token = half(store, account.email, account.password)
    for _ in range(9):
        with pytest.raises(InvalidCode):
            store.second_step.take(token, "000000")
    with pytest.raises(RateLimited):
        store.second_step.take(token, phone.code())
    with pytest.raises(RateLimited):
        store.sessions.sign_in(account.email, account.password)


def test_a_right_password_does_not_forget_wrong_codes(
    store: Store, account: FirstAccount, phone: Phone
) -> None:
    for _ in range(5):
        with pytest.raises(InvalidCode):
            store.second_step.take(half(store, account.email, account.password), "000000")
    with pytest.raises(RateLimited):
        store.sessions.sign_in(account.email, account.password)


def test_passwords_between_wrong_codes_give_no_further_guesses(
    store: Store, account: FirstAccount, session: WebSession, phone: Phone
) -> None:
    for _ in range(2):
        for _ in range(4):
            with pytest.raises(InvalidCode):
                store.two_steps.turn_off(session, "000000")
        store.sessions.confirm(session, account.password)
    with pytest.raises(RateLimited):
        store.two_steps.turn_off(session, phone.code())
    with pytest.raises(RateLimited):
        store.passwords.change(session, account.password, account.password)


def test_each_recovery_code_works_once_until_there_are_new_ones(
    store: Store, account: FirstAccount, session: WebSession, clock: Clock
) -> None:
    phone = Phone(store.two_steps.begin(session), clock)
    codes = store.two_steps.turn_on(session, phone.code())
    store.second_step.take(half(store, account.email, account.password), codes[0].lower())
    assert store.two_steps.of_user(session).recovery_code_count == 9
    token = half(store, account.email, account.password)
    with pytest.raises(InvalidCode):
        store.second_step.take(token, codes[0])
    with pytest.raises(InvalidCode):
        store.two_steps.replace_recovery_codes(session, "000000")
    newer = store.two_steps.replace_recovery_codes(session, codes[1])
    assert store.two_steps.of_user(session).recovery_code_count == 10
    with pytest.raises(InvalidCode):
        store.second_step.take(token, codes[2])
    store.second_step.take(token, newer[0])


def test_secrets_and_codes_are_not_readable_in_the_store(
    store: Store, session: WebSession, clock: Clock
) -> None:
    phone = Phone(store.two_steps.begin(session), clock)
    codes = store.two_steps.turn_on(session, phone.code())
    with store.database.reading() as connection:
        rows = [
            connection.exec_driver_sql(f"select * from {table}").all()
            for table in ("totp", "sealed_secrets", "recovery_codes", "activity_log")
        ]
    text = str(rows)
    assert phone.secret not in text
    assert not any(code in text or code.replace("-", "") in text for code in codes)


def test_turning_it_off_takes_a_code(
    store: Store, account: FirstAccount, session: WebSession, phone: Phone
) -> None:
    with pytest.raises(InvalidCode):
        store.two_steps.turn_off(session, "000000")
    store.two_steps.turn_off(session, phone.code())
    signed_in(store, account)
    with store.database.reading() as connection:
        assert connection.exec_driver_sql("select * from sealed_secrets where purpose = 'totp'").all() == []
    for use in (store.two_steps.turn_off, store.two_steps.replace_recovery_codes):
        with pytest.raises(TwoStepsOff):
            use(session, phone.code(1))


def test_an_owner_turns_it_off_for_someone_else(
    store: Store, account: FirstAccount, session: WebSession, phone: Phone, organization_id: int
) -> None:
    token = half(store, account.email, account.password)
    with pytest.raises(MemberNotFound):
        store.two_steps.turn_off_of(organization_id, 999, actor="ann")
    with pytest.raises(MemberNotFound):
        store.two_steps.turn_off_of(organization_id + 1, session.user_id, actor="ann")
    store.two_steps.turn_off_of(organization_id, session.user_id, actor="ann")
    with pytest.raises(SignInExpired):
        store.second_step.take(token, phone.code())
    with pytest.raises(TwoStepsOff):
        store.two_steps.turn_off_of(organization_id, session.user_id, actor="ann")
    signed_in(store, account)


def test_a_password_link_asks_for_the_code_still(
    store: Store, account: FirstAccount, session: WebSession, phone: Phone, organization_id: int
) -> None:
    link = store.one_time_links.password_link(organization_id, session.user_id, actor="ann")
    with pytest.raises(CodeRequired) as asked:
        store.one_time_links.use(link.token, "a new password")
    assert store.sessions.find(session.token) is None
    assert store.second_step.take(asked.value.token, phone.code()).email == account.email
    assert store.sessions.sign_in(account.email, account.password) is None


def test_an_organization_requires_it_of_everyone_without(
    store: Store, session: WebSession, organization_id: int, clock: Clock
) -> None:
    def lacks_it() -> bool:
        found = store.sessions.find(session.token)
        assert found is not None
        return found.lacks_second_step

    assert not lacks_it()
    for _ in range(2):
        store.two_steps.require(organization_id, True, actor="ann")
    assert lacks_it()
    phone = Phone(store.two_steps.begin(session), clock)
    assert lacks_it()
    store.two_steps.turn_on(session, phone.code())
    assert not lacks_it()
    assert store.two_steps.are_required(organization_id)
    store.two_steps.require(organization_id, False, actor="ann")
    entries = store.activity.entries(organization_id, kind="organization")
    assert [entry.action for entry in entries] == [
        Action.ORGANIZATION_TWO_STEPS_OPTIONAL,
        Action.ORGANIZATION_TWO_STEPS_REQUIRED,
        Action.ORGANIZATION_CREATED,
    ]


def test_every_step_is_in_the_activity_log(
    store: Store, account: FirstAccount, session: WebSession, organization_id: int, clock: Clock
) -> None:
    phone = Phone(store.two_steps.begin(session), clock)
    codes = store.two_steps.turn_on(session, phone.code())
    token = half(store, account.email, account.password)
    with pytest.raises(InvalidCode):
        store.second_step.take(token, "000000")
    store.second_step.take(token, codes[0])
    store.two_steps.replace_recovery_codes(session, codes[1])
    clock.advance(STEP)
    store.two_steps.turn_off(session, phone.code())
    actions = [entry.action for entry in store.activity.entries(organization_id, kind="user")]
    assert actions[::-1][2:] == [
        Action.USER_TWO_STEPS_BEGUN,
        Action.USER_TWO_STEPS_TURNED_ON,
        Action.USER_CODE_ASKED,
        Action.USER_CODE_REFUSED,
        Action.USER_RECOVERY_CODE_USED,
        Action.USER_SIGNED_IN,
        Action.USER_RECOVERY_CODE_USED,
        Action.USER_RECOVERY_CODES_REPLACED,
        Action.USER_TWO_STEPS_TURNED_OFF,
    ]


def test_a_member_has_their_own(
    store: Store, organization_id: int, session: WebSession, phone: Phone
) -> None:
    password = store.passwords.add_user(organization_id, "bob@example.org", Role.VIEWER, actor="ann")
    bob = store.sessions.sign_in("bob@example.org", password)
    assert bob is not None
    theirs = Phone(store.two_steps.begin(bob), phone.clock)
    with pytest.raises(InvalidCode):
        store.two_steps.turn_on(bob, phone.code())
    store.two_steps.turn_on(bob, theirs.code())
    token = half(store, "bob@example.org", password)
    with pytest.raises(InvalidCode):
        store.second_step.take(token, phone.code(1))
    assert store.authenticators.are_on([session.user_id, bob.user_id, 999]) == {session.user_id, bob.user_id}


def test_a_recovery_code_of_somebody_else_is_none(
    store: Store,
    account: FirstAccount,
    session: WebSession,
    phone: Phone,
    organization_id: int,
    clock: Clock,
) -> None:
    joins(store, organization_id, "bob@example.org")
    bob = store.sessions.sign_in("bob@example.org", account.password)
    assert bob is not None
    codes = store.two_steps.turn_on(bob, Phone(store.two_steps.begin(bob), clock).code())
    token = half(store, account.email, account.password)
    with pytest.raises(InvalidCode):
        store.second_step.take(token, codes[0])
    own = half(store, bob.email, account.password)
    assert store.second_step.take(own, codes[0]).email == bob.email


def test_strangers_together_have_ten_guesses_at_codes(
    store: Store, account: FirstAccount, phone: Phone, clock: Clock
) -> None:
    def guess(address: str) -> None:
        with request_from(address):
            store.second_step.take(token, "000000")

    token = half(store, account.email, account.password)
    for number in range(10):
        with pytest.raises(InvalidCode):
            guess(f"203.0.113.{number}")
    with pytest.raises(RateLimited):
        guess("203.0.113.99")
    clock.advance(timedelta(minutes=5, milliseconds=-1))
    with pytest.raises(RateLimited):
        guess("203.0.113.99")

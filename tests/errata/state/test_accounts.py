import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.errors import AccountExists, StateTooNew, StateUnavailable
from tests.errata.state.conftest import SECRET, Clock


def test_the_first_account_can_do_everything_at_once(store: Store) -> None:
    account = store.accounts.create_first("Acme", "Web shop", " Owner@Example.org ")
    owner = store.keys.api.owner(account.api_key)
    assert owner is not None and owner.organization == "Acme"
    assert store.keys.app.routes(owner.organization_id, [account.app_key])[account.app_key].slug == "web-shop"
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None and session.role == "owner" and session.email == "owner@example.org"
    assert store.accounts.exist()


def test_a_second_first_account_is_refused(store: Store, account: FirstAccount) -> None:
    with pytest.raises(AccountExists):
        store.accounts.create_first("Other", "Other", "other@example.org")


def test_of_two_first_accounts_at_once_one_exists_and_its_secrets_are_the_ones_kept(store: Store) -> None:
    kept: list[FirstAccount] = []

    def create(_: int) -> FirstAccount | None:
        try:
            return store.accounts.create_first("Acme", "Shop", "owner@example.org", keep=kept.append)
        except AccountExists:
            return None

    with ThreadPoolExecutor(4) as threads:
        made = [account for account in threads.map(create, range(4)) if account is not None]
    assert len(made) == 1 and kept == made
    assert store.keys.api.owner(made[0].api_key) is not None


def test_a_crash_before_the_secrets_are_kept_leaves_nothing(store: Store) -> None:
    def crash(account: FirstAccount) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.accounts.create_first("Acme", "Shop", "owner@example.org", keep=crash)
    assert not store.accounts.exist()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    assert store.sessions.sign_in(account.email, account.password) is not None


def test_migrating_twice_and_at_once_changes_nothing(empty_state_url: str, clock: Clock) -> None:
    stores = [Store.open(empty_state_url, SECRET, clock=clock) for _ in range(6)]
    together = Barrier(len(stores))

    def migrate(store: Store) -> None:
        together.wait()
        store.migrate()

    with ThreadPoolExecutor(len(stores)) as threads:
        list(threads.map(migrate, stores))
    stores[0].migrate()
    for store in stores:
        store.ping()
        store.close()


def test_a_store_that_was_never_migrated_does_not_answer_a_ping(empty_state_url: str) -> None:
    store = Store.open(empty_state_url, SECRET)
    with pytest.raises(StateUnavailable):
        store.ping()
    store.close()


def test_a_store_of_a_newer_version_is_left_alone(empty_state_url: str) -> None:
    # Of its own: other tests share what is migrated.
    with closing(Store.open(empty_state_url, SECRET)) as store:
        store.migrate()
        with store.database.writing() as connection:
            connection.exec_driver_sql("update alembic_version set version_num = '9999'")
        with pytest.raises(StateTooNew, match=r"at revision 9999, newer than .* Install the newer"):
            store.migrate()


def test_the_file_and_its_companions_are_readable_by_the_owner_alone(
    tmp_path: Path, umask: Callable[[int], None]
) -> None:
    umask(0)
    store = Store.open(f"sqlite:///{tmp_path}/new/state.db", SECRET)
    store.migrate()
    files = list((tmp_path / "new").iterdir())
    assert {file.name for file in files} == {"state.db", "state.db-wal", "state.db-shm"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    store.close()


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Callable[[int], None]:
    def change(mask: int) -> None:
        before = os.umask(mask)
        request.addfinalizer(lambda: os.umask(before) and None)

    return change


def test_another_secret_knows_no_key_and_no_session(
    store: Store, account: FirstAccount, state_url: str
) -> None:
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    other = Store.open(state_url, b"another secret of enough bytes")
    assert other.keys.api.owner(account.api_key) is None
    assert other.sessions.find(session.token) is None
    other.close()


def test_no_secret_is_stored_in_clear(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/state.db", SECRET)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    session = store.sessions.sign_in(account.email, account.password)
    assert session is not None
    store.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"owner@example.org" in stored
    for secret in (account.api_key, account.app_key, account.password, session.token):
        assert secret.encode() not in stored


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="use at least 16"):
        Store.open(f"sqlite:///{tmp_path}/state.db", b"short")

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from tests.errata.state.conftest import Clock


def test_a_key_names_its_organization_and_when_it_was_made(
    store: Store, account: FirstAccount, clock: Clock
) -> None:
    owner = store.keys.api.owner(account.api_key)
    assert owner is not None
    assert (owner.organization, owner.created_at) == ("Acme", clock.now)
    assert account.api_key.startswith(owner.prefix) and len(account.api_key) - len(owner.prefix) >= 32


@pytest.mark.parametrize(
    "spoil",
    [
        lambda account: "",
        lambda account: "errata_api_",
        lambda account: account.api_key[:-1],
        lambda account: account.api_key + " ",
        lambda account: " " + account.api_key,
        lambda account: account.api_key.swapcase(),
        lambda account: account.app_key,
        lambda account: account.api_key[:-1] + "\0",
        lambda account: account.api_key[:-1] + "\ud800",
        lambda account: "errata_api_" + "ü" * 40,
    ],
    ids=[
        "empty",
        "prefix",
        "cut",
        "blank after",
        "blank before",
        "case",
        "app key",
        "nul",
        "surrogate",
        "umlauts",
    ],
)
def test_what_is_not_exactly_the_key_has_no_owner(
    store: Store, account: FirstAccount, spoil: "type[str] | object"
) -> None:
    assert callable(spoil)
    assert store.keys.api.owner(spoil(account)) is None


def test_a_regenerated_key_fails_at_once_and_the_new_one_works(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    issued = store.keys.api.regenerate(organization_id, actor="owner@example.org")
    assert store.keys.api.owner(account.api_key) is None
    owner = store.keys.api.owner(issued.key)
    assert owner is not None and owner.organization_id == organization_id
    assert store.keys.api.get(organization_id).prefix == issued.prefix


def test_while_a_key_is_regenerated_no_old_one_is_valid_after_the_answer(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    replaced = threading.Event()
    wrong: list[str] = []

    def verify() -> None:
        while True:
            was_replaced = replaced.is_set()
            if store.keys.api.owner(account.api_key) is not None and was_replaced:
                wrong.append("the old key was valid after its replacement")
            if was_replaced:
                return

    with ThreadPoolExecutor(4) as threads:
        verifying = [threads.submit(verify) for _ in range(3)]
        store.keys.api.regenerate(organization_id, actor="owner@example.org")
        replaced.set()
        for running in verifying:
            running.result(timeout=30)
    assert wrong == []


def test_of_keys_regenerated_at_once_one_is_current(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    with ThreadPoolExecutor(4) as threads:
        issued = list(
            threads.map(lambda _: store.keys.api.regenerate(organization_id, actor="x").key, range(4))
        )
    assert sum(store.keys.api.owner(key) is not None for key in issued) == 1
    assert store.keys.api.owner(account.api_key) is None


def test_use_is_noted_at_most_once_a_minute_and_logged_once_a_day(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    first = clock.now
    clock.advance(timedelta(seconds=30))
    store.keys.api.owner(account.api_key)
    assert store.keys.api.get(organization_id).last_used_at == first
    clock.advance(timedelta(seconds=31))
    store.keys.api.owner(account.api_key)
    assert store.keys.api.get(organization_id).last_used_at == clock.now
    clock.advance(timedelta(days=1))
    store.keys.api.owner(account.api_key)
    uses = [entry for entry in store.activity.entries(organization_id) if "used" in entry.action.value]
    assert [(entry.action, entry.at) for entry in uses] == [
        (Action.API_KEY_USED, clock.now),
        (Action.API_KEY_LAST_USED, clock.now - timedelta(days=1)),
        (Action.API_KEY_USED, first),
    ]


def test_a_busy_database_does_not_hold_up_a_request(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    clock.advance(timedelta(minutes=2))
    before = store.keys.api.get(organization_id).last_used_at
    with store.database.writing() as connection:
        connection.exec_driver_sql("update api_keys set last_used_at = last_used_at")
        assert store.keys.api.owner(account.api_key) is not None
    assert store.keys.api.get(organization_id).last_used_at == before


def test_activity_tells_who_did_what_to_which_key_and_filters_by_kind(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    issued = store.keys.api.regenerate(organization_id, actor="owner@example.org")
    entries = store.activity.entries(organization_id, kind="api_key")
    assert [entry.action for entry in entries] == [
        Action.API_KEY_REGENERATED,
        Action.API_KEY_USED,
        Action.API_KEY_CREATED,
    ]
    assert (entries[0].actor, entries[0].key_prefix) == ("owner@example.org", issued.prefix)
    everything = store.activity.entries(organization_id)
    assert len(everything) > len(entries)
    older = store.activity.entries(organization_id, limit=1, before_id=everything[0].id)
    assert older == everything[1:2]
    assert store.activity.entries(organization_id + 1) == []

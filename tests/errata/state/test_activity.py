import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import SQLAlchemyError

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Activity
from errata.state.origin import request_from


def test_an_entry_has_the_address_of_its_request(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    with request_from("10.1.2.3"):
        store.keys.api.regenerate(organization_id, actor="owner")
    with request_from("2001:db8::1" + "0" * 100):
        store.keys.api.regenerate(organization_id, actor="owner")
    store.keys.api.regenerate(organization_id, actor="owner")
    entries = store.activity.entries(organization_id, kind="api_key")
    assert [entry.address for entry in entries][:3] == ["", "2001:db8::1" + "0" * 53, "10.1.2.3"]


@pytest.mark.parametrize("change", [update(Activity).values(actor="nobody"), delete(Activity)])
def test_entries_are_neither_changed_nor_deleted(
    store: Store, account: FirstAccount, organization_id: int, change: "object"
) -> None:
    before = store.activity.entries(organization_id)
    with pytest.raises(SQLAlchemyError, match="append-only"), store.database.writing() as connection:
        connection.execute(change)  # type: ignore[call-overload]
    assert before and store.activity.entries(organization_id) == before

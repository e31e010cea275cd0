"""Who a user is: the first known of id, e-mail, name and address, alike in errors and in calls."""

from datetime import UTC, datetime
from typing import Any

from api.ingest import sender
from api.ingest.event_rows import event_row
from errata.grouping import variant_of
from tests.captures import an_item
from tests.cases import each

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def hashes(user: dict[str, Any]) -> tuple[int, int]:
    error = {"exception": {"values": [{"type": "ValueError", "value": "no"}]}, "user": user}
    row = event_row(an_item("event", error), variant_of(error), NOW)
    return row["user_hash"], sender.of_payload(an_item("transaction", {"user": user}), NOW).user_hash


@each(
    ("user", "same"),
    [
        ({"id": 42, "email": "ada@shop.example"}, {"id": "42"}),
        ({"id": "[FILTERED]", "email": "ada@shop.example"}, {"email": "ada@shop.example", "name": "Ada"}),
        ({"username": "ada", "ip_address": "192.0.2.1"}, {"name": "ada"}),
        ({"id": "", "ip_address": "192.0.2.1"}, {"ip_address": "192.0.2.1"}),
    ],
)
def test_the_first_known_identifier_identifies_a_user(user: dict[str, Any], same: dict[str, Any]) -> None:
    [(error, call), (same_error, same_call)] = [hashes(user), hashes(same)]
    assert 0 != error == call == same_error == same_call


@each("user", [{}, {"id": "[FILTERED]"}, {"ip_address": "{{auto}}"}, {"id": None, "email": []}])
def test_filtered_and_missing_identifiers_identify_nobody(user: dict[str, Any]) -> None:
    assert hashes(user) == (0, 0)

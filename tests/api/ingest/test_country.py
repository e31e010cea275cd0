"""Countries of page views: looked up in a file of the operator's, and the address is not kept."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.ingest.country import Countries
from api.ingest.item import Item
from api.ingest.telemetry import rows_of
from errata.errors import InvalidSettings
from tests.captures import GENERATIONS, browser_items
from tests.country_file import write_country_file

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
NETWORKS = {"192.0.2.0/24": "DE", "198.51.100.0/25": "cz", "2001:db8::/32": "FR"}


@pytest.fixture
def countries(tmp_path: Path) -> Countries:
    return Countries.open(str(write_country_file(tmp_path / "countries.mmdb", NETWORKS)))


def a_transaction(**user: Any) -> dict[str, Any]:
    return {"user": user}


def a_container(**attributes: str) -> dict[str, Any]:
    named = {
        name.replace("__", "."): {"value": value, "type": "string"} for name, value in attributes.items()
    }
    return {"version": 2, "items": [{"attributes": named}]}


@pytest.mark.parametrize(
    ("payload", "country"),
    [
        (a_transaction(ip_address="192.0.2.77"), "DE"),
        (a_transaction(ip_address="198.51.100.1"), "CZ"),
        (a_transaction(ip_address="198.51.100.200"), ""),
        (a_transaction(ip_address="2001:db8:1::5"), "FR"),
        (a_transaction(ip_address="::ffff:192.0.2.1"), ""),
        (a_transaction(ip_address="10.0.0.1"), ""),
        (a_transaction(ip_address="{{auto}}"), ""),
        (a_transaction(ip_address=5), ""),
        (a_transaction(ip_address="192.0.2.1", geo={"country_code": "us"}), "US"),
        (a_transaction(ip_address="192.0.2.1", geo={"country_code": "Germany"}), "DE"),
        ({"user": "anna"}, ""),
        ({"data": {"user.ip_address": "192.0.2.1"}}, "DE"),
        (a_container(user__ip_address="192.0.2.1"), "DE"),
        (a_container(user__geo__country_code="SE"), "SE"),
        ({"items": []}, ""),
        ({"items": [None]}, ""),
    ],
)
def test_a_country_is_as_named_or_of_the_address(
    countries: Countries, payload: dict[str, Any], country: str
) -> None:
    assert countries.country_of(payload) == country


def test_without_a_file_only_named_countries_are_known() -> None:
    assert Countries.open("").country_of(a_transaction(ip_address="192.0.2.77")) == ""
    assert Countries.open("").country_of(a_transaction(geo={"country_code": "US"})) == "US"


def test_a_file_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "torn.mmdb").write_bytes(b"no such file")
    for name in ("torn.mmdb", "missing.mmdb"):
        with pytest.raises(InvalidSettings, match="ERRATA_API_COUNTRY_FILE"):
            Countries.open(str(tmp_path / name))


@pytest.mark.parametrize("generation", GENERATIONS)
def test_page_views_have_the_country_and_no_row_the_address(countries: Countries, generation: str) -> None:
    address, found = "192.0.2.77", 0
    for item in browser_items(generation, kinds=("transaction", "span")):
        payload = with_address(item.payload, address)
        own = Item(
            **{name: getattr(item, name) for name in Item.__dataclass_fields__}
            | {"payload": payload, "country": countries.country_of(payload)}
        )
        for rows in rows_of(own, NOW).values():
            assert address not in repr(rows)
        for row in rows_of(own, NOW).get("errata_raw.page_views", []):
            assert row["country"] == "DE"
            found += 1
    assert found > 10


def with_address(payload: dict[str, Any], address: str) -> dict[str, Any]:
    if "items" in payload:
        named = {"user.ip_address": {"value": address, "type": "string"}}
        spans = [{**span, "attributes": {**span["attributes"], **named}} for span in payload["items"]]
        return {**payload, "items": spans}
    if "data" in payload:
        return {**payload, "data": {**payload["data"], "user.ip_address": address}}
    return {**payload, "user": {**payload.get("user", {}), "ip_address": address}}

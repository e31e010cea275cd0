import os

import pytest

from errata.errors import InvalidSettings
from errata.settings import CoreSettings, load
from errata.warehouse.addresses import addresses_of, place_of
from errata.warehouse.client import Warehouse
from pipelines.settings import PipelinesSettings
from tests.cases import each


@each(
    ("url", "addresses"),
    [
        ("http://u:p%40@a:8123,b:8124", ("http://u:p%40@a:8123", "http://u:p%40@b:8124")),
        ("http://u:p@a:8123/errata", ("http://u:p@a:8123/errata",)),
        ("http://u:p@ss@a", ("http://u:p@ss@a:8123",)),
        ("https://a,b:9", ("https://a:8443", "https://b:9")),
        ("http://u@[::1]:1,[::2]", ("http://u@[::1]:1", "http://u@[::2]:8123")),
    ],
)
def test_a_list_of_places_has_one_user_and_password(url: str, addresses: tuple[str, ...]) -> None:
    assert addresses_of(url) == addresses


def test_an_address_is_told_without_its_user() -> None:
    assert place_of("http://user:password@a:8123") == "a:8123"
    assert Warehouse("http://user:password@a:8123,b:8123").address == "a:8123, b:8123"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("a:8123,b:8123", "must begin with http"),
        ("http://u:secret@a:8123,", "needs a host for each address"),
        ("http://u:secret@a:8123, b:8123", "needs a host for each address"),
        ("http://u:secret@a:8123,b:none", "without a valid port"),
        ("http://u:secret/8123@a:8123", "without a valid port"),
        ("http://u:secret@a:8123,u:secret@b:8123", "has two users"),
        ("http://u:secret@a:8123,a", "lists a:8123 twice"),
    ],
)
def test_what_is_no_list_of_places_stops_the_start_and_tells_no_password(
    url: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidSettings, match=problem) as raised:
        load(
            CoreSettings,
            {"ERRATA_WAREHOUSE_URL": url, "ERRATA_STATE_URL": "sqlite://", "ERRATA_SECRET": "s" * 32},
        )
    assert "ERRATA_WAREHOUSE_URL" in str(raised.value) and "secret" not in str(raised.value)
    monkeypatch.setenv("ERRATA_WAREHOUSE_BUILD_URL", url)
    with pytest.raises(InvalidSettings, match=f": ERRATA_WAREHOUSE_BUILD_URL: .*{problem}") as raised:
        load(PipelinesSettings, os.environ)
    assert "secret" not in str(raised.value)

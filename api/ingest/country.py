"""The country of the sender of an item: as the SDK names it, else of its address by a file of the operator's.

The address is looked up and not kept. https://maxmind.github.io/MaxMind-DB/ describes the files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from api.ingest.values import mapping, text
from errata.errors import InvalidSettings

SETTING = "ERRATA_API_COUNTRY_FILE"


class AddressFile(Protocol):
    def get(self, ip_address: str) -> object: ...


@dataclass(frozen=True, slots=True)
class Countries:
    """Without a file, only countries that SDKs name are known."""

    file: AddressFile | None = None

    @classmethod
    def open(cls, path: str) -> "Countries":
        """The file is read once; an empty path means none. Raises InvalidSettings."""
        return cls(_opened(Path(path))) if path else cls()

    def country_of(self, payload: Mapping[str, Any]) -> str:
        """The country of a transaction, a span or a container of spans, whose spans are of one sender: two
        letters of ISO 3166-1; empty: unknown."""
        for named, address in _told(payload):
            country = _code(named) or self._looked_up(address)
            if country:
                return country
        return ""

    def _looked_up(self, address: str) -> str:
        if self.file is None or not address:
            return ""
        try:
            found = self.file.get(address)
        except ValueError:
            # No address, or one of IPv6 in a file of IPv4.
            return ""
        return _code(mapping(mapping(found).get("country")).get("iso_code"))


def _told(payload: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """The country as named, and the address."""
    user = mapping(payload.get("user"))
    yield mapping(user.get("geo")).get("country_code"), text(user.get("ip_address"), 64)
    data = mapping(payload.get("data"))
    yield data.get("user.geo.country_code"), text(data.get("user.ip_address"), 64)
    spans = payload.get("items")
    if isinstance(spans, list) and spans:
        attributes = mapping(mapping(spans[0]).get("attributes"))
        names = ("user.geo.country_code", "user.ip_address")
        named, address = (mapping(attributes.get(name)).get("value") for name in names)
        yield named, text(address, 64)


def _code(value: Any) -> str:
    known = isinstance(value, str) and len(value) == 2 and value.isascii() and value.isalpha()
    return value.upper() if known else ""


def _opened(path: Path) -> AddressFile:
    try:
        # An extra: most installations have no such file.
        from maxminddb import InvalidDatabaseError, open_database
    except ImportError as error:
        raise InvalidSettings([f"{SETTING} requires the extra `geo`: pip install maxminddb"]) from error
    try:
        return open_database(str(path))
    except (OSError, InvalidDatabaseError) as error:
        raise InvalidSettings([f"{SETTING}: {path} can't be read as a MaxMind file"]) from error

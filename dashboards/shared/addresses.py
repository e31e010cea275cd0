"""Addresses that carry the view: every filter, sort, tab and period, and nothing that is its default."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode


def user_address(slug: str, user_hash: int) -> str:
    """The page of an identified user, by the hash alone: names could be any text. Empty for nobody."""
    return f"/projects/{quote(slug, safe='')}/users/{user_hash:016x}" if user_hash else ""


@dataclass(frozen=True)
class View:
    """Parameters of an address; `defaults` are left out of every address made here."""

    path: str
    values: Mapping[str, str]
    defaults: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        return self.values.get(name) or self.defaults.get(name, "")

    def restricted(self, name: str, choices: Container[str]) -> "View":
        """This view with the default of a parameter in place of a value that is none of the choices."""
        return self if self[name] in choices else replace(self, values={**self.values, name: ""})

    def address(self, **changes: str) -> str:
        """This view with some values changed; whatever the change, it begins at the first page again."""
        return _joined(self.path, self._query_string(changes))

    def address_at(self, path: str) -> str:
        """This view at another path, such as an endpoint with the same filters, from its first page."""
        return _joined(path, self.query_string)

    @property
    def in_full(self) -> str:
        """This view on this page, with its defaults: it stays what it is, whatever the defaults become."""
        named = {**self.defaults, **{name: value for name, value in self.values.items() if value}}
        path = quote(self.path)
        return f"{path}?{urlencode(named)}" if named else path

    @property
    def query_string(self) -> str:
        """This view for another path, from its first page."""
        return self._query_string({})

    def _query_string(self, changes: Mapping[str, str]) -> str:
        wanted = {**self.values, "cursor": "", **changes}
        parameters = {
            name: value for name, value in wanted.items() if value and value != self.defaults.get(name, "")
        }
        return urlencode(parameters)

    @property
    def is_filtered(self) -> bool:
        """Whether filters differ from the defaults."""
        return any(
            self.values.get(name) and self.values[name] != self.defaults.get(name, "")
            for name in ("query", "status", "environment", "release")
        )


def _joined(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path

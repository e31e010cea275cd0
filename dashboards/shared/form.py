"""A form as it was sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs, urlencode

from fastapi import Depends, Request

from errata.errors import InvalidParameter

TOKEN = "csrf_token"


@dataclass(frozen=True)
class Form:
    """Fields by name, with all values of a repeated one."""

    values: Mapping[str, Sequence[str]]

    @classmethod
    def from_query(cls, query: str) -> "Form":
        return cls(parse_qs(query, keep_blank_values=True))

    @property
    def query(self) -> str:
        """The fields as the query of an address, without the token that belongs to a session."""
        return urlencode({name: values for name, values in self.values.items() if name != TOKEN}, doseq=True)

    def __getitem__(self, name: str) -> str:
        return next(iter(self.values.get(name, ())), "").strip()

    def all(self, name: str) -> list[str]:
        return list(self.values.get(name, ()))

    def number(self, name: str, default: int) -> int:
        """Raises InvalidParameter; empty is the default."""
        text = self[name]
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 12:
            raise InvalidParameter(name, "a whole number")
        return int(text)


async def form_of(request: Request) -> Form:
    given = await request.form(max_files=0, max_fields=100)
    values: dict[str, list[str]] = {}
    for name, value in given.multi_items():
        if isinstance(value, str):
            values.setdefault(name, []).append(value)
    return Form(values)


FormDependency = Annotated[Form, Depends(form_of)]

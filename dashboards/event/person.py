"""The user an error happened to."""

from dataclasses import dataclass

from dashboards.event.shapes import first_text, mapping, text
from dashboards.event.trees import Node, tree

SHOWN_APART = frozenset({"id", "email", "username", "name", "ip_address"})


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    email: str
    ip_address: str
    others: tuple[Node, ...]

    @property
    def is_identified(self) -> bool:
        return bool(self.id or self.name or self.email or self.ip_address)


def person(payload: dict[str, object]) -> Person:
    raw = mapping(payload.get("user"))
    return Person(
        id=first_text(raw.get("id")),
        name=first_text(raw.get("name"), raw.get("username")),
        email=first_text(raw.get("email")),
        ip_address=first_text(raw.get("ip_address")),
        others=tuple(
            tree(value, text(name))
            for name, value in raw.items()
            if name not in SHOWN_APART and value not in (None, "", {}, [])
        ),
    )

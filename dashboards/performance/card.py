from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """A figure above the tables of a page."""

    name: str
    value: str
    note: str = ""
    rating: str = ""

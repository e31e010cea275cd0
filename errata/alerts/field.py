"""A field of a form that a kind of rules or of channels has of its own."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """`choices`: values with what people read of them; `default` is what an empty field means."""

    name: str
    label: str
    example: str = ""
    is_required: bool = False
    is_number: bool = False
    choices: Sequence[tuple[str, str]] = ()
    default: str = ""

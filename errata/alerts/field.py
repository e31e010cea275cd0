"""A field of a form that a kind of rules or of channels has of its own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errata.errors import InvalidParameter


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


def require_known(given: Iterable[str], fields: Iterable[Field], parameter: str, of: str) -> None:
    """Raises InvalidParameter for a name that none of the fields has; `of` says of what they are fields."""
    if unknown := set(given) - {field.name for field in fields}:
        raise InvalidParameter(parameter, f"{min(unknown)} doesn't apply to {of} of this kind")

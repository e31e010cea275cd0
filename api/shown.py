"""The base of models that show a value in responses."""

from functools import partial
from operator import attrgetter
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from errata.warehouse.queries.vocabulary import issue_text


def _issue_text_if_any(issue_id: int) -> str | None:
    return issue_text(issue_id) if issue_id else None


# 16 hexadecimal digits of an issue's number; of 0, which is no issue, None.
_ISSUE_ID = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
IssueIdText = Annotated[str, BeforeValidator(issue_text), WithJsonSchema(_ISSUE_ID)]
IssueIdTextIfAny = Annotated[
    str | None,
    BeforeValidator(_issue_text_if_any),
    WithJsonSchema({"anyOf": [_ISSUE_ID, {"type": "null"}]}),
]
# 32 hexadecimal digits of a UUID.
UuidText = Annotated[
    str,
    BeforeValidator(attrgetter("hex")),
    WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{32}$"}),
]


class Shown(BaseModel):
    """Shows a value: each field is the value's attribute of the same name, or that of its `validation_alias`.
    A field that is such a model itself shows the attribute."""

    model_config = ConfigDict(from_attributes=True, validate_by_name=True)

    @classmethod
    def of(cls, value: object, **computed: Any) -> Self:
        """`computed`: fields that are no attributes of the value, or other than these. They have no alias."""
        # A pair is how pydantic takes an object with values that go before its attributes.
        return cls.model_validate((value, computed) if computed else value)


def digits(count: int) -> AfterValidator:
    """Rounds a field: `Annotated[float, digits(3)]`."""
    return AfterValidator(partial(round, ndigits=count))

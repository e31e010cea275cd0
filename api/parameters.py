"""Query parameters that many endpoints share."""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from fastapi import Query
from pydantic import (
    AwareDatetime,
    BeforeValidator,
    GetCoreSchemaHandler,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from errata.warehouse.queries.cursor import unknown_cursor

PERIOD = re.compile(r"([1-9][0-9]{0,5})([hdw])", re.ASCII)
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
NO_TEXT = re.compile("[\0\ud800-\udfff]")
UNIT = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
# Two years, one of them a leap year.
LONGEST_PERIOD = timedelta(days=731)


class Period(str):
    """A span of time back from now, as people write it: `24h`, `14d`, `26w`."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: object) -> "Period":
        match = PERIOD.fullmatch(text) if isinstance(text, str) else None
        if match is None or int(match[1]) * UNIT[match[2]] > LONGEST_PERIOD:
            raise ValueError("a number followed by h, d or w, from 1h to 2 years")
        return cls(text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # A default of this type appears in OpenAPI: pydantic must know how to write it.
        written = core_schema.plain_serializer_function_ser_schema(str)
        return core_schema.no_info_plain_validator_function(cls.parse, serialization=written)

    @property
    def length(self) -> timedelta:
        return int(self[:-1]) * UNIT[self[-1]]

    def since(self, until: datetime) -> datetime:
        return until - self.length


def _moment_text(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace(
        "+00:00", "Z"
    )


def _written_out(value: object) -> object:
    """Days and moments as text only: a number could be seconds or milliseconds."""
    if not isinstance(value, date) and not (isinstance(value, str) and ISO_DAY.match(value)):
        raise ValueError("an ISO 8601 date or time such as 2026-11-23")
    return value


WRITTEN_OUT = BeforeValidator(_written_out)
# In requests: `2026-11-23`, and moments such as `2026-11-23T08:00:00Z`.
GivenDay = Annotated[date, WRITTEN_OUT]
GivenMoment = Annotated[AwareDatetime, WRITTEN_OUT]


def _number(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError("a whole number")
    return value


# In bodies: 24, and 24.0, which JSON Schema treats as equal. Neither `true` nor "24" is a number.
WholeNumber = Annotated[int, BeforeValidator(_number)]

# In responses: ISO 8601 in UTC, with milliseconds if there are any.
Moment = Annotated[datetime, PlainSerializer(_moment_text, return_type=str)]

# Up to 17544h, 731d and 104w: the same as LONGEST_PERIOD.
PERIOD_PATTERN = (
    "^(([1-9][0-9]{0,3}|1[0-6][0-9]{3}|17[0-4][0-9]{2}|175[0-3][0-9]|1754[0-4])h"
    "|([1-9][0-9]?|[1-6][0-9]{2}|7[0-2][0-9]|73[01])d"
    "|([1-9][0-9]?|10[0-4])w)$"
)
# Of a field: `period: GivenPeriod = Period("14d")`.
GivenPeriod = Annotated[
    Period,
    PlainValidator(Period.parse),
    WithJsonSchema({"type": "string", "pattern": PERIOD_PATTERN, "examples": ["24h", "14d", "26w"]}),
]

# Usage: `period: PeriodParameter = Period("14d")`.
PeriodParameter = Annotated[
    GivenPeriod,
    Query(description="How far back: a number followed by h, d or w, from 1h to 2 years."),
]

# Usage: `limit: LimitParameter = 50`.
LimitParameter = Annotated[int, Query(ge=1, le=200, description="Maximum number of rows.")]

DEFAULT_LIMIT = 50

# Usage: `cursor: CursorParameter = ""`, then `decode_cursor(cursor, str, int)`.
CursorParameter = Annotated[
    str,
    Query(
        max_length=1000,
        pattern="^[A-Za-z0-9_-]*$",
        description="`next_cursor` of the previous page; empty for the first page.",
    ),
]


def encode_cursor(*values: str | int | float) -> str:
    """The place after the last row of a page. Opaque, not secret: its values are bound as parameters."""
    return base64.urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *types: type) -> Sequence[Any]:
    """The values of a cursor, each of its type; raises InvalidParameter for anything else."""
    try:
        values = json.loads(
            base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        )
    except (binascii.Error, ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(types) or _is_unfit(values):
        raise unknown_cursor()
    return values


def _is_unfit(values: list[Any]) -> bool:
    """True for a value that no column holds: numbers have 63 bits, and text has neither NUL nor half a
    character."""
    return any(
        (isinstance(value, int) and abs(value) >= 1 << 63)
        or (isinstance(value, str) and NO_TEXT.search(value) is not None)
        for value in values
    )

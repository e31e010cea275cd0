"""Query parameters that many endpoints share."""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import (
    AwareDatetime,
    BeforeValidator,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
)

from errata.period import Period
from errata.warehouse.queries.cursor import unknown_cursor

ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
NO_TEXT = re.compile("[\0\ud800-\udfff]")


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

# Of a row of the state store.
LARGEST_ID = (1 << 31) - 1
IdInPath = Annotated[int, Path(ge=1, le=LARGEST_ID)]

# In responses: ISO 8601 in UTC, with milliseconds if there are any.
Moment = Annotated[
    datetime,
    PlainSerializer(_moment_text, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]

# Up to 17544h, 731d and 104w: the longest period.
BACK_PATTERN = (
    "^(([1-9][0-9]{0,3}|1[0-6][0-9]{3}|17[0-4][0-9]{2}|175[0-3][0-9]|1754[0-4])h"
    "|([1-9][0-9]?|[1-6][0-9]{2}|7[0-2][0-9]|73[01])d"
    "|([1-9][0-9]?|10[0-4])w)$"
)


def _period(value: object) -> Period:
    return Period.parse(value)


_END = "[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
INTERVAL_PATTERN = f"^{_END}/{_END}$"
# Of a field: `period: GivenPeriod = Period("14d")`.
GivenPeriod = Annotated[
    Period,
    PlainValidator(_period),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(
        {
            "type": "string",
            "anyOf": [{"pattern": BACK_PATTERN}, {"pattern": INTERVAL_PATTERN}],
            "examples": ["24h", "14d", "26w", "2026-11-01T00:00Z/2026-11-08T00:00Z"],
        }
    ),
]

# Usage: `period: PeriodParameter = Period("14d")`.
PeriodParameter = Annotated[
    GivenPeriod,
    Query(
        description="Back from now (a number followed by h, d or w, from 1h to 2 years), or an ISO 8601 "
        "interval such as `2026-11-01T00:00Z/2026-11-08T00:00Z`. A date means the whole UTC day, and an end "
        "in the future means now; where only hours or days are stored, they are counted whole."
    ),
]

# Segments of a replay are numbered from 0.
SegmentId = Annotated[int, Path(ge=0, le=100_000)]
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

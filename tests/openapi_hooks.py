"""What schemathesis is told of the formats of this API."""

import json
from typing import Any

import schemathesis
from hypothesis import strategies


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> bytes:
    """One line, whatever was made up."""
    return value.encode("utf-8", "replace") if isinstance(value, str) else json.dumps(value).encode()


# The schema names the format alone: its values are those of the time zone database.
schemathesis.openapi.format(
    "time-zone", strategies.sampled_from(["UTC", "Europe/Prague", "America/New_York"])
)

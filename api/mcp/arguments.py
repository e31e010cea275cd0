"""Arguments that several tools take."""

from typing import Annotated

from pydantic import Field

IssueId = Annotated[str, Field(pattern="^[0-9a-f]{16}$", description="16 hexadecimal digits.")]
EventId = Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="32 hexadecimal digits.")]
Period = Annotated[
    str,
    Field(
        max_length=60,
        description="The last `24h`, `14d` or `26w`, or an interval such as "
        "`2026-11-01T00:00Z/2026-11-08T00:00Z`.",
    ),
]
Environment = Annotated[str, Field(max_length=64, description="Only this one; empty: all.")]
Version = Annotated[str, Field(min_length=1, max_length=250, description="As named by applications.")]
Cursor = Annotated[str, Field(max_length=2000, description="`next_cursor` of the previous result.")]

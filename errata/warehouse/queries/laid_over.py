"""What arrived since a build, issue by issue, as statements lay it over totals."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from errata.clock import EPOCH
from errata.warehouse.queries.live_edge import Copy

# The warehouse takes 128 KiB in one parameter, and a number has up to 20 digits.
MOST_NUMBERS = 5_000


@dataclass(frozen=True)
class LaidOver:
    """`environment` empty: all of them."""

    came: Mapping[int, Sequence[Copy]]
    since: datetime
    environment: str = ""

    def has(self, copy: Copy) -> bool:
        """Of the environment; in the period or before."""
        return not self.environment or copy.environment == self.environment

    def counted(self, issue_id: int) -> list[Copy]:
        return [
            copy for copy in self.came.get(issue_id, ()) if copy.occurred_at >= self.since and self.has(copy)
        ]

    @cached_property
    def users(self) -> Mapping[int, tuple[int, ...]]:
        """Those of events that count; without issues of none."""
        found = {
            issue_id: {copy.user_hash for copy in self.counted(issue_id)} - {0} for issue_id in self.came
        }
        return {issue_id: tuple(sorted(users)) for issue_id, users in found.items() if users}

    def parameters(self, issue_ids: Sequence[int]) -> dict[str, Any]:
        """In one order, of these issues."""
        came = [self.came.get(issue_id, ()) for issue_id in issue_ids]
        return {
            "issue_ids": list(issue_ids),
            "came_counts": [len(self.counted(issue_id)) for issue_id in issue_ids],
            "came_users": [list(self.users.get(issue_id, ())) for issue_id in issue_ids],
            "came_firsts": [min(_milliseconds(copies), default=9_000_000_000_000) for copies in came],
            "came_lasts": [max(_milliseconds(copies), default=0) for copies in came],
        }

    def chunks(self, issue_ids: Collection[int]) -> Iterator[list[int]]:
        """As many issues as one statement can be told of, with their users."""
        chunk, size = list[int](), 0
        for issue_id in sorted(issue_ids):
            more = 1 + len(self.users.get(issue_id, ()))
            if chunk and size + more > MOST_NUMBERS:
                yield chunk
                chunk, size = [], 0
            chunk.append(issue_id)
            size += more
        if chunk:
            yield chunk


def _milliseconds(copies: Sequence[Copy]) -> list[int]:
    return [(copy.occurred_at - EPOCH) // timedelta(milliseconds=1) for copy in copies]

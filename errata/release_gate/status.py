"""The gate's word on a commit."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """`UNDECIDED` is never shown as good: a forge that requires the status waits."""

    GOOD = "good"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Status:
    """`context` names the gate among the statuses of a commit."""

    context: str
    state: State
    description: str
    url: str

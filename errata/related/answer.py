"""What is related to an issue, as of some minutes ago at most: it reads two weeks of all events."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from errata.related.axes import AXES, Axis, subject
from errata.warehouse.at_once import at_once
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.head import IssueHead

AS_OF_MINUTES = 5


@dataclass(frozen=True)
class RelatedIssues:
    as_of: datetime
    axes: tuple[Axis, ...]


def related_issues(warehouse: Warehouse, head: IssueHead, now: datetime) -> RelatedIssues:
    as_of = now.replace(minute=now.minute - now.minute % AS_OF_MINUTES, second=0, microsecond=0)
    asked = head.merged, head.first_release, head.first_seen, as_of

    def axes() -> tuple[Axis, ...]:
        about = subject(warehouse, *asked)
        return tuple(at_once([partial(axis, about) for axis in AXES]))

    return RelatedIssues(as_of, warehouse.cached((related_issues, *asked), axes))

"""What filters of a project would have done to events that are stored."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from errata.filters.project_filters import ProjectFilters

MOST_ISSUES = 50

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """`issue_id` 0: in no issue yet."""

    issue_id: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class FilteredIssue:
    """`filtered_count` of its `event_count` events would not be stored; `kinds`: those that match any."""

    issue_id: int
    event_count: int
    filtered_count: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FiltersPreview:
    """`kinds`: events by the filter that would drop them, each filter that is on. `issues`: those that would
    lose most events first."""

    event_count: int
    filtered_count: int
    kinds: Mapping[str, int]
    issues: list[FilteredIssue]
    issue_count: int


def preview(events: Iterable[StoredEvent], filters: ProjectFilters) -> FiltersPreview:
    of_issues, filtered, kinds = Counter[int](), Counter[tuple[int, str]](), Counter[str]()
    for event in events:
        of_issues[event.issue_id] += 1
        # Stored events are objects.
        if reason := filters.reason("event", _decode(event.payload), {}):
            filtered[event.issue_id, reason] += 1
            kinds[reason] += 1
    found = [
        FilteredIssue(
            issue_id,
            of_issues[issue_id],
            sum(filtered[issue_id, kind] for kind in filters.on),
            tuple(kind for kind in filters.on if filtered[issue_id, kind]),
        )
        for issue_id in {issue_id for issue_id, _ in filtered if issue_id}
    ]
    found.sort(key=lambda issue: (-issue.filtered_count, issue.issue_id))
    by_kind = {kind: kinds[kind] for kind in filters.on}
    return FiltersPreview(of_issues.total(), kinds.total(), by_kind, found[:MOST_ISSUES], len(found))

"""The followers of issues, where merged issues are part of others."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from errata.state import Store
from errata.state.subscriptions import Subscription
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.membership import decided_merges

Followed = Mapping[tuple[int, int], Sequence[Subscription]]


def followed_issues(state: Store, read: Warehouse, project_ids: Sequence[int]) -> Followed:
    """Subscriptions by project and issue: those of merged issues at the one they are part of by now."""
    found: dict[tuple[int, int], list[Subscription]] = {}
    listed = sorted(state.subscriptions.of_projects(project_ids), key=lambda one: one.project_id)
    for project_id, group in groupby(listed, lambda one: one.project_id):
        merges = decided_merges(read, project_id)
        for one in group:
            found.setdefault((project_id, merges.root(int(one.issue_id, 16))), []).append(one)
    return found

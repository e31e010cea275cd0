"""The issues before and after this one in the list that it was opened from."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from dashboards.issue.request import IssueRequest
from dashboards.shared.addresses import View
from dashboards.shared.issue_list import filters_of, kept_list, list_of, sort_of
from errata.errors import ErrataError
from errata.warehouse.queries.issue.head import IssueHead
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import IssuePage, issues_of_project
from errata.warehouse.queries.vocabulary import Sort

MOST_A_PAGE = 50


@dataclass(frozen=True)
class Neighbor:
    address: str
    title: str


@dataclass(frozen=True)
class Neighbors:
    previous: Neighbor | None = None
    next: Neighbor | None = None


def neighbors(request: IssueRequest) -> Neighbors:
    """None of an issue that was not opened from a list. Those of one that has left the list, say because it
    was resolved, are those of the place that it would have."""
    kept = request.view["list"]
    if not kept:
        return Neighbors()
    listed = list_of(f"/projects/{request.project.slug}/issues", kept)
    try:
        return _found(request, listed)
    except ErrataError:
        # The list itself says what is wrong with it.
        return Neighbors()


def _found(request: IssueRequest, listed: View) -> Neighbors:
    def page_at(cursor: str, limit: int) -> IssuePage:
        filters = filters_of(listed, request.user, request.context.state, request.project, request.page.now)
        return issues_of_project(
            request.warehouse, request.project.id, filters, sort_of(listed), limit, cursor=cursor
        )

    page, cursor = page_at(listed["cursor"], MOST_A_PAGE), listed["cursor"]
    before, after = _sides(page.issues, request.head, sort_of(listed))
    if not after and page.next_cursor:
        cursor = page.next_cursor
        after = page_at(cursor, 1).issues
    return Neighbors(
        _neighbor(listed, listed["cursor"], before[-1]) if before else None,
        _neighbor(listed, cursor, after[0]) if after else None,
    )


def _neighbor(listed: View, cursor: str, issue: Issue) -> Neighbor:
    query = {"period": listed["period"], "list": kept_list(listed, cursor)}
    return Neighbor(f"{listed.path}/{issue.id}?{urlencode(query)}", issue.title)


def _sides(issues: Sequence[Issue], head: IssueHead, sort: Sort) -> tuple[Sequence[Issue], Sequence[Issue]]:
    for place, issue in enumerate(issues):
        if issue.issue_id == head.issue_id:
            return issues[:place], issues[place + 1 :]
    own = _value(head, sort)
    before = [issue for issue in issues if _value(issue, sort) > own]
    return before, issues[len(before) :]


def _value(issue: Issue | IssueHead, sort: Sort) -> float:
    match sort:
        case Sort.EVENTS:
            return issue.event_count
        case Sort.USERS:
            return issue.user_count
        case Sort.FIRST_SEEN:
            return issue.first_seen.timestamp()
    return issue.last_seen.timestamp()

"""The people whom alerts about the issue reach."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest


def _fetch_followers(request: IssueRequest) -> Mapping[str, object]:
    found = request.following
    is_mine = found.has(request.user.session)
    return {"emails": found.emails, "words": _words(len(found.emails), is_mine), "is_mine": is_mine}


def _words(count: int, is_mine: bool) -> str:
    if not is_mine:
        return f"{count:,} {'person gets' if count == 1 else 'people get'} alerts"
    others = count - 1
    also = f" and {others:,} {'other' if others == 1 else 'others'}" if others else ""
    return f"You{also} get alerts"


FRAGMENT = Fragment("issue/head/followers.html", _fetch_followers)

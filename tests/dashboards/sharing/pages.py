"""The shared page of an event, made by the code of the pages without a warehouse."""

from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from dashboards.sharing.route import Found, issue_answer
from dashboards.sharing.view import shared_issue
from errata.grouping import NO_RULES
from errata.source_maps.lookup import Mapped
from errata.state.share_links import Shared, ShareLink
from errata.warehouse.queries.issue.events import Event
from errata.warehouse.queries.issue.range import IssueRange, Range
from tests.dashboards.event.test_page import HEAD, NOW, PAGE

LINK = ShareLink(
    id=1,
    organization_id=1,
    project_id=1,
    token_hash="",
    prefix="abcdef",
    created_at=NOW,
    created_by="owner@shop.example",
    **asdict(Shared()),
)
RANGE = Range(NOW - timedelta(days=1), NOW)


def shared_page(payload: Any, text: str = "", *, with_user: bool = False, with_values: bool = False) -> str:
    """With a title, culprit, type and environments of the issue that hold the text."""
    link = replace(LINK, issue_id="7", with_user=with_user, with_values=with_values)
    head = replace(HEAD, title=f"{text}: {text}", type=text, culprit=text)
    counted = IssueRange(1, 1, UUID(int=1), RANGE.bucket_starts, [(text, (1,) * len(RANGE.bucket_starts))])
    view = shared_issue(link.shared, head, RANGE, counted)
    known: Any = (1, UUID(int=1), 7, 7, NOW, NOW, False, *[text] * 8, None, None, 0, payload, True, Mapped())
    event = Event(*known)
    answer = issue_answer(replace(PAGE, user=None, project=None), link, Found(view, event), NO_RULES)
    return bytes(answer.body).decode()

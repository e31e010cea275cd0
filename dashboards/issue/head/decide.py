"""The buttons and menus that change the issue's state."""

from collections.abc import Mapping
from datetime import timedelta

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest

DURATIONS = (("an hour", timedelta(hours=1)), ("a day", timedelta(days=1)), ("a week", timedelta(days=7)))
CONDITIONS = (
    {"kind": "events", "count": 100},
    {"kind": "events", "count": 100, "window_minutes": 60},
    {"kind": "users", "count": 10},
    {"kind": "escalating"},
)


def _choices(request: IssueRequest) -> Mapping[str, object]:
    return {
        "issue_id": request.head.id,
        "last_release": request.head.last_release,
        "conditions": CONDITIONS,
        "durations": [(words, int(duration.total_seconds())) for words, duration in DURATIONS],
        "actions_address": f"/api/projects/{request.project.slug}/issues",
    }


FRAGMENT = Fragment("issue/head/decide.html", _choices)

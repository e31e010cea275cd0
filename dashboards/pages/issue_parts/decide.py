"""The buttons and menus that change the issue's state."""

from collections.abc import Mapping
from datetime import timedelta

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part

SPANS = (("an hour", timedelta(hours=1)), ("a day", timedelta(days=1)), ("a week", timedelta(days=7)))
CONDITIONS = (
    {"kind": "events", "count": 100},
    {"kind": "events", "count": 100, "window_minutes": 60},
    {"kind": "users", "count": 10},
    {"kind": "escalating"},
)


def _ask(asked: Asked) -> Mapping[str, object]:
    return {
        "issue_id": asked.head.id,
        "last_release": asked.head.last_release,
        "conditions": CONDITIONS,
        "spans": [(words, int(span.total_seconds())) for words, span in SPANS],
        "actions_address": f"/api/projects/{asked.project.slug}/issues",
    }


PART = Part("issue_parts/decide.html", _ask)

"""The head of an issue's page, in order. A new fragment is a module, a template, and a line below."""

from dashboards.issue.head import (
    assignee,
    decide,
    feedback,
    followers,
    links,
    more,
    priority,
    share,
    status,
    variants,
)
from dashboards.issue.head.fragment import Fragment

# Below the title: what the issue is by now.
MARKS: tuple[Fragment, ...] = (
    status.FRAGMENT,
    priority.FRAGMENT,
    variants.FRAGMENT,
    links.MARK,
    feedback.FRAGMENT,
    followers.FRAGMENT,
)
# Beside the title: what can be done about it.
ACTIONS: tuple[Fragment, ...] = (
    decide.FRAGMENT,
    assignee.FRAGMENT,
    share.FRAGMENT,
    links.ACTION,
    more.FRAGMENT,
)

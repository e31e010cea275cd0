"""Rare actions on an issue."""

from dashboards.issue.head.fragment import Fragment

FRAGMENT = Fragment("issue/head/more.html")

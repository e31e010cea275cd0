"""The number of variants of the issue."""

from dashboards.issue.head.fragment import Fragment

FRAGMENT = Fragment("issue/head/variants.html")

"""How many distinct stacks and messages were put together."""

from dashboards.issue.head.fragment import Fragment

FRAGMENT = Fragment("issue/head/variants.html")

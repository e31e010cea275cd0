"""What is seldom done to an issue."""

from dashboards.issue.head.fragment import Fragment

FRAGMENT = Fragment("issue/head/more.html")

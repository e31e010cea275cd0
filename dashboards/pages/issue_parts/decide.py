"""The buttons that change the issue's state."""

from dashboards.pages.issue_parts.part import Part

PART = Part("issue_parts/decide.html")

"""Level and state, and who brought it there."""

from dashboards.pages.issue_parts.part import Part

PART = Part("issue_parts/status.html")

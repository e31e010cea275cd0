"""What is seldom done to an issue."""

from dashboards.pages.issue_parts.part import Part

PART = Part("issue_parts/more.html")

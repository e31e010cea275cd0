"""How many distinct stacks and messages were put together."""

from dashboards.pages.issue_parts.part import Part

PART = Part("issue_parts/variants.html")

"""What the head of an issue's page shows, in order. A new part is a module, a template, and a line below."""

from dashboards.pages.issue_parts import assignee, decide, links, more, priority, share, status, variants
from dashboards.pages.issue_parts.part import Part

# Below the title: what the issue is by now.
MARKS: tuple[Part, ...] = (
    status.PART,
    priority.PART,
    variants.PART,
    links.MARK,
)
# Beside the title: what can be done about it.
ACTIONS: tuple[Part, ...] = (
    decide.PART,
    assignee.PART,
    share.PART,
    links.ACTION,
    more.PART,
)

"""How urgent the issue is, and why."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part
from errata.warehouse.queries.issue.head import facts_of
from errata.workflow.priority import Level, priority


def _ask(asked: Asked) -> Mapping[str, object]:
    facts, chosen = facts_of(asked.head), asked.head.state.chosen_priority
    return {"priority": priority(facts, chosen, asked.page.now), "levels": list(Level)}


PART = Part("issue_parts/priority.html", _ask)

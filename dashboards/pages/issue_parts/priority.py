"""How urgent the issue is, and why."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.decided import decided
from dashboards.pages.issue_parts.part import Part
from errata.warehouse.queries.workflow import priority_facts
from errata.workflow.priority import Facts, Level, priority


def _ask(asked: Asked) -> Mapping[str, object]:
    found = priority_facts(asked.warehouse, asked.project.id, asked.head.issue_id)
    state = decided(asked)
    facts = Facts(
        level=asked.head.level,
        first_seen=asked.head.first_seen,
        day_count=found.day_count,
        week_count=found.week_count,
        user_count=found.user_count,
        unhandled_count=found.unhandled_count,
        sampled_count=found.sampled_count,
    )
    return {"priority": priority(facts, state.chosen_priority, asked.page.now), "levels": list(Level)}


PART = Part("issue_parts/priority.html", _ask)

"""Alert rules of every kind: every module of `errata/alerts/kinds` is one."""

from collections.abc import Mapping, Sequence
from typing import Any

from errata.alerts import kinds
from errata.alerts.rule_kind import IssueKind, RuleKind, Subject
from errata.errors import InvalidParameter
from errata.one_line import checked_name
from errata.package_modules import modules_of
from errata.state.alerts.rules import NewRule
from errata.warehouse.queries.alerts.events import check_query
from errata.workflow.priority import Level

LONGEST_NAME = 100
LONGEST_QUERY = 2_000
# Less would tell of one episode twice: rows may show up a minute after they were received.
SHORTEST_CAP_MINUTES = 5
LONGEST_CAP_MINUTES = 7 * 24 * 60
MOST_CHANNELS = 20

# As people choose them.
KINDS: Mapping[str, RuleKind] = {
    each.name: each
    for each in sorted((module.KIND for module in modules_of(kinds)), key=lambda kind: str(kind.title))
}
ISSUE_KINDS: Mapping[str, IssueKind] = {
    name: kind for name, kind in KINDS.items() if isinstance(kind, IssueKind)
}


def kind_of(name: str) -> RuleKind:
    """Raises InvalidParameter."""
    if name not in KINDS:
        raise InvalidParameter("kind", f"one of {', '.join(KINDS)}")
    return KINDS[name]


def checked(new: NewRule) -> NewRule:
    """The rule as it is to be kept; raises InvalidParameter or SearchError."""
    name, query = checked_name(new.name, LONGEST_NAME), new.query.strip()
    condition = kind_of(new.kind).checked(new.condition)
    if len(query) > LONGEST_QUERY:
        raise InvalidParameter("query", f"at most {LONGEST_QUERY:,} characters")
    check_query(query)
    subject = kind_of(new.kind).subject
    if subject is not Subject.ISSUE and (query or new.priorities):
        raise InvalidParameter("query", f"a {subject} rule has no filter or priorities")
    if not SHORTEST_CAP_MINUTES <= new.cap_minutes <= LONGEST_CAP_MINUTES:
        raise InvalidParameter("cap_minutes", f"{SHORTEST_CAP_MINUTES} to {LONGEST_CAP_MINUTES:,}")
    if len(new.channel_ids) > MOST_CHANNELS:
        raise InvalidParameter("channels", f"at most {MOST_CHANNELS}")
    return NewRule(
        name,
        new.kind,
        condition,
        query,
        new.cap_minutes,
        new.is_on,
        tuple(new.channel_ids),
        _priorities(new.priorities, condition),
    )


def _priorities(given: Sequence[str], condition: Mapping[str, Any]) -> tuple[str, ...]:
    """In the order of their urgency; all of them are as good as none."""
    if unknown := set(given) - set(Level):
        raise InvalidParameter("priorities", f"{min(unknown)!r} is not one of {', '.join(Level)}")
    if given and condition.get("scope") == "all":
        raise InvalidParameter("priorities", "priorities require scope issue")
    chosen = tuple(level.value for level in Level if level in given)
    return () if len(chosen) == len(Level) else chosen

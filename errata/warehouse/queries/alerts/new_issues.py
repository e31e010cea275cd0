"""Issues whose first matching event was received in a span."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from errata.warehouse.queries import expiry
from errata.warehouse.queries.alerts.events import LONGEST_LIST, Arrivals, Events, Member, Sighting

# Two days less than raw retention: the first matching event of an older issue may have expired with its day.
KEPT = timedelta(days=88)
DAY = timedelta(days=1)
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


def new_issues(events: Events, since: datetime, until: datetime) -> list[Sighting]:
    arrived = events.arrivals(since, until)
    old = _seen_before(events, since, arrived)
    fresh = arrived.keys() - old
    members = events.members(fresh) if fresh else []
    silent = {member.variant_hash for member in members} - arrived.keys()
    old |= _seen_before(events, since, silent)
    old_issues = {each.issue_id for each in members if each.variant_hash in old}
    if not members:
        return []
    # A project may keep fewer days.
    own = expiry.kept_since(events.warehouse, events.project_id, "errata_raw.error_events")
    return _sightings(members, arrived, old_issues, own or EARLIEST)


def _seen_before(events: Events, since: datetime, variants: Collection[int]) -> set[int]:
    """The issues with earlier matching events. Most recurring issues occurred within the last day: only a few
    need all of history."""
    seen, rest = set[int](), set(variants)
    for begin, end in ((since - DAY, since), (EARLIEST, since - DAY)):
        if rest:
            # A large number is answered by one pass over all of history.
            named = rest if len(rest) <= LONGEST_LIST else None
            found = rest & events.arrivals(begin, end, named).keys()
            seen, rest = seen | found, rest - found
    return seen


def _sightings(
    members: Sequence[Member],
    arrived: Mapping[int, Arrivals],
    old_issues: set[int],
    kept_since: datetime,
) -> list[Sighting]:
    by_issue: dict[int, list[Member]] = {}
    for member in members:
        if member.issue_id not in old_issues:
            by_issue.setdefault(member.issue_id, []).append(member)
    found = []
    for issue_id, variants in by_issue.items():
        arrivals = [arrived[each.variant_hash] for each in variants if each.variant_hash in arrived]
        at = min(each.first_at for each in arrivals)
        if min(each.first_seen_at for each in variants) >= max(at - KEPT, kept_since):
            found.append(Sighting(issue_id, at, sum(each.event_count for each in arrivals), "new"))
    return found

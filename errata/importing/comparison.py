"""Issues of Sentry beside those that the same events are in here: which are one issue in both."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Comparison:
    """By events: `here` counts the events of each issue here by issue there, `there` the other way round."""

    here: Mapping[str, Counter[str]] = field(default_factory=dict)
    there: Mapping[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> "Comparison":
        """`pairs`: of each event, its issue there and its issue here."""
        here: defaultdict[str, Counter[str]] = defaultdict(Counter)
        there: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for group_id, issue_id in pairs:
            here[issue_id][group_id] += 1
            there[group_id][issue_id] += 1
        return cls(here, there)

    @property
    def event_count(self) -> int:
        return sum(groups.total() for groups in self.here.values())

    @property
    def same(self) -> list[str]:
        """Issues there that are one issue here, which has no other events."""
        return [
            group_id
            for group_id, issues in self.there.items()
            if len(issues) == 1 and len(self.here[next(iter(issues))]) == 1
        ]

    @property
    def split(self) -> dict[str, Counter[str]]:
        """Issues there whose events are in several issues here."""
        return {group_id: issues for group_id, issues in self.there.items() if len(issues) > 1}

    @property
    def merged(self) -> dict[str, Counter[str]]:
        """Issues here that have the events of several issues there."""
        return {issue_id: groups for issue_id, groups in self.here.items() if len(groups) > 1}

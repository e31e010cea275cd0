"""Which issue is part of which: a forest that people and pipelines change edge by edge."""

from collections import defaultdict
from collections.abc import Mapping


class Merges:
    """`parents` is by issue; one that is part of no other is left out."""

    def __init__(self, parents: Mapping[int, int]) -> None:
        self.parents = {part: parent for part, parent in parents.items() if parent not in (0, part)}
        self._parts: defaultdict[int, list[int]] = defaultdict(list)
        for part, parent in self.parents.items():
            self._parts[parent].append(part)

    def root(self, issue_id: int) -> int:
        """The issue at the end of the chain, for one that is part of no other itself."""
        seen = {issue_id}
        while (parent := self.parents.get(issue_id, 0)) and parent not in seen:
            seen.add(parent)
            issue_id = parent
        return issue_id

    def parts(self, issue_id: int) -> list[int]:
        """Every issue below this one, whatever it became part of first."""
        found: dict[int, None] = {}
        waiting = [issue_id]
        while waiting:
            for part in self._parts[waiting.pop()]:
                if part not in found and part != issue_id:
                    found[part] = None
                    waiting.append(part)
        return list(found)

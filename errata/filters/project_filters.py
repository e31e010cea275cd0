"""The filters of a project: those that are on, with what people filled in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from errata.errors import InvalidParameter
from errata.filters.globs import LONGEST_ENTRY
from errata.filters.incoming_event import incoming_events
from errata.filters.registry import FILTERS

MOST_ENTRIES = 50


@dataclass(frozen=True)
class ProjectFilters:
    """Entries by kind. Filters that are not named are off."""

    on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "ProjectFilters":
        """From its stored text. Kinds of other versions are left out."""
        stored = json.loads(text) if text else {}
        return cls({kind: tuple(stored[kind]) for kind in FILTERS if kind in stored})

    @property
    def text(self) -> str:
        """As it is stored; empty where no filter is on."""
        return json.dumps({kind: self.on[kind] for kind in sorted(self.on)}) if self.on else ""

    def require_understood(self) -> None:
        """Raises InvalidParameter, which names every entry that cannot be used."""
        if problems := list(_problems(self.on)):
            raise InvalidParameter("filters", "; ".join(problems))

    def reason(self, item_type: str, payload: Mapping[str, Any], headers: Mapping[str, Any]) -> str:
        """The first kind that matches all of an item; empty: the item is stored."""
        events = incoming_events(item_type, payload, headers)
        if not events:
            return ""
        for kind, entries in self.on.items():
            one = FILTERS[kind]
            if item_type in one.item_types and all(one.matches(event, entries) for event in events):
                return kind
        return ""


NO_FILTERS = ProjectFilters()


@lru_cache(maxsize=256)
def filters_of(text: str) -> ProjectFilters:
    """Those of a project, as they are stored; they were understood before they were stored."""
    return ProjectFilters.of(text)


def _problems(on: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for kind, entries in on.items():
        if kind not in FILTERS:
            yield f"{kind[:40]}: no such filter; the filters are {', '.join(FILTERS)}"
            continue
        taken = FILTERS[kind].entries
        if taken is None and entries:
            yield f"{kind}: this filter takes no entries"
        if taken is None:
            continue
        if not entries and not taken.is_optional:
            yield f"{kind}: needs at least one entry"
        if len(entries) > MOST_ENTRIES:
            yield f"{kind}: {len(entries)} entries; the limit is {MOST_ENTRIES}"
        for number, entry in enumerate(entries[:MOST_ENTRIES], 1):
            is_long = len(entry) > LONGEST_ENTRY
            problem = f"longer than {LONGEST_ENTRY} characters" if is_long else taken.problem_of(entry)
            if problem:
                yield f"{kind}, entry {number}: {problem}"

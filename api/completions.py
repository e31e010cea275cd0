"""Completions at the cursor of a search."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from api.context import Context
from errata.period import Period
from errata.search import Search
from errata.search.keys import BY_NAME, KEYS, Key, Kind
from errata.search.pattern import Pattern
from errata.search.spot import Spot, spot
from errata.warehouse.queries.compiled_search import EVENT_COLUMNS, QueryContext
from errata.warehouse.queries.issues.facets import latest_events, tags_of_project, values_of_key

MOST = 12
# Names of tags and values are counted among this many of the latest events.
EVENTS_LOOKED_AT = 200_000
LOOKED_BACK = Period("30d")
EXAMPLES = {
    Kind.NUMBER: ((">100", "more than 100"), (">=10", "10 or more"), ("1", "exactly 1")),
    Kind.MOMENT: (("-24h", "within 24 hours"), ("-7d", "within 7 days"), ("+30d", "more than 30 days ago")),
}


@dataclass(frozen=True)
class Suggestion:
    """`text` replaces the typed word; `detail` explains it, and `event_count` is its number of recent
    events."""

    text: str
    label: str
    detail: str = ""
    event_count: int | None = None


@dataclass(frozen=True)
class Completions:
    start: int
    end: int
    suggestions: list[Suggestion]


@dataclass(frozen=True)
class Completer:
    context: Context
    organization_id: int
    project_id: int
    now: datetime

    def at(self, text: str, cursor: int) -> Completions:
        place = spot(text, cursor)
        found = self._values(place) if place.key else self._keys(place.typed)
        return Completions(place.start, place.end, found[:MOST])

    def _keys(self, typed: str) -> list[Suggestion]:
        typed_key = typed.lower().removeprefix("tags[")
        keys = [
            Suggestion(f"{key.name}:", key.name, key.meaning)
            for key in KEYS
            if key.name.startswith(typed_key) or (len(typed_key) > 1 and typed_key in key.name)
        ]
        keys.sort(key=lambda suggestion: not suggestion.label.startswith(typed_key))
        return [*keys[:MOST], *self._tags(typed_key, as_key=True)] if typed_key else keys

    def _tags(self, typed: str, *, as_key: bool) -> list[Suggestion]:
        found = tags_of_project(self.context.read, self.project_id, typed, self._since())
        return [
            Suggestion((_tag_key(name) + ":") if as_key else Pattern.exact(name).written, name, "tag", count)
            for name, count in found
        ]

    def _values(self, place: Spot) -> list[Suggestion]:
        key = None if place.is_tag else BY_NAME.get(place.key)
        ending = "" if place.is_in_list else " "
        if key and (key.values or key.kind in (Kind.PERSON, Kind.NUMBER, Kind.MOMENT)):
            found = [(value, detail, None) for value, detail in self._known(key)]
        elif key and key.kind is Kind.HAS:
            fields = [Suggestion(name, name, BY_NAME[name].meaning) for name in ("user", *EVENT_COLUMNS)]
            matching = [each for each in fields if each.label.startswith(place.typed.lower())]
            return [*matching[:8], *self._tags(place.typed, as_key=False)]
        else:
            return self._sent(place, key, ending)
        return [
            Suggestion(Pattern.exact(value).written.strip('"') + ending, value, detail, count)
            for value, detail, count in found
            if place.typed.lower() in value.lower()
        ]

    def _known(self, key: Key) -> list[tuple[str, str]]:
        if key.kind is Kind.PERSON:
            members = self.context.state.users.of_organization(
                self.organization_id, frozenset({self.project_id})
            )
            people = [(person.email, person.role) for person in members]
            return [("me", "you"), ("none", "nobody"), *people]
        return list(EXAMPLES.get(key.kind, ((value, "") for value in key.values)))

    def _sent(self, place: Spot, key: Key | None, ending: str) -> list[Suggestion]:
        """Values in recent events."""
        name = key.name if key else place.key
        name = {"user": "user.email", "first_release": "release"}.get(name, name)
        if key and name not in EVENT_COLUMNS:
            return []
        typed = place.typed.replace("*", "")
        found = values_of_key(self.context.read, self.project_id, name, typed, self._since())
        return [
            Suggestion(Pattern.exact(value).written + ending, value, event_count=count)
            for value, count in found
        ]

    def _since(self) -> datetime:
        period = LOOKED_BACK.of_events(self.now)
        latest = latest_events(
            self.context.read, self.project_id, Search(), period, QueryContext(self.now), EVENTS_LOOKED_AT
        )
        return max(latest.since, self.now - timedelta(days=90))


def _tag_key(name: str) -> str:
    is_plain = name.replace("_", "").replace("-", "").replace(".", "").isalnum() and name[0].isalpha()
    return name if is_plain and name not in BY_NAME else f"tags[{name}]"

"""What the terms of a search mean to the warehouse: conditions on events, on their counts, and on issues."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from errata.search.keys import BY_NAME
from errata.search.pattern import Pattern
from errata.search.search import Search
from errata.search.terms import (
    Age,
    Choices,
    Has,
    Moments,
    Number,
    Operator,
    People,
    Releases,
    Tags,
    Term,
    Texts,
    Words,
)
from errata.search.versions import compares
from errata.warehouse.conditions import Conditions, all_of, any_of, negated

EVENT_COLUMNS: Mapping[str, str] = {
    "environment": "environment",
    "release": "release",
    "level": "level",
    "type": "type",
    "message": "message",
    "user.email": "user_email",
    "user.name": "user_name",
    "user.ip": "user_ip",
    "user.id": "user_id",
    "browser": "browser",
    "os": "os",
    "device": "device",
    "server": "server_name",
    "service": "service",
    "url": "request_url",
    "method": "request_method",
    "transaction": "transaction",
    "logger": "logger",
    "platform": "platform",
}
USER_COLUMNS = ("user_email", "user_name", "user_ip", "user_id")
# Ids are compared as written: of two that differ in letter case each is its own.
AS_WRITTEN = frozenset({"user_id"})
COUNTED = frozenset({"environment", "release"})
ISSUE_TEXTS: Mapping[str, str] = {"title": "titles", "culprit": "culprits"}
ISSUE_NUMBERS: Mapping[str, str] = {"events": "event_count", "users": "user_count"}
ISSUE_MOMENTS: Mapping[str, str] = {"first_seen": "first_seen", "last_seen": "last_seen", "age": "first_seen"}
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2299, 1, 1, tzinfo=UTC)
NEW_FOR = timedelta(hours=24)
REVIEWED_FOR = timedelta(days=7)
MOST = (1 << 64) - 1


@dataclass(frozen=True)
class Asking:
    """Who asks, and when.

    `releases` are asked for only where a search compares by their order, `linked` issues where it
    says `is:linked`.
    """

    now: datetime
    me: str = ""
    releases: Callable[[], Sequence[str]] = tuple
    linked: Callable[[], Sequence[int]] = tuple


@dataclass
class Meaning:
    """`reads_events`: counts by variant, environment and release cannot answer it."""

    asking: Asking
    reads_events: bool = False
    _conditions: Conditions = field(default_factory=Conditions)
    _of_events: list[str] = field(default_factory=list)
    _of_issues: list[str] = field(default_factory=list)
    _asked_for: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, search: Search, asking: Asking, conditions: Conditions | None = None) -> "Meaning":
        """`conditions`: those of a statement that has more of them."""
        meaning = cls(asking, _conditions=conditions or Conditions())
        for term in search.terms:
            if not isinstance(term, Words) or term.is_negated:
                meaning._add(term)
        meaning._add_words([term.pattern for term in search.of(Words) if not term.is_negated])
        return meaning

    @classmethod
    def nothing(cls) -> "Meaning":
        """Of no search: everything has it."""
        return cls(Asking(EARLIEST))

    @property
    def is_of_issues_alone(self) -> bool:
        """What issues are by now tells, whatever events they have."""
        return not self._of_events

    @property
    def asks_first_releases(self) -> bool:
        return "first_release" in self._asked_for

    @property
    def asks_counts(self) -> bool:
        """How often an issue must have occurred."""
        return bool(self._asked_for & ISSUE_NUMBERS.keys())

    @property
    def asks_users(self) -> bool:
        return "users" in self._asked_for

    @property
    def parameters(self) -> dict[str, Any]:
        return {**self._conditions.parameters, "reads_events": self.reads_events}

    @property
    def of_events(self) -> str:
        return all_of(self._of_events)

    @property
    def event_pieces(self) -> dict[str, str]:
        """For a statement that reads events or their counts, whichever can answer."""
        nothing = all_of([])
        return {
            "event_condition": self.of_events if self.reads_events else nothing,
            "count_condition": nothing if self.reads_events else self.of_events,
        }

    @property
    def pieces(self) -> dict[str, str]:
        """For a statement that also asks issues."""
        return {**self.event_pieces, "issue_condition": all_of(self._of_issues)}

    def _add(self, term: Term) -> None:
        condition, is_of_events = MEANINGS[type(term)](self, term)
        (self._of_events if is_of_events else self._of_issues).append(negated(condition, term.is_negated))

    def _add_words(self, patterns: Sequence[Pattern]) -> None:
        """All of them stand in one text: title, culprit and type of one variant."""
        if patterns:
            likes = [_within(pattern) for pattern in patterns]
            self._of_issues.append(self._conditions.of("any_text_has_words", "texts", value=likes))

    def _words(self, term: Words) -> tuple[str, bool]:
        return self._conditions.of("any_text_has_words", "texts", value=[_within(term.pattern)]), False

    def _texts(self, term: Texts) -> tuple[str, bool]:
        if column := ISSUE_TEXTS.get(term.key):
            return self._matches("any_text", column, term.patterns), False
        if term.key == "issue":
            numbers = [int(pattern.text, 16) for pattern in term.patterns]
            return self._conditions.of("number_is", "issue_id", value=numbers), False
        if term.key != "environment":
            self.reads_events = True
        return self._of_event(term.key, term.patterns), True

    def _of_event(self, key: str, patterns: Sequence[Pattern]) -> str:
        if key in ("trace", "event"):
            column = "trace_id" if key == "trace" else "item_id"
            return self._conditions.of("uuid_is", column, value=[pattern.text for pattern in patterns])
        if key == "user":
            return any_of(self._matches(_kind(column), column, patterns) for column in USER_COLUMNS)
        column = EVENT_COLUMNS[key]
        found = self._matches(_kind(column), column, patterns)
        if key != "service":
            return found
        # Applications without a service segment in their key say it with a tag.
        unsaid = negated(self._conditions.of("text_present", column))
        return any_of([found, all_of([unsaid, self._matches("tag", "", patterns, tag=key)])])

    def _matches(self, kind: str, column: str, patterns: Iterable[Pattern], **values: Any) -> str:
        """One condition for all exact values, one for each with a star."""
        patterns = list(patterns)
        as_written = kind == "id"
        exact = [
            pattern.text if as_written else pattern.folded.text
            for pattern in patterns
            if not pattern.has_wildcard
        ]
        parts = [self._conditions.of(f"{kind}_is", column, value=exact, **values)] if exact else []
        likes = [pattern if as_written else pattern.folded for pattern in patterns if pattern.has_wildcard]
        parts += [self._is_like(kind, column, each, **values) for each in likes]
        return any_of(parts)

    def _is_like(self, kind: str, column: str, pattern: Pattern, **values: Any) -> str:
        """A star alone asks for a value, whatever it is."""
        if pattern.is_anything and kind != "any_text":
            present = "tag_present" if kind == "tag" else "text_present"
            return self._conditions.of(present, column, **values)
        return self._conditions.of(f"{kind}_like", column, value=pattern.like, **values)

    def _tags(self, term: Tags) -> tuple[str, bool]:
        self.reads_events = True
        return self._matches("tag", "", term.patterns, tag=term.name), True

    def _has(self, term: Has) -> tuple[str, bool]:
        self.reads_events = True
        return any_of(self._is_there(name) for name in term.names), True

    def _is_there(self, name: Pattern) -> str:
        if name.has_wildcard:
            return self._conditions.of("tag_name_like", value=name.folded.like)
        key = BY_NAME[name.text].name if name.text in BY_NAME else ""
        if key == "user":
            return self._conditions.of("number_present", "user_hash")
        if key in EVENT_COLUMNS and key != "service":
            return self._conditions.of("text_present", EVENT_COLUMNS[key])
        tag = self._conditions.of("tag_present", tag=name.text)
        return any_of([tag, self._conditions.of("text_present", key)]) if key == "service" else tag

    def _choices(self, term: Choices) -> tuple[str, bool]:
        if term.key == "handled":
            self.reads_events = True
            return any_of(
                self._conditions.of("flag_is", "is_handled", value=word == "yes") for word in term.values
            ), True
        if term.key == "priority":
            return self._conditions.of("id_is", "chosen_priority", value=list(term.values)), False
        return any_of(self._state(word) for word in term.values), False

    def _state(self, word: str) -> str:
        is_free = self._conditions.of("id_is", "assignee", value=[""])
        match word:
            case "new":
                return self._between("first_seen", self.asking.now - NEW_FOR, None)
            case "linked":
                return self._conditions.of("number_is", "issue_id", value=list(self.asking.linked()))
            case "assigned" | "unassigned":
                return negated(is_free, word == "assigned")
            case "for_review":
                fresh = self._between("first_seen", self.asking.now - REVIEWED_FOR, None)
                back = self._conditions.of("id_is", "status", value=["regressed"])
                return all_of([is_free, self._state("unresolved"), any_of([fresh, back])])
        words = ["unresolved", "regressed"] if word == "unresolved" else [word]
        return self._conditions.of("id_is", "status", value=words)

    def _people(self, term: People) -> tuple[str, bool]:
        """A program is nobody: what is assigned to it is nothing."""
        meant = {"me": self.asking.me.casefold() or "-", "none": ""}
        people = [meant.get(person, person.casefold()) for person in term.people]
        return self._conditions.of("text_is", "assignee", value=people), False

    def _releases(self, term: Releases) -> tuple[str, bool]:
        self._asked_for.add(term.key)
        is_of_events = term.key == "release"
        if term.operator is Operator.EQUAL:
            return self._matches("version", term.key, term.patterns), is_of_events
        known = self.asking.releases()
        fulfilling = [each for each in known if compares(each, term.operator, term.patterns[0].text)]
        return self._conditions.of("id_is", term.key, value=fulfilling), is_of_events

    def _number(self, term: Number) -> tuple[str, bool]:
        self._asked_for.add(term.key)
        least, most = _range(term.operator, term.number)
        return self._conditions.of("number_between", ISSUE_NUMBERS[term.key], least=least, most=most), False

    def _moments(self, term: Moments) -> tuple[str, bool]:
        return self._between(term.key, term.since, term.until), False

    def _age(self, term: Age) -> tuple[str, bool]:
        moment = self.asking.now - term.span
        return self._between(
            term.key, moment if term.is_within else None, None if term.is_within else moment
        ), False

    def _between(self, key: str, since: datetime | None, until: datetime | None) -> str:
        bounds = {"since": _moment(since or EARLIEST), "until": _moment(until or LATEST)}
        return self._conditions.of("moment_between", ISSUE_MOMENTS[key], **bounds)


MEANINGS: Mapping[type[Term], Callable[[Meaning, Any], tuple[str, bool]]] = {
    Words: Meaning._words,
    Texts: Meaning._texts,
    Tags: Meaning._tags,
    Has: Meaning._has,
    Choices: Meaning._choices,
    People: Meaning._people,
    Releases: Meaning._releases,
    Number: Meaning._number,
    Moments: Meaning._moments,
    Age: Meaning._age,
}


def _within(pattern: Pattern) -> str:
    return f"%{pattern.folded.like}%"


def _kind(column: str) -> str:
    return "id" if column in AS_WRITTEN else "text"


def _moment(moment: datetime) -> str:
    return max(moment, EARLIEST).astimezone(UTC).replace(tzinfo=None).isoformat(" ", "milliseconds")


def _range(operator: Operator, number: int) -> tuple[int, int]:
    """The least and the greatest number that fulfil it; the least is above the greatest where none does."""
    return {
        Operator.EQUAL: (number, number),
        Operator.GREATER: (number + 1, MOST),
        Operator.AT_LEAST: (number, MOST),
        Operator.LESS: (1, 0) if number == 0 else (0, number - 1),
        Operator.AT_MOST: (0, number),
    }[operator]

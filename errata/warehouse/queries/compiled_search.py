"""Compiles a search: conditions on events, on their counts, and on issues."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import ge, gt, le, lt
from typing import Any
from uuid import UUID

from errata.clock import EPOCH
from errata.search import terms
from errata.search.keys import BY_NAME
from errata.search.pattern import Pattern
from errata.search.search import Search
from errata.search.terms import Operator, Term
from errata.search.versions import compares
from errata.warehouse.expressions import (
    ALWAYS,
    Bindings,
    Condition,
    Moment,
    Number,
    Text,
    TextMap,
    Texts,
    Uuid,
    all_of,
    any_of,
)

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
EVENT_IDS: Mapping[str, str] = {"trace": "trace_id", "event": "item_id"}
USER_COLUMNS = ("user_email", "user_name", "user_ip", "user_id")
# Ids are case-sensitive: two that differ in letter case are two ids.
AS_WRITTEN = frozenset({"user_id"})
# The columns that counts of events are grouped by.
COUNTED_BY = frozenset({"environment", "release"})
TAGS = TextMap.column("tags")
# Of all variants of an issue, as texts_of_issues.sql returns them.
ISSUE_NAMES = frozenset({"titles", "culprits", "texts"})
ISSUE_TEXTS: Mapping[str, str] = {"title": "titles", "culprit": "culprits"}
ISSUE_NUMBERS: Mapping[str, str] = {"events": "event_count", "users": "user_count"}
ISSUE_MOMENTS: Mapping[str, str] = {"first_seen": "first_seen", "last_seen": "last_seen", "age": "first_seen"}
ISSUE_ID = Number.column("issue_id")
ISSUE_ID_DIGITS = 16
STATUS, ASSIGNEE, PRIORITY = map(Text.column, ("status", "assignee", "chosen_priority"))
NEW_FOR = timedelta(hours=24)
REVIEWED_FOR = timedelta(days=7)
MOST = (1 << 64) - 1
COMPARISONS: Mapping[Operator, Callable[[Number, int], Condition]] = {
    Operator.EQUAL: lambda column, number: column.one_of([number]),
    Operator.GREATER: gt,
    Operator.AT_LEAST: ge,
    Operator.LESS: lt,
    Operator.AT_MOST: le,
}


@dataclass(frozen=True)
class QueryContext:
    """The context of a search. `releases` are fetched only for comparisons by release order, `linked` issues
    only for `is:linked`."""

    now: datetime
    me: str = ""
    releases: Callable[[], Sequence[str]] = tuple
    linked: Callable[[], Sequence[int]] = tuple


@dataclass(frozen=True)
class CompiledSearch:
    """`of_events` and `of_issues` are conditions as SQL; `bindings` holds their values."""

    event_condition: Condition
    issue_condition: Condition
    of_events: str
    of_issues: str
    bindings: Bindings

    @classmethod
    def of(
        cls,
        search: Search,
        context: QueryContext,
        bindings: Bindings | None = None,
        also: Condition = ALWAYS,
    ) -> "CompiledSearch":
        """Compiles a search. `bindings`: those of a statement with further expressions; `also`: a further
        condition on events."""
        of_events, of_issues = list[Condition](), list[Condition]()
        # Words are searched in one text: title, culprit and type of one variant.
        words = [term.pattern for term in search.of(terms.Words) if not term.is_negated]
        for term in search.terms:
            if isinstance(term, terms.Words) and not term.is_negated:
                continue
            on_event = _of_event(term, context)
            condition = _of_issue(term, context) if on_event is None else on_event
            conditions = of_issues if on_event is None else of_events
            conditions.append(~condition if term.is_negated else condition)
        if words:
            of_issues.append(_has_words(words))
        if also != ALWAYS:
            of_events.append(also)
        on_events, on_issues, bound = all_of(of_events), all_of(of_issues), bindings or Bindings()
        return cls(on_events, on_issues, bound.text(on_events), bound.text(on_issues), bound)

    @classmethod
    def nothing(cls) -> "CompiledSearch":
        """The compiled of an empty search: everything matches."""
        return cls.of(Search(), QueryContext(EPOCH))

    @property
    def event_columns(self) -> frozenset[str]:
        """Columns of events that the condition on events reads."""
        return self.event_condition.columns

    @property
    def issue_columns(self) -> frozenset[str]:
        """Columns of issues that the condition on issues reads."""
        return self.issue_condition.columns

    @property
    def reads_events(self) -> bool:
        """True if counts by variant, environment and release do not suffice."""
        return not self.event_columns <= COUNTED_BY

    @property
    def is_of_issues_alone(self) -> bool:
        """True if the state of issues suffices, whatever their events."""
        return self.event_condition == ALWAYS

    @property
    def is_of_events_alone(self) -> bool:
        return self.issue_condition == ALWAYS

    @property
    def tells_by_event(self) -> bool:
        """True if an event and the names of its issue suffice, whatever state or history the issue has."""
        return self.issue_columns <= ISSUE_NAMES | {"issue_id"}

    @property
    def asks_users(self) -> bool:
        return "user_count" in self.issue_columns

    @property
    def parameters(self) -> dict[str, Any]:
        return {**self.bindings.parameters, "reads_events": self.reads_events}


def _of_event(term: Term, context: QueryContext) -> Condition | None:
    """The condition on events; None for a term about issues."""
    match term:
        case terms.Texts() if term.key not in ISSUE_TEXTS and term.key != "issue":
            return _field(term.key, term.patterns)
        case terms.Tags():
            return _tag(term.name, term.patterns)
        case terms.Has():
            return any_of(_is_there(name) for name in term.names)
        case terms.Choices(key="handled"):
            is_handled = Condition.column("is_handled")
            return any_of(is_handled if word == "yes" else ~is_handled for word in term.values)
        case terms.Releases(key="release"):
            return _release(term, context)
    return None


def _of_issue(term: Term, context: QueryContext) -> Condition:
    match term:
        case terms.Words():
            return _has_words([term.pattern])
        case terms.Texts(key="issue"):
            return any_of(_begins_with(pattern.text) for pattern in term.patterns)
        case terms.Texts():
            texts = Texts.column(ISSUE_TEXTS[term.key])
            return texts.any(lambda text: _folded(text, term.patterns, ALWAYS))
        case terms.Choices(key="priority"):
            return PRIORITY.one_of(term.values)
        case terms.Choices():
            return any_of(_state(word, context) for word in term.values)
        case terms.People():
            # An API key is no user: nothing is assigned to it.
            meant = {"me": context.me.casefold() or "-", "none": ""}
            return ASSIGNEE.folded.one_of(meant.get(person, person.casefold()) for person in term.people)
        case terms.Releases():
            return _release(term, context)
        case terms.Number():
            column = Number.column(ISSUE_NUMBERS[term.key])
            return COMPARISONS[term.operator](column, min(term.number, MOST))
        case terms.Moments():
            return _between(term.key, term.since, term.until)
        case terms.Age():
            moment = context.now - term.span
            return _between(term.key, *((moment, None) if term.is_within else (None, moment)))
    raise TypeError(f"no compiled of {term!r}")


def _begins_with(digits: str) -> Condition:
    """An issue by its ID, or by the first digits that pages show of it."""
    unknown_bits = 4 * (ISSUE_ID_DIGITS - len(digits))
    issue_id, first = ISSUE_ID, int(digits, 16) << unknown_bits
    return (issue_id >= first) & (issue_id <= first + (1 << unknown_bits) - 1)


def _matches(text: Text, patterns: Sequence[Pattern], is_there: Condition) -> Condition:
    """One condition for all exact values, one for each pattern. A lone star matches any value."""
    exact = [pattern.text for pattern in patterns if not pattern.has_wildcard]
    found = [text.one_of(exact)] if exact else []
    starred = (pattern for pattern in patterns if pattern.has_wildcard)
    return any_of([*found, *(is_there if each.is_anything else text.like(each.like) for each in starred)])


def _folded(text: Text, patterns: Sequence[Pattern], is_there: Condition) -> Condition:
    return _matches(text.folded, [pattern.folded for pattern in patterns], is_there)


def _field(key: str, patterns: Sequence[Pattern]) -> Condition:
    if key in EVENT_IDS:
        return Uuid.column(EVENT_IDS[key]).one_of(UUID(pattern.text) for pattern in patterns)
    if key == "user":
        return any_of(_column(column, patterns) for column in USER_COLUMNS)
    found = _column(EVENT_COLUMNS[key], patterns)
    if key != "service":
        return found
    # Applications whose key has no service segment name the service by a tag.
    return found | (~Text.column("service").is_present & _tag(key, patterns))


def _column(name: str, patterns: Sequence[Pattern]) -> Condition:
    column = Text.column(name)
    return (_matches if name in AS_WRITTEN else _folded)(column, patterns, column.is_present)


def _tag(name: str, patterns: Sequence[Pattern]) -> Condition:
    return _folded(TAGS[name], patterns, TAGS.has(name))


def _is_there(name: Pattern) -> Condition:
    if name.has_wildcard:
        return TAGS.names.any(lambda each: each.folded.like(name.folded.like))
    key = BY_NAME[name.text].name if name.text in BY_NAME else ""
    if key == "user":
        return Number.column("user_hash").is_present
    if key == "service":
        return TAGS.has(name.text) | Text.column(key).is_present
    return Text.column(EVENT_COLUMNS[key]).is_present if key in EVENT_COLUMNS else TAGS.has(name.text)


def _has_words(patterns: Sequence[Pattern]) -> Condition:
    likes = [f"%{pattern.folded.like}%" for pattern in patterns]
    return Texts.column("texts").any(lambda text: all_of(text.folded.like(like) for like in likes))


def _state(word: str, context: QueryContext) -> Condition:
    is_free = ASSIGNEE.one_of([""])
    match word:
        case "new":
            return _between("first_seen", context.now - NEW_FOR, None)
        case "linked":
            return ISSUE_ID.one_of(context.linked())
        case "assigned" | "unassigned":
            return ~is_free if word == "assigned" else is_free
        case "for_review":
            fresh = _between("first_seen", context.now - REVIEWED_FOR, None)
            return is_free & _state("unresolved", context) & (fresh | STATUS.one_of(["regressed"]))
    return STATUS.one_of(["unresolved", "regressed"] if word == "unresolved" else [word])


def _release(term: terms.Releases, context: QueryContext) -> Condition:
    """A release, or its version: the part after the last @."""
    column = Text.column(term.key)
    if term.operator is Operator.EQUAL:
        texts = (column, column.after_last_at)
        return any_of(_folded(text, term.patterns, column.is_present) for text in texts)
    wanted = term.patterns[0].text
    return column.one_of(each for each in context.releases() if compares(each, term.operator, wanted))


def _between(key: str, since: datetime | None, until: datetime | None) -> Condition:
    column = Moment.column(ISSUE_MOMENTS[key])
    bounds = [column >= max(since, EPOCH)] if since else []
    return all_of([*bounds, column < max(until, EPOCH)] if until else bounds)

"""What each key of the search means: real events, and the same question asked of them in Python."""

import re
from collections import defaultdict
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from errata.period import Period
from errata.search import parse
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import Bindings
from errata.warehouse.queries.compiled_search import CompiledSearch, QueryContext
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort
from errata.warehouse.roles import Role
from tests.builders import an_issue_action, insert
from tests.captured_errors import captured_errors
from tests.cases import each
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

Event = dict[str, Any]
NOW = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)
PROJECT = 7


def like(value: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), value, re.I | re.S) is not None


def version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.rpartition("@")[2].split(".")) if "@" in release else ()


def tag(name: str, pattern: str) -> Callable[[Event], bool]:
    return lambda event: name in event["tags"] and like(event["tags"][name], pattern)


def field(name: str, *patterns: str) -> Callable[[Event], bool]:
    return lambda event: any(like(event[name], pattern) for pattern in patterns)


def a_no(wanted: Callable[[Event], bool]) -> Callable[[Event], bool]:
    return lambda event: not wanted(event)


def both(*wanted: Callable[[Event], bool]) -> Callable[[Event], bool]:
    return lambda event: all(each(event) for each in wanted)


BY_EVENT: dict[str, Callable[[Event], bool]] = {
    "": lambda event: True,
    "release:2.*": lambda event: like(event["release"].rpartition("@")[2], "2.*"),
    "release:shop@2.10.0": field("release", "shop@2.10.0"),
    "!release:shop@2.10.0": a_no(field("release", "shop@2.10.0")),
    "release:2.10.0": field("release", "shop@2.10.0"),
    "release:[shop@2.10.0, shop-web@*]": field("release", "shop@2.10.0", "shop-web@*"),
    "release:>=2.10.0": lambda event: version(event["release"]) >= (2, 10, 0),
    "release:<2.10.0": lambda event: () != version(event["release"]) < (2, 10, 0),
    "release:<=shop-web@1.1.0": lambda event: event["release"] in ("shop-web@1.0.0", "shop-web@1.1.0"),
    "environment:production": field("environment", "production"),
    "environment:PROD*": field("environment", "prod*"),
    "!environment:production": a_no(field("environment", "production")),
    "level:warning": field("level", "warning"),
    "!level:error": a_no(field("level", "error")),
    "type:TypeError": field("type", "TypeError"),
    "type:*Error !type:KeyError": both(field("type", "*Error"), a_no(field("type", "KeyError"))),
    'type:""': field("type", ""),
    "message:*undefined*": field("message", "*undefined*"),
    "browser:Chrome*": field("browser", "Chrome*"),
    "browser:chrome": field("browser", "Chrome"),
    "!browser:Chrome": a_no(field("browser", "Chrome")),
    "!browser:[Chrome, Fire*] level:error": both(
        a_no(field("browser", "Chrome", "Fire*")), field("level", "error")
    ),
    "os:Linux": field("os", "Linux"),
    "os:[Win*, Android]": field("os", "Win*", "Android"),
    "has:device": lambda event: event["device"] != "",
    "!has:browser": field("browser", ""),
    "platform:javascript": field("platform", "javascript"),
    "server:*1": field("server_name", "*1"),
    "has:server": lambda event: event["server_name"] != "",
    "transaction:*checkout*": field("transaction", "*checkout*"),
    "logger:*": lambda event: event["logger"] != "",
    "has:logger": lambda event: event["logger"] != "",
    "url:*/cart*": field("request_url", "*/cart*"),
    "method:POST": field("request_method", "POST"),
    "handled:no": lambda event: not event["is_handled"],
    "handled:yes platform:python": both(lambda event: event["is_handled"], field("platform", "python")),
    "!handled:true": lambda event: not event["is_handled"],
    "has:user": lambda event: event["user_hash"] != 0,
    "!has:user.email": field("user_email", ""),
    "user.email:*@*": field("user_email", "*@*"),
    "user:*example*": lambda event: any(
        like(event[name], "*example*") for name in ("user_id", "user_email", "user_name", "user_ip")
    ),
    "user.ip:*.*": field("user_ip", "*.*"),
    "service:*": lambda event: bool(event["service"] or event["tags"].get("service")),
    "has:service": lambda event: bool(event["service"] or event["tags"].get("service")),
    "no.such.tag:x": lambda event: False,
    "!no.such.tag:x": lambda event: True,
    'no.such.tag:""': lambda event: True,
    "environment:production platform:python !browser:Chrome has:user": both(
        field("environment", "production"),
        field("platform", "python"),
        a_no(field("browser", "Chrome")),
        lambda event: event["user_hash"] != 0,
    ),
}
BY_ISSUE: dict[str, Callable[[Issue], bool]] = {
    "is:unresolved": lambda issue: issue.status in ("unresolved", "regressed"),
    "is:resolved": lambda issue: issue.status == "resolved",
    "!is:unresolved": lambda issue: issue.status not in ("unresolved", "regressed"),
    "is:new": lambda issue: issue.first_seen >= NOW - timedelta(hours=24),
    "events:>10": lambda issue: issue.event_count > 10,
    "events:=1": lambda issue: issue.event_count == 1,
    "events:<0": lambda issue: False,
    "!events:>=5 users:>0": lambda issue: issue.event_count < 5 and issue.user_count > 0,
    "keyerror": lambda issue: "keyerror" in words_of(issue),
    "!keyerror": lambda issue: "keyerror" not in words_of(issue),
    "type error": lambda issue: "type" in words_of(issue) and "error" in words_of(issue),
    "title:*Key*": lambda issue: like(issue.title, "*key*"),
    "!title:*Key*": lambda issue: not like(issue.title, "*key*"),
    "culprit:*cart*": lambda issue: like(issue.culprit, "*cart*"),
    "first_seen:-4h": lambda issue: issue.first_seen >= NOW - timedelta(hours=4),
    "last_seen:+4h": lambda issue: issue.last_seen < NOW - timedelta(hours=4),
    "age:>4h": lambda issue: issue.first_seen < NOW - timedelta(hours=4),
    "last_seen:>2026-11-20": lambda issue: issue.last_seen.date() >= NOW.date() - timedelta(days=1),
    "first_seen:2026-11-20": lambda issue: issue.first_seen.date() == NOW.date() - timedelta(days=1),
    "first_seen:<2026-11-21T00:30": lambda issue: issue.first_seen < NOW.replace(hour=0, minute=30),
    "first_release:2.*": lambda issue: like(issue.first_release.rpartition("@")[2], "2.*"),
}


def words_of(issue: Issue) -> str:
    return f"{issue.title} {issue.culprit} {issue.type}".lower()


@dataclass
class Shop:
    read: Warehouse
    events: list[Event]
    issue_of: dict[int, int]

    def found(self, text: str, sort: Sort = Sort.LAST_SEEN, period: str = "7d") -> list[Issue]:
        filters = IssueFilters(Period(period).of_events(NOW), text=text)
        return list(issues_of_project(self.read, PROJECT, filters, sort, limit=200).issues)

    def counts(self, text: str) -> dict[int, tuple[int, int]]:
        return {each.issue_id: (each.event_count, each.user_count) for each in self.found(text)}

    def expected(self, wanted: Callable[[Event], bool]) -> dict[int, tuple[int, int]]:
        """Events and users by issue, of each event id once."""
        matching: dict[int, dict[str, int]] = defaultdict(dict)
        for event in self.events:
            if wanted(event):
                matching[self.issue_of[event["variant_hash"]]][event["item_id"]] = event["user_hash"]
        return {
            issue_id: (len(users), len({user for user in users.values() if user}))
            for issue_id, users in matching.items()
        }


def the_shop(warehouse: WarehouseProcess) -> Shop:
    """All captured errors; every third was delivered twice, later in other surroundings."""
    ingest = warehouse.client(Role.INGEST)
    rows = captured_errors(ingest, PROJECT)
    store(warehouse, rows)
    store(warehouse, {"errata_raw.error_events": rows["errata_raw.error_events"][::3]})
    issue_of = {row["variant_hash"]: row["issue_id"] for row in rows["errata_raw.variant_issues"]}
    ids = sorted(set(issue_of.values()))
    later = [
        an_issue_action(issue_id=issue_id, action=action, acted_at=NOW)
        for issue_id, action in zip(
            ids, ("resolve", "ignore", "resolve", "ignore", "unresolve"), strict=False
        )
    ]
    assigned = an_issue_action(
        issue_id=ids[2], action="assign", detail='{"assignee": "ada@example.org"}', acted_at=NOW
    )
    insert(ingest, "errata_raw.issue_actions", [*later, assigned])
    return Shop(warehouse.client(Role.READ), rows["errata_raw.error_events"], issue_of)


def test_every_key_means_what_brute_force_finds(warehouse: WarehouseProcess) -> None:
    """All conditions are asked at once of each event: a statement of its own for each would take minutes."""
    shop = the_shop(warehouse)
    pairs = {pair for event in shop.events for pair in event["tags"].items()}
    wanted = {**BY_EVENT, **{f'tags[{name}]:"{value}"': tag(name, value) for name, value in pairs}}
    wanted |= {f"has:{name}": tag(name, "*") for name in {name for name, _ in pairs} - {"service"}}
    assert len(wanted) > len(BY_EVENT) + 20
    bindings = Bindings()
    context = QueryContext(NOW, releases=lambda: sorted({event["release"] for event in shop.events}))
    asked = []
    for text in wanted:
        asked.append(CompiledSearch.of(parse(text), context, bindings).of_events)
    statement = (
        "select toString(item_id) as id, arrayMap(each -> toBool(each), ["
        + ", ".join(asked)
        + "]) as answers from errata_raw.error_events"
    )
    answers = {
        row["id"]: row["answers"]
        for row in shop.read.rows(statement, {"project_id": 7, **bindings.parameters})
    }
    for number, (text, is_wanted) in enumerate(wanted.items()):
        expected = {UUID(event["item_id"]) for event in shop.events if is_wanted(event)}
        assert {UUID(event) for event in answers if answers[event][number]} == expected, text


COLUMNS_READ: dict[str, tuple[Set[str], Set[str], bool]] = {
    "": (set(), set(), False),
    "release:2.* !has:environment": ({"release", "environment"}, set(), False),
    "level:error": ({"level"}, set(), True),
    "tenant:a has:user": ({"tags", "user_hash"}, set(), True),
    "user:ada service:shop": (
        {"user_id", "user_email", "user_name", "user_ip", "service", "tags"},
        set(),
        True,
    ),
    "is:for_review assigned:me": (set(), {"assignee", "status", "first_seen"}, False),
    "priority:high events:>3 last_seen:-4h": (
        set(),
        {"chosen_priority", "event_count", "last_seen"},
        False,
    ),
    "users:>3 title:*x* some words": (set(), {"user_count", "titles", "texts"}, False),
    "first_release:2.* issue:1f handled:no": ({"is_handled"}, {"first_release", "issue_id"}, True),
}


@each("text", COLUMNS_READ)
def test_a_search_tells_which_columns_of_events_and_issues_it_reads(text: str) -> None:
    compiled = CompiledSearch.of(parse(text), QueryContext(NOW))
    assert (compiled.event_columns, compiled.issue_columns, compiled.reads_events) == COLUMNS_READ[text]
    assert compiled.is_of_issues_alone == (not compiled.event_columns)
    assert compiled.is_of_events_alone == (not compiled.issue_columns)


def test_the_longest_search_is_no_more_than_a_statement_takes(warehouse: WarehouseProcess) -> None:
    starred = [f"{first}{second}*" for first in "abcdefghijklmnopqrstuvwxyz" for second in "0123456789"]
    lists = [", ".join(starred[start : start + 90]) for start in range(0, 270, 90)]
    text = " ".join(
        f"{key}:[{listed}]" for key, listed in zip(("user", "service", "tenant"), lists, strict=True)
    )
    compiled = CompiledSearch.of(parse(text), QueryContext(NOW))
    statement = f"select count() as count from errata_raw.error_events where {compiled.of_events}"
    rows = warehouse.client(Role.READ).rows(statement, {"project_id": PROJECT, **compiled.parameters})
    assert rows == [{"count": 0}]


@pytest.mark.slow
def test_an_issue_is_listed_with_the_matching_events_of_the_period(warehouse: WarehouseProcess) -> None:
    shop = the_shop(warehouse)
    build_marts(warehouse, "variant_hourly", "variant_daily")
    for text in ("", "environment:production", "!browser:Chrome has:user tenant:*", "release:>=2.10.0"):
        wanted = BY_EVENT.get(text) or both(
            a_no(field("browser", "Chrome")), lambda event: event["user_hash"] != 0, tag("tenant", "*")
        )
        assert shop.counts(text) == shop.expected(wanted) != {}, text
    assert len(shop.found("assigned:Ada@example.org")) == 1
    assert shop.found("assigned:[me, eve@example.org]") == []
    everything = shop.found("")
    assert len(shop.found("is:unassigned assigned:none !is:assigned")) == len(everything) - 1
    assert {issue.status.value for issue in everything} == {"unresolved", "resolved", "ignored"}
    for text, chosen in BY_ISSUE.items():
        assert {issue.id for issue in shop.found(text)} == {each.id for each in everything if chosen(each)}, (
            text
        )


@pytest.mark.slow
def test_someone_and_something_are_found_by_what_identifies_them(warehouse: WarehouseProcess) -> None:
    shop = the_shop(warehouse)
    someone = next(event for event in shop.events if event["user_email"])
    for key, column in (("user.email", "user_email"), ("user.id", "user_id"), ("user", "user_email")):
        text = f'{key}:"{someone[column]}" environment:{someone["environment"]}'
        same = both(
            lambda event, column=column: event[column] == someone[column],  # type: ignore[misc]
            field("environment", someone["environment"]),
        )
        assert shop.counts(text) == shop.expected(same) != {}, text
    event = shop.events[17]
    found = shop.found(f"event:{event['item_id']}")
    assert [(issue.issue_id, issue.event_count) for issue in found] == [
        (shop.issue_of[event["variant_hash"]], 1)
    ]
    issue_id = f"{shop.issue_of[event['variant_hash']]:x}"
    assert [issue.id for issue in shop.found(f"issue:{issue_id}")] == [found[0].id]

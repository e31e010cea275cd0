"""The identified users of a project, and one of them in the same columns.

A user is the hash of the first known of id, e-mail address, name and IP address, so an address names a user
whatever text an application sends.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from errata.clock import EPOCH
from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES, both
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import ALWAYS, Condition, Number, Text, spaced
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.deletions import kept_events
from errata.warehouse.queries.vocabulary import user_key
from errata.warehouse.typed_rows import typed

USER_COLUMNS = ("user_id", "user_email", "user_name", "user_ip")
NO_LOADS: Row = {"load_count": 0, "load_p75_ms": math.nan}
NOBODY: Row = {"event_count": 0, "issue_count": 0, "first_seen": EPOCH, "last_seen": EPOCH}


class UserSort(StrEnum):
    LAST_SEEN = "last_seen"
    EVENTS = "events"
    ISSUES = "issues"


@dataclass(frozen=True)
class UserFilters:
    """Filters of lists about users; an empty one narrows nothing. A user is found by `words` that one of
    their events has together in id, e-mail address, name and IP address. With `issue_id` only events of that
    issue count."""

    period: TimeRange
    environment: str = ""
    release: str = ""
    words: str = ""
    issue_id: int = 0

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "since": self.period.since,
            "until": self.period.until,
            "environment": self.environment,
            "release": self.release,
        }

    @property
    def scope_of_loads(self) -> dict[str, Any]:
        """Page loads are told by the hour."""
        hours = self.period.in_hours
        return {**self.scope, "since": hours.since, "until": hours.until}


@dataclass(frozen=True)
class UserRow:
    """A user with counts of the period; `first_seen` and `last_seen` are of events in it, 1970 without any.

    `load_p75_ms` is None if no load was measured. The names are the latest that events sent, empty: never.
    """

    user_hash: int
    id: str
    email: str
    name: str
    ip: str
    event_count: int
    issue_count: int
    first_seen: datetime
    last_seen: datetime
    load_count: int
    load_p75_ms: float | None

    @property
    def key(self) -> str:
        return user_key(self.user_hash)

    @property
    def label(self) -> str:
        return self.email or self.name or self.id or self.ip


@dataclass(frozen=True)
class UserPage:
    users: Sequence[UserRow]
    next_cursor: str | None


def users_of_project(
    warehouse: Warehouse,
    project_id: int,
    filters: UserFilters,
    sort: UserSort = UserSort.LAST_SEEN,
    limit: int = 50,
    cursor: str = "",
) -> UserPage:
    """One page of the users with an event in the period, the greatest first."""
    searched = spaced(*map(Text.column, USER_COLUMNS))
    is_found = searched.contains_all(filters.words.split())
    rows = _listed(
        warehouse, project_id, filters, sort, limit + 1, is_found=is_found, place=_place(cursor, sort)
    )
    page = rows[:limit]
    users = _in_detail(warehouse, project_id, filters, page, filters.period.since)
    last = page[-1] if len(rows) > limit else None
    return UserPage(users, cursor_text(sort, last["sort_value"], last["user_hash"]) if last else None)


def user_of_project(
    warehouse: Warehouse, project_id: int, filters: UserFilters, user_hash: int
) -> UserRow | None:
    """The user; None if no event that is kept names them. Without an event in the period, counts are 0."""
    if not user_hash:
        # The hash of all events without a user.
        return None
    is_meant = Number.column("user_hash").one_of([user_hash])
    rows = _listed(warehouse, project_id, filters, UserSort.LAST_SEEN, 1, is_meant=is_meant)
    since = filters.period.since if rows else EPOCH
    shown = rows or [{**NOBODY, "user_hash": user_hash}]
    return next(iter(_in_detail(warehouse, project_id, filters, shown, since)), None)


def _listed(
    warehouse: Warehouse,
    project_id: int,
    filters: UserFilters,
    sort: UserSort,
    limit: int,
    is_meant: Condition = ALWAYS,
    is_found: Condition = ALWAYS,
    place: tuple[int, int] | None = None,
) -> list[Row]:
    statement = sql.query("users_listed").at(
        is_meant=is_meant & kept_events(warehouse, [project_id]), is_found=is_found
    )
    value, user_hash = place or (0, 0)
    parameters = {
        **filters.scope,
        "project_id": project_id,
        "issue_id": filters.issue_id,
        "sort": sort.value,
        "has_cursor": place is not None,
        "after_value": value,
        "after_user": user_hash,
        "limit": limit,
    }
    return warehouse.rows(statement, parameters, BOTH_CORES)


def _in_detail(
    warehouse: Warehouse, project_id: int, filters: UserFilters, rows: Sequence[Row], since: datetime
) -> list[UserRow]:
    """The users with their names and page loads; without those whom no event since then names."""
    if not rows:
        return []
    about = {"project_id": project_id, "users": [row["user_hash"] for row in rows]}
    named, loaded = both(
        lambda: warehouse.rows(
            sql.query("names_of_users").at(is_kept=kept_events(warehouse, [project_id])),
            {**about, "since": since},
        ),
        lambda: warehouse.rows(sql.query("loads_of_users"), {**about, **filters.scope_of_loads}),
    )
    names = {row["user_hash"]: row for row in named}
    loads = {row["user_hash"]: row for row in loaded}
    return [
        _user(row, names[row["user_hash"]], loads.get(row["user_hash"]))
        for row in rows
        if row["user_hash"] in names
    ]


def _user(row: Row, named: Row, loaded: Row | None) -> UserRow:
    names = {name: named[f"user_{name}"] for name in ("id", "email", "name", "ip")}
    return typed(UserRow, {**row, **(loaded or NO_LOADS)}, **names)


def _place(cursor: str, sort: UserSort) -> tuple[int, int] | None:
    """The sort value and hash of the last user shown; None for the first page."""
    if not cursor:
        return None
    given_sort, *numbers = cursor_values(cursor, 3)
    try:
        value, user_hash = map(int, numbers)
    except ValueError as error:
        raise unknown_cursor() from error
    if given_sort != sort or abs(value) >= 1 << 63 or not 0 < user_hash < 1 << 64:
        raise unknown_cursor()
    return value, user_hash

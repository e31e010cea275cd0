"""Limits of new names a project and day: pages, releases, tags and other names that rows are grouped by.

A name beyond the limit is stored as `(other)`. Names of earlier days are always accepted.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from api.ingest.item import Rows
from api.settings import ApiSettings
from errata.warehouse.client import Warehouse
from errata.warehouse.sql import query

OTHER = "(other)"
TABLE = "errata_raw.names_seen"
TAG = "tag"
REMEMBERED_FOR = timedelta(days=7)
# Names of a protocol field with few values.
FEW = 100
KNOWN_PROJECTS_MAX = 10_000

SENDER = (("environment", "environment"), ("release", "release"))
KINDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "errata_raw.error_events": (
        *SENDER,
        ("transaction", "transaction"),
        ("server_name", "server_name"),
        ("logger", "logger"),
        ("level", "level"),
        ("platform", "platform"),
        ("browser", "browser"),
        ("os", "os"),
        ("device", "device"),
    ),
    "errata_raw.page_views": (*SENDER, ("page", "page"), ("sdk", "sdk")),
    "errata_raw.page_resources": (*SENDER, ("page", "page"), ("host", "host")),
    "errata_raw.requests": (
        *SENDER,
        ("route", "route"),
        ("method", "method"),
        ("page", "page"),
        ("host", "host"),
        ("server_name", "server_name"),
    ),
    "errata_raw.spans": SENDER,
    "errata_raw.sessions": SENDER,
    "errata_raw.replay_segments": SENDER,
    "errata_raw.check_ins": SENDER,
    "errata_raw.feedback": SENDER,
    "errata_raw.attachments": (),
    "errata_raw.logs": (*SENDER, ("server_name", "server_name")),
}
"""By table: columns, and the kind of names in them."""


def bounds_of(settings: ApiSettings) -> Mapping[str, int]:
    """The limit of new names a day, by kind."""
    many = ("page", "route", "transaction", "server_name", "host", "logger", "device")
    return {
        **dict.fromkeys(many, settings.names_per_day),
        **dict.fromkeys(("level", "platform", "browser", "os", "sdk", "method"), FEW),
        "environment": settings.environments_per_day,
        "release": settings.releases_per_day,
        TAG: settings.tag_keys_per_day,
    }


class SeenName(NamedTuple):
    """A name to be stored as used on a day."""

    project_id: int
    kind: str
    name: str
    on: date

    @property
    def row(self) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "kind": self.kind,
            "name": self.name,
            "seen_on": self.on,
        }


@dataclass
class Day:
    """One project's UTC day. `used` names are stored as used today; `admitted` ones may be on their way to
    the warehouse, or may have failed to reach it; `known` ones are of earlier days, the most frequent."""

    project_id: int
    on: date
    bounds: Mapping[str, int]
    used: dict[str, set[str]]
    known: dict[str, set[str]]
    new_count: Counter[str]
    admitted: dict[str, set[str]]

    def admits(self, kind: str, name: str) -> bool:
        if name in self.admitted[kind]:
            return True
        if name not in self.known[kind]:
            if self.new_count[kind] >= self.bounds[kind]:
                return False
            self.new_count[kind] += 1
        self.admitted[kind].add(name)
        return True


@dataclass
class NameRegistry:
    """The names of projects. Thread-safe; asks the warehouse for earlier names once a day and project."""

    warehouse: Warehouse
    bounds: Mapping[str, int]
    _days: dict[int, Day] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def hold(self, project_id: int, rows: Rows, received_at: datetime, seen: set[SeenName]) -> Counter[str]:
        """Replaces names beyond the limits, counted by kind; adds names to be stored to `seen`."""
        day = self._day(project_id, received_at)
        with self._lock:
            return _held(day, rows, seen)

    def remember(self, seen: Iterable[SeenName]) -> None:
        """Marks names as stored, after their insert; names of a failed insert are stored with the next
        batch."""
        for each in seen:
            day = self._days.get(each.project_id)
            if day is not None and day.on == each.on:
                day.used[each.kind].add(each.name)

    def _day(self, project_id: int, received_at: datetime) -> Day:
        found, today = self._days.get(project_id), received_at.date()
        if found is not None and found.on >= today:
            return found
        # Outside of the lock: callers with a known day need no response of the warehouse.
        begun = self._begun(project_id, today)
        with self._lock:
            found = self._days.get(project_id)
            if found is not None and found.on >= today:
                return found
            if len(self._days) >= KNOWN_PROJECTS_MAX:
                self._days.clear()
            self._days[project_id] = begun
            return begun

    def _begun(self, project_id: int, today: date) -> Day:
        rows = self.warehouse.rows(
            query("names_of_project"),
            {
                "project_id": project_id,
                "since": today - REMEMBERED_FOR,
                "today": today,
                "limit": 2 * max(self.bounds.values()),
            },
        )
        used: dict[str, set[str]] = {kind: {OTHER} for kind in self.bounds}
        known: dict[str, set[str]] = {kind: set() for kind in self.bounds}
        new_count: Counter[str] = Counter()
        for row in rows:
            kind, name = row["kind"], row["name"]
            if kind not in self.bounds:
                continue
            if row["is_of_today"]:
                used[kind].add(name)
            if row["is_new"]:
                new_count[kind] += 1
            elif len(known[kind]) < self.bounds[kind]:
                known[kind].add(name)
        admitted = {kind: set(names) for kind, names in used.items()}
        return Day(project_id, today, self.bounds, used, known, new_count, admitted)


def rows_of_seen(seen: Iterable[SeenName]) -> Rows:
    rows = [each.row for each in seen]
    return {TABLE: rows} if rows else {}


def _held(day: Day, rows: Rows, seen: set[SeenName]) -> Counter[str]:
    replaced: Counter[str] = Counter()
    for table, found in rows.items():
        columns = [(column, kind, day.used[kind]) for column, kind in KINDS[table]]
        for row in found:
            for column, kind, used in columns:
                name = row.get(column)
                if name and name not in used and not _met(day, kind, name, seen):
                    row[column] = OTHER
                    replaced[kind] += 1
            if tags := row.get("tags"):
                row["tags"] = _held_tags(day, tags, seen, replaced)
    return replaced


def _met(day: Day, kind: str, name: str, seen: set[SeenName]) -> bool:
    """Whether a name that is not stored as used today is admitted; it is then to be stored."""
    if not day.admits(kind, name):
        return False
    seen.add(SeenName(day.project_id, kind, name, day.on))
    return True


def _held_tags(day: Day, tags: dict[str, str], seen: set[SeenName], replaced: Counter[str]) -> dict[str, str]:
    used = day.used[TAG]
    if used.issuperset(tags):
        return tags
    kept = {}
    for name, value in tags.items():
        if not name or name in used or _met(day, TAG, name, seen):
            kept[name] = value
        else:
            replaced[TAG] += 1
    if len(kept) < len(tags):
        kept[OTHER] = OTHER
    return kept

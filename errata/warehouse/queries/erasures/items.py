"""The items that belong to the subject of an erasure, in every raw table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from errata.clock import EPOCH
from errata.warehouse import retention, sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.log import Erasure

# A person with a million events is collected in seconds; groups beyond this size are put on the disk.
COLLECTING = {
    "max_execution_time": 3_600,
    "max_bytes_before_external_group_by": 300 << 20,
    "max_threads": 1,
}
ITEMS = "errata_raw.erased_items"
MOST_USERS = 10_000
# A user called "admin" or "1000" is named by no title that has this word in it.
SHORTEST_ID = 8


@dataclass(frozen=True)
class Subject:
    """What is erased: events by id, all events of variants, all items of users by hash, replays by id and
    those recorded from a moment to before another. Never all empty."""

    events: Sequence[UUID] = ()
    variants: Sequence[int] = ()
    users: Sequence[int] = ()
    replays: Sequence[UUID] = ()
    replays_from: datetime = EPOCH
    replays_until: datetime = EPOCH

    def __post_init__(self) -> None:
        # 0 is the hash of everybody who is not identified.
        replays = self.replays or self.replays_until > self.replays_from
        if not (self.events or self.variants or self.users or replays) or 0 in self.users:
            raise ValueError("an erasure needs an event, a variant, an identified user or a replay")

    def parameters(self, project_id: int, asked_at: datetime) -> dict[str, Any]:
        return {
            "project_id": project_id,
            "events": list(self.events),
            "variants": list(self.variants),
            "users": list(self.users),
            "replays": list(self.replays),
            "replays_since": self.replays_from,
            "replays_until": self.replays_until,
            "asked_at": asked_at,
        }


@dataclass(frozen=True)
class Found:
    """Rows and items of one table."""

    table: str
    row_count: int
    item_count: int


def preview(read: Warehouse, project_id: int, subject: Subject, until: datetime) -> list[Found]:
    """What an erasure would remove of each table, of rows received until then."""
    rows = read.rows(sql.query("erasure_preview"), subject.parameters(project_id, until))
    return [Found(row["source"], row["row_count"], row["item_count"]) for row in rows]


def collect(warehouse: Warehouse, erasure: Erasure, subject: Subject) -> None:
    """Records the ids of all items of the subject, once each: from now on copies of them are refused."""
    asked = subject.parameters(erasure.project_id, erasure.asked_at)
    warehouse.execute(
        sql.query("collect_erased_items"), {**asked, "erasure_id": erasure.erasure_id}, COLLECTING
    )


def collect_from_marts(read: Warehouse, warehouse: Warehouse, erasure: Erasure, subject: Subject) -> None:
    """Records events and page loads of marts that raw no longer has: no build computes these rows again."""
    asked = subject.parameters(erasure.project_id, erasure.asked_at)
    rows = read.rows(
        sql.query("mart_items_of_subject"),
        {
            "project_id": erasure.project_id,
            "events": asked["events"],
            "users": asked["users"],
            "events_before": erasure.asked_at - _rebuildable("errata_raw.error_events"),
            "loads_before": erasure.asked_at - _rebuildable("errata_raw.page_views"),
        },
    )
    known = {
        "project_id": erasure.project_id,
        "erasure_id": erasure.erasure_id,
        # Long before: no longer in raw.
        "received_on": "1970-01-01",
    }
    warehouse.insert_rows(ITEMS, ({**known, **row} for row in rows))


def _rebuildable(table: str) -> timedelta:
    """A week less than raw covers: what lies between is rebuilt and deleted."""
    return timedelta(days=retention.rebuildable_days(table) - 7)


def users_named(warehouse: Warehouse, project_id: int, user_id: str, email: str) -> list[int]:
    """The hashes of users whose events name exactly this ID or email address."""
    asked = {"project_id": project_id, "user_id": user_id, "user_email": email}
    return [row["user_hash"] for row in warehouse.rows(sql.query("users_named"), asked)]


def texts_of_users(warehouse: Warehouse, project_id: int, users: Sequence[int]) -> set[str]:
    """The texts by which events name these users, but those that may be ordinary words."""
    rows = warehouse.rows(sql.query("texts_of_users"), {"project_id": project_id, "users": list(users)})
    return {row["text"] for row in rows if names_a_person(row["text"])}


def names_a_person(text: str) -> bool:
    """True for an email address, a name of several words, and a long ID or an IP address.

    A sender can give any text for a name: one in lower case, such as `of the`, stands in texts about nobody.
    """
    is_id = len(text) >= SHORTEST_ID and any(character.isdigit() for character in text)
    return len(text.strip()) > 3 and ("@" in text or is_id or _is_name(text.split()))


def _is_name(words: Sequence[str]) -> bool:
    """Two words or more are written as names are; others are short, as in `Ludwig van Beethoven`."""
    lower = [word for word in words if word[0].islower()]
    return len(words) - len(lower) >= 2 and all(len(word) <= 3 for word in lower)


def variants_of_issue(warehouse: Warehouse, project_id: int, issue_id: int) -> tuple[list[int], list[int]]:
    """The variants of an issue, and with it the issues merged into it."""
    asked = {"project_id": project_id, "issue_id": issue_id}
    rows = warehouse.rows(sql.query("variants_of_erased_issue"), asked)
    variants = [row["variant_hash"] for row in rows]
    return variants, sorted({issue_id, *(row["own_issue_id"] for row in rows)} if rows else set())

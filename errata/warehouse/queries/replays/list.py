"""The replays of a project, filtered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from errata.clock import EPOCH, utc
from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.at_once import BOTH_CORES
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import Condition, Number, Text, Texts, all_of
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.replays.replay import Replay, replays_by_id

# SDKs end a replay after an hour; a clock may be off by as much.
LONGEST = timedelta(hours=2)
FIRST_DAYS = (1, 5)


@dataclass(frozen=True)
class ReplayFilters:
    """Filters of lists of replays; an empty one narrows nothing. `page`: text in an address that was
    visited; `user_words`: words that its user has together in id, e-mail address, name and IP address."""

    period: TimeRange
    environment: str = ""
    release: str = ""
    page: str = ""
    user_hash: int = 0
    user_words: str = ""
    has_errors: bool = False
    has_rage_clicks: bool = False
    has_dead_clicks: bool = False
    is_unmasked: bool = False

    @property
    def is_found(self) -> Condition:
        """Of given filters only: a condition that always holds costs the reading of its columns."""
        given = (
            (self.environment, Text.column("environment").one_of([self.environment])),
            (self.release, Text.column("release").one_of([self.release])),
            (self.page, Texts.column("urls").any(lambda url: url.contains(self.page))),
            (self.user_hash, Number.column("user_hash").one_of([self.user_hash])),
            (self.user_words.split(), Text.column("user_words").contains_all(self.user_words.split())),
            (self.has_errors, Texts.column("error_ids").is_present),
            (self.has_rage_clicks, Number.column("rage_click_count").is_present),
            (self.has_dead_clicks, Number.column("dead_click_count").is_present),
            (self.is_unmasked, Condition.column("is_unmasked")),
        )
        return all_of(condition.ever for is_given, condition in given if is_given)


@dataclass(frozen=True)
class ReplayPage:
    replays: Sequence[Replay]
    next_cursor: str | None


def replays_of_project(
    warehouse: Warehouse, project_id: int, filters: ReplayFilters, limit: int = 50, cursor: str = ""
) -> ReplayPage:
    """One page of the replays that began in the period, the latest first."""
    statement = sql.query("replays_listed").at(is_found=filters.is_found)
    after_ms, after_replay = _place(cursor) if cursor else (0, UUID(int=0))
    parameters = {
        "until": filters.period.until,
        "project_id": project_id,
        "has_cursor": bool(cursor),
        "after_ms": after_ms,
        "after_replay": str(after_replay),
        "limit": limit + 1,
    }
    latest = datetime.fromtimestamp(after_ms / 1000, UTC) if cursor else filters.period.now
    for since in _looked_through(filters, latest):
        asked = {**parameters, "since": since, "received_since": _received_since(since)}
        rows = warehouse.rows(statement, asked, BOTH_CORES)
        if len(rows) > limit:
            break
    page = rows[:limit]
    found = replays_by_id(warehouse, project_id, [row["replay_id"] for row in page], _received_since(since))
    if len(rows) <= limit:
        return ReplayPage(found, None)
    last_ms = round(utc(page[-1]["began_at"]).timestamp() * 1000)
    return ReplayPage(found, cursor_text(last_ms, page[-1]["replay_id"].hex))


def _looked_through(filters: ReplayFilters, latest: datetime) -> Iterator[datetime]:
    """Where to begin: a page of the latest replays is mostly full after a day of a busy project, and all days
    of a quiet one cost little. Few replays are of one user."""
    period = filters.period
    for days in () if filters.user_hash or filters.user_words else FIRST_DAYS:
        if (since := min(latest, period.until) - timedelta(days=days)) > period.since:
            yield since
    yield period.since


def _received_since(since: datetime) -> datetime:
    return max(since, EPOCH + LONGEST) - LONGEST


def _place(cursor: str) -> tuple[int, UUID]:
    at_ms, replay_id = cursor_values(cursor, 2)
    try:
        place = int(at_ms), UUID(replay_id)
    except ValueError as error:
        raise unknown_cursor() from error
    if not 0 <= place[0] < 1 << 53:
        raise unknown_cursor()
    return place

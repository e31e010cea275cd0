"""How urgent an issue is, and why: points for facts that everybody can check."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

NEW_FOR = timedelta(hours=24)
MANY_USERS, SOME_USERS = 100, 10
LEAST_TO_RISE = 10
HIGH_FROM, MEDIUM_FROM = 5, 3
POINTS_OF_LEVEL = {"fatal": 3, "error": 2, "warning": 0, "info": -2, "debug": -2}


class Level(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True)
class Facts:
    """`day_count` is of the last 24 hours, `week_count` of the seven days before them, users of 14 days."""

    level: str
    first_seen: datetime
    day_count: int
    week_count: int
    user_count: int
    unhandled_count: int
    sampled_count: int


@dataclass(frozen=True)
class Reason:
    words: str
    points: int


@dataclass(frozen=True)
class Priority:
    """`chosen` by a person it does not depend on `reasons`, which say what would be computed."""

    level: Level
    computed: Level
    reasons: tuple[Reason, ...]
    is_chosen: bool


def priority(facts: Facts, chosen: str, now: datetime) -> Priority:
    reasons = tuple(reason for reason in _reasons(facts, now) if reason.points)
    points = sum(reason.points for reason in reasons)
    computed = Level.HIGH if points >= HIGH_FROM else Level.MEDIUM if points >= MEDIUM_FROM else Level.LOW
    return Priority(Level(chosen) if chosen else computed, computed, reasons, bool(chosen))


def _reasons(facts: Facts, now: datetime) -> list[Reason]:
    return [
        Reason(f"level {facts.level or 'error'}", POINTS_OF_LEVEL.get(facts.level, 2)),
        _handled(facts),
        Reason(
            f"{facts.user_count:,} users in 14 days",
            2 if facts.user_count >= MANY_USERS else int(facts.user_count >= SOME_USERS),
        ),
        Reason("new in the last 24 hours", int(now - facts.first_seen < NEW_FOR)),
        _trend(facts, now),
    ]


def _handled(facts: Facts) -> Reason:
    is_crash = facts.unhandled_count * 2 > facts.sampled_count
    return Reason("unhandled in most recent events", int(is_crash))


def _trend(facts: Facts, now: datetime) -> Reason:
    per_day = facts.week_count / 7
    if (
        facts.day_count >= LEAST_TO_RISE
        and facts.day_count > 2 * per_day
        and now - facts.first_seen > NEW_FOR
    ):
        return Reason(f"rising: {facts.day_count:,} in 24 hours, up from {per_day:,.0f} per day", 1)
    if facts.day_count + facts.week_count == 0:
        return Reason("no events for eight days", -1)
    return Reason("", 0)

"""Days of retention of raw rows: at most those of the migrations, which a test compares, and fewer where a
project wants so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from errata.errors import InvalidParameter

# Rows near their end may be gone from one part and not from another: the last days are never rebuilt.
MARGIN_DAYS = 2


class DataKind(StrEnum):
    """Kinds of data that a project keeps for a number of days."""

    ERRORS = "errors"
    PAGE_LOADS = "page_loads"
    API_CALLS = "api_calls"
    TRACES = "traces"
    SESSIONS = "sessions"
    REPLAYS = "replays"
    CHECK_INS = "check_ins"
    LOGS = "logs"
    FEEDBACK = "feedback"
    ATTACHMENTS = "attachments"


@dataclass(frozen=True)
class Kept:
    """How long a kind of data is kept: `most_days` by table, `least_days` where a project wants less.
    `types`: of the items that it is counted by; rows that an item adds to other tables may expire earlier."""

    label: str
    least_days: int
    most_days: Mapping[str, int]
    types: tuple[str, ...] = ()


# Releases are compared from raw rows up to 53 days old; waterfalls and replays are looked at one by one.
KEPT: Mapping[DataKind, Kept] = {
    DataKind.ERRORS: Kept("Error events", 60, {"errata_raw.error_events": 90}, ("event",)),
    # A transaction of a server is a call, of a browser a page load.
    DataKind.PAGE_LOADS: Kept(
        "Page loads and their resources",
        60,
        {"errata_raw.page_views": 400, "errata_raw.page_resources": 400},
        ("transaction", "span"),
    ),
    DataKind.API_CALLS: Kept("API calls", 60, {"errata_raw.requests": 400}, ("transaction",)),
    DataKind.TRACES: Kept("Spans of waterfalls", 7, {"errata_raw.spans": 30}),
    DataKind.SESSIONS: Kept("Sessions", 60, {"errata_raw.sessions": 90}, ("session", "sessions")),
    DataKind.REPLAYS: Kept(
        "Session replays", 7, {"errata_raw.replay_segments": 30}, ("replay_event", "replay_recording")
    ),
    DataKind.CHECK_INS: Kept("Check-ins of monitors", 60, {"errata_raw.check_ins": 400}, ("check_in",)),
    DataKind.LOGS: Kept("Log records", 3, {"errata_raw.logs": 7}, ("log",)),
    DataKind.FEEDBACK: Kept("Feedback of users", 7, {"errata_raw.feedback": 90}, ("feedback", "user_report")),
    DataKind.ATTACHMENTS: Kept("Attachments of events", 7, {"errata_raw.attachments": 30}, ("attachment",)),
}
KINDS_OF_TYPE: Mapping[str, tuple[DataKind, ...]] = {
    item_type: tuple(kind for kind, kept in KEPT.items() if item_type in kept.types)
    for of_kind in KEPT.values()
    for item_type in of_kind.types
}
RETENTION_DAYS: Mapping[str, int] = {
    **{table: days for kept in KEPT.values() for table, days in kept.most_days.items()},
    "errata_raw.deliveries": 400,
    "errata_raw.rejected_items": 7,
    "errata_raw.outcomes": 90,
    "errata_raw.names_seen": 30,
    "errata_raw.upload_chunks": 2,
}


def most_days(kind: DataKind) -> int:
    """The days that the tables keep."""
    return min(KEPT[kind].most_days.values())


@dataclass(frozen=True)
class Retention:
    """Days of receipt that a project keeps, by kind; kinds not named are kept as long as the tables keep
    rows."""

    own: Mapping[DataKind, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "Retention":
        """From its stored text, such as `errors:60,traces:7`."""
        pairs = (each.split(":") for each in text.split(",") if each)
        return cls({DataKind(kind): int(days) for kind, days in pairs})

    @property
    def text(self) -> str:
        return ",".join(f"{kind.value}:{days}" for kind, days in sorted(self.own.items()))

    def days(self, kind: DataKind) -> int:
        return self.own.get(kind, most_days(kind))

    def require_possible(self) -> None:
        """Raises InvalidParameter."""
        for kind, days in self.own.items():
            least, most = KEPT[kind].least_days, most_days(kind)
            if not least <= days <= most:
                raise InvalidParameter(kind.value, f"must be {least} to {most} days")

    def horizon_days(self, item_type: str) -> int:
        """Items older than this are accepted and not counted."""
        return min(map(self.days, KINDS_OF_TYPE[item_type])) - MARGIN_DAYS


def countable_days(table: str) -> int:
    """Rows older than this are counted by no build."""
    return RETENTION_DAYS[table] - MARGIN_DAYS


def rebuildable_days(table: str) -> int:
    """Windows older than this are never computed from raw again: some of their rows may be gone.

    A day longer than the horizon of items, so that the next build counts every accepted item.
    """
    return RETENTION_DAYS[table] - MARGIN_DAYS + 1

"""Days of retention of raw rows: at most those of the migrations, which a test compares, and fewer where a
project wants so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from errata.errors import InvalidParameter

RETENTION_DAYS = {
    "errata_raw.error_events": 90,
    "errata_raw.page_views": 400,
    "errata_raw.page_resources": 400,
    "errata_raw.requests": 400,
    "errata_raw.spans": 30,
    "errata_raw.sessions": 90,
    "errata_raw.replay_segments": 30,
    "errata_raw.check_ins": 400,
    "errata_raw.logs": 7,
    "errata_raw.feedback": 90,
    "errata_raw.attachments": 30,
    "errata_raw.deliveries": 400,
    "errata_raw.rejected_items": 7,
    "errata_raw.outcomes": 90,
    "errata_raw.names_seen": 30,
    "errata_raw.upload_chunks": 2,
}
# Rows near their end may be gone from one part and not from another: the last days are never rebuilt.
MARGIN_DAYS = 2

# The table whose rows are counted; rows that an item adds to other tables may expire earlier.
TABLE_OF_TYPE = {
    "event": "errata_raw.error_events",
    "transaction": "errata_raw.page_views",
    "span": "errata_raw.page_views",
    "session": "errata_raw.sessions",
    "sessions": "errata_raw.sessions",
    "replay_event": "errata_raw.replay_segments",
    "replay_recording": "errata_raw.replay_segments",
    "check_in": "errata_raw.check_ins",
    "log": "errata_raw.logs",
    "feedback": "errata_raw.feedback",
    "user_report": "errata_raw.feedback",
    "attachment": "errata_raw.attachments",
}


class DataKind(StrEnum):
    """The kinds of data that a project keeps for so many days."""

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


TABLES_OF_KIND: Mapping[DataKind, tuple[str, ...]] = {
    DataKind.ERRORS: ("errata_raw.error_events",),
    DataKind.PAGE_LOADS: ("errata_raw.page_views", "errata_raw.page_resources"),
    DataKind.API_CALLS: ("errata_raw.requests",),
    DataKind.TRACES: ("errata_raw.spans",),
    DataKind.SESSIONS: ("errata_raw.sessions",),
    DataKind.REPLAYS: ("errata_raw.replay_segments",),
    DataKind.CHECK_INS: ("errata_raw.check_ins",),
    DataKind.LOGS: ("errata_raw.logs",),
    DataKind.FEEDBACK: ("errata_raw.feedback",),
    DataKind.ATTACHMENTS: ("errata_raw.attachments",),
}
# Releases are compared from raw rows up to 53 days old; waterfalls and replays are looked at one by one.
LEAST_DAYS: Mapping[DataKind, int] = {
    DataKind.ERRORS: 60,
    DataKind.PAGE_LOADS: 60,
    DataKind.API_CALLS: 60,
    DataKind.TRACES: 7,
    DataKind.SESSIONS: 60,
    DataKind.REPLAYS: 7,
    DataKind.CHECK_INS: 60,
    DataKind.LOGS: 3,
    DataKind.FEEDBACK: 7,
    DataKind.ATTACHMENTS: 7,
}
KINDS_OF_TABLE = {table: kind for kind, tables in TABLES_OF_KIND.items() for table in tables}
# A transaction of a server is a call, of a browser a page load.
KINDS_OF_TYPE: Mapping[str, tuple[DataKind, ...]] = {
    item_type: (KINDS_OF_TABLE[table],) for item_type, table in TABLE_OF_TYPE.items()
} | {"transaction": (DataKind.PAGE_LOADS, DataKind.API_CALLS)}


def most_days(kind: DataKind) -> int:
    """The days that the tables keep."""
    return min(RETENTION_DAYS[table] for table in TABLES_OF_KIND[kind])


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
            if not LEAST_DAYS[kind] <= days <= most_days(kind):
                raise InvalidParameter(kind.value, f"must be {LEAST_DAYS[kind]} to {most_days(kind)} days")

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

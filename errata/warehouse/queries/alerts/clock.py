"""The clock of alerts: receipt, in steps."""

from datetime import UTC, datetime, timedelta

TICK = timedelta(seconds=30)
TICK_MS = 30_000


def tick_of(moment: datetime) -> int:
    return int(moment.timestamp() * 1000) // TICK_MS


def moment_of(tick: int) -> datetime:
    return datetime.fromtimestamp(tick * TICK_MS / 1000, UTC)

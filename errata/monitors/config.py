"""A monitor's configuration, as SDKs send it with check-ins."""

from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

import msgspec

from errata.monitors.schedule import InvalidSchedule, Schedule, is_zone, schedule_of

# Monitors have few configurations, which every page reads again.
REMEMBERED = 4_096
MOST_MINUTES = 40_320
MOST_THRESHOLD = 720
USUAL_MARGIN, USUAL_RUNTIME = 1, 30


class InvalidConfig(ValueError):
    """Its text is a sentence for whoever sent the configuration. `field`: the wrong one, if
    there is one."""

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class MonitorConfig:
    """`margin_minutes`: how late a run may begin; `runtime_minutes`: how long it may take. A monitor fails
    after `failure_threshold` failed runs in a row, and recovers after `recovery_threshold` good ones."""

    schedule: Schedule
    zone: str = "UTC"
    margin_minutes: int = USUAL_MARGIN
    runtime_minutes: int = USUAL_RUNTIME
    failure_threshold: int = 1
    recovery_threshold: int = 1

    @property
    def margin(self) -> timedelta:
        return timedelta(minutes=self.margin_minutes)

    @property
    def runtime(self) -> timedelta:
        return timedelta(minutes=self.runtime_minutes)

    @property
    def values(self) -> dict[str, Any]:
        """In the words of the protocol."""
        return {
            "schedule": self.schedule.as_json,
            "timezone": self.zone,
            "checkin_margin": self.margin_minutes,
            "max_runtime": self.runtime_minutes,
            "failure_issue_threshold": self.failure_threshold,
            "recovery_threshold": self.recovery_threshold,
        }

    @property
    def text(self) -> str:
        """As it is stored."""
        return msgspec.json.encode(self.values).decode()


def config_of(value: Any) -> MonitorConfig:
    """Raises InvalidConfig."""
    if not isinstance(value, dict):
        raise InvalidConfig("`monitor_config` is an object with a schedule")
    zone = value.get("timezone") or "UTC"
    if not isinstance(zone, str) or not is_zone(zone):
        raise InvalidConfig("`timezone` is a name such as Europe/Berlin", "timezone")
    try:
        schedule = schedule_of(value.get("schedule"), zone)
    except InvalidSchedule as error:
        raise InvalidConfig(str(error), "schedule") from error
    return MonitorConfig(
        schedule,
        zone,
        _whole(value, "checkin_margin", MOST_MINUTES, USUAL_MARGIN),
        _whole(value, "max_runtime", MOST_MINUTES, USUAL_RUNTIME),
        _whole(value, "failure_issue_threshold", MOST_THRESHOLD, 1),
        _whole(value, "recovery_threshold", MOST_THRESHOLD, 1),
    )


@lru_cache(REMEMBERED)
def stored_config(text: str) -> MonitorConfig | None:
    """None: none was sent, or another version stored one that this one doesn't know."""
    if not text:
        return None
    try:
        return config_of(msgspec.json.decode(text))
    except (InvalidConfig, msgspec.DecodeError):
        return None


def _whole(value: dict[str, Any], name: str, most: int, usual: int) -> int:
    """Zero and null mean the usual number."""
    given = value.get(name)
    if type(given) is float and given.is_integer():
        given = int(given)
    if given is None or (type(given) is int and given == 0):
        return usual
    if type(given) is not int or not 1 <= given <= most:
        raise InvalidConfig(f"`{name}` is a whole number of 1 to {most}", name)
    return given

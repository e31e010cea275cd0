"""The words before a colon: a closed list, everything else is the name of a tag."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What may stand after the colon."""

    TEXT = "text"
    RELEASE = "release"
    NUMBER = "number"
    MOMENT = "moment"
    PERSON = "person"
    CHOICE = "choice"
    HAS = "has"
    ID = "id"


@dataclass(frozen=True)
class Key:
    """`values` is the closed list of a choice; `meaning` is shown while people type."""

    name: str
    kind: Kind
    meaning: str
    values: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


STATES = (
    "unresolved",
    "resolved",
    "regressed",
    "ignored",
    "new",
    "assigned",
    "unassigned",
    "for_review",
    "linked",
)
PRIORITIES = ("high", "medium", "low")
KEYS = (
    Key("is", Kind.CHOICE, "the issue's state", STATES),
    Key(
        "assigned",
        Kind.PERSON,
        "the assignee: me, none or an email address",
        aliases=("assignee",),
    ),
    Key("priority", Kind.CHOICE, "the priority, if set manually", PRIORITIES),
    Key(
        "release",
        Kind.RELEASE,
        "the release as sent, or its version; >=2.10.0 compares versions",
        aliases=("version",),
    ),
    Key("first_release", Kind.RELEASE, "the release the issue was first seen in", aliases=("firstRelease",)),
    Key("environment", Kind.TEXT, "the environment, such as production", aliases=("env",)),
    Key("level", Kind.TEXT, "the severity of the event", ("fatal", "error", "warning", "info", "debug")),
    Key("type", Kind.TEXT, "the type of the exception", aliases=("error.type",)),
    Key("title", Kind.TEXT, "the issue's title"),
    Key("culprit", Kind.TEXT, "the code location of the error", aliases=("location",)),
    Key("message", Kind.TEXT, "the event's message", aliases=("error.value",)),
    Key("user", Kind.TEXT, "the user's ID, email address, name or IP address"),
    Key("user.email", Kind.TEXT, "the user's email address"),
    Key("user.id", Kind.TEXT, "the user's ID"),
    Key("user.name", Kind.TEXT, "the user's name", aliases=("user.username",)),
    Key("user.ip", Kind.TEXT, "the user's IP address", aliases=("user.ip_address",)),
    Key("browser", Kind.TEXT, "the browser's name", aliases=("browser.name",)),
    Key("os", Kind.TEXT, "the operating system's name", aliases=("os.name",)),
    Key("device", Kind.TEXT, "the device's model", aliases=("device.family", "device.model")),
    Key("server", Kind.TEXT, "the server's name", aliases=("server_name",)),
    Key("service", Kind.TEXT, "the service segment of the application key"),
    Key("url", Kind.TEXT, "the requested URL", aliases=("http.url",)),
    Key("method", Kind.TEXT, "the request's method", aliases=("http.method",)),
    Key("transaction", Kind.TEXT, "the route, job or page"),
    Key("logger", Kind.TEXT, "the logger"),
    Key("platform", Kind.TEXT, "the SDK's platform"),
    Key(
        "handled", Kind.CHOICE, "whether the application caught the error", ("yes", "no"), ("error.handled",)
    ),
    Key("trace", Kind.ID, "the trace ID"),
    Key("event", Kind.ID, "the event ID", aliases=("id",)),
    Key("issue", Kind.ID, "the issue ID, or its first digits"),
    Key("events", Kind.NUMBER, "matching events in the period", aliases=("timesSeen", "times_seen")),
    Key("users", Kind.NUMBER, "identified users of matching events in the period"),
    Key(
        "first_seen", Kind.MOMENT, "when the issue first occurred: -24h, >2026-11-01", aliases=("firstSeen",)
    ),
    Key("last_seen", Kind.MOMENT, "when the issue last occurred: -24h, >2026-11-01", aliases=("lastSeen",)),
    Key("age", Kind.MOMENT, "how long ago the issue first occurred: -24h is newer, +7d is older"),
    Key("has", Kind.HAS, "events that have this tag or field"),
)
BY_NAME: Mapping[str, Key] = {name: key for key in KEYS for name in (key.name, *key.aliases)}

# Words people bring along from elsewhere, and what they are called here.
CHOICE_ALIASES: Mapping[str, str] = {
    "archived": "ignored",
    "review": "for_review",
    "true": "yes",
    "1": "yes",
    "false": "no",
    "0": "no",
}

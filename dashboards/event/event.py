"""One error event as its page shows it, put together from the payload."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboards.event.breadcrumbs import Breadcrumb, breadcrumbs, kind_counts, with_event
from dashboards.event.contexts import Surroundings, surroundings
from dashboards.event.curl import curl_command
from dashboards.event.exceptions import Stack, stacks, threads
from dashboards.event.minified import MinifiedSummary, explained, minified_summary
from dashboards.event.person import Person, person
from dashboards.event.request import Request, request
from dashboards.event.sdk_calls import SdkCalls, sdk_calls
from dashboards.event.shapes import first_text, mapping, moment, pairs, text, values
from dashboards.event.tags import Tag, tags
from dashboards.event.trees import Node, tree
from dashboards.shared.level import known_level
from errata.source_maps.reasons import Unmapped


@dataclass(frozen=True, slots=True)
class Event:
    event_id: str
    title: str
    message: str
    level: str
    platform: str
    occurred_at: datetime | None
    environment: str
    release: str
    transaction: str
    logger: str
    trace_id: str
    stacks: tuple[Stack, ...]
    # Beside an exception; a message's own stand in `stacks`.
    threads: tuple[Stack, ...]
    breadcrumbs: tuple[Breadcrumb, ...]
    breadcrumb_kinds: tuple[tuple[str, int], ...]
    request: Request | None
    curl: str
    person: Person
    tags: tuple[Tag, ...]
    extra: tuple[Node, ...]
    surroundings: Surroundings

    @property
    def sdk_calls(self) -> SdkCalls | None:
        return sdk_calls(self.platform)

    @property
    def has_minified_form(self) -> bool:
        """Whether frames as sent stand beside original ones."""
        return any(stack.minified_runs for stack in (*self.stacks, *self.threads))

    @property
    def minified(self) -> MinifiedSummary | None:
        """Of in-app frames, where any are: minified frames of vendors are nobody's task."""
        frames = [frame for stack in self.stacks for frame in stack.frames]
        in_app = [frame for frame in frames if frame.is_in_app]
        return minified_summary([frame.unmapped for frame in in_app or frames], bool(in_app))


def event(payload: object, service: str = "", unmapped: Sequence[Unmapped] = ()) -> Event:
    """`service` is the segment of the application key the event was sent with; `unmapped` are the frames that
    stay minified."""
    raw = mapping(payload)
    reasons = explained(unmapped)
    shown = stacks(raw, reasons)
    occurred_at = moment(raw.get("timestamp"))
    crumbs = breadcrumbs(raw)
    if crumbs:
        crumbs = with_event(crumbs, occurred_at, title(raw))
    return Event(
        event_id=first_text(raw.get("event_id")),
        title=title(raw),
        message=message(raw),
        level=known_level(text(raw.get("level"))),
        platform=first_text(raw.get("platform")),
        occurred_at=occurred_at,
        environment=first_text(raw.get("environment")),
        release=first_text(raw.get("release")),
        transaction=first_text(raw.get("transaction")),
        logger=first_text(raw.get("logger")),
        trace_id=first_text(mapping(mapping(raw.get("contexts")).get("trace")).get("trace_id")),
        stacks=tuple(shown),
        threads=tuple(threads(raw, reasons)) if values(raw.get("exception")) else (),
        breadcrumbs=tuple(crumbs),
        breadcrumb_kinds=tuple(kind_counts(crumbs)),
        request=request(raw),
        curl=curl_command(raw),
        person=person(raw),
        tags=tuple(tags(raw, service)),
        extra=tuple(tree(value, name) for name, value in pairs(raw.get("extra"))),
        surroundings=surroundings(raw),
    )


def title(raw: dict[str, object]) -> str:
    for stack in stacks_without_frames(raw):
        return f"{stack[0]}: {stack[1]}" if stack[1] else stack[0]
    return message(raw) or "Error without a message"


def stacks_without_frames(raw: dict[str, object]) -> list[tuple[str, str]]:
    """Type and message of each exception, outermost first."""
    sent = (
        mapping(raw.get("exception")).get("values")
        if isinstance(raw.get("exception"), dict)
        else raw.get("exception")
    )
    if not isinstance(sent, list):
        return []
    found = [mapping(value) for value in reversed(sent)]
    return [(text(value.get("type")) or "Error", text(value.get("value"))) for value in found if value]


def message(raw: dict[str, object]) -> str:
    entry = mapping(raw.get("logentry"))
    return first_text(
        entry.get("formatted"),
        raw.get("message"),
        entry.get("message"),
        mapping(raw.get("message")).get("formatted"),
    )

"""A batch on its way to rows: decode, route, scrub, count, and record refusals."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

import msgspec

from api.ingest import attachment_rows, check_in_rows, client_report, recording, telemetry
from api.ingest.body import TooLarge as LargeDelivery
from api.ingest.country import Countries
from api.ingest.erased import ERASED, ErasedItems
from api.ingest.event_rows import event_row
from api.ingest.item import Item, Line, Rejection, Rows, decode
from api.ingest.kind import ItemKind
from api.ingest.moment import believed, moment, occurred_at
from api.ingest.monitors import TOO_MANY_MONITORS, MonitorRegistry
from api.ingest.names import NameRegistry, SeenName
from api.ingest.payload import decode_whole, read_payload
from api.ingest.payload_limits import NO_PAYLOAD, PAYLOAD_LIMITED, PayloadLimits
from api.ingest.preparation import HEAVY, LIGHT, Steps
from api.ingest.undated import date_by_first_copies, is_undated
from api.ingest.variants import Sighting, VariantRegistry
from errata.filters import filters_of
from errata.grouping import GroupingRules, Variant, variant_of
from errata.scrubbing import (
    MOST_SUSPECTS,
    RULES,
    ScrubbingRules,
    TooDeep,
    TooLarge,
    TooManySuspects,
    rules_of,
    scrubbed_object,
)
from errata.state.ingest_limits import LimitKind, limits_of
from errata.warehouse.retention import Retention

# The largest payload to scrub, in about 0.4 s; few events and descriptions of replays are as large.
LARGE_LINE_BYTES = 512 << 10
# The outcome of an item that an inbound filter of its project matches; the reason is the filter's kind.
FILTERED = "filtered"
EVENTS = ItemKind("event", lambda item, received_at: {})
STORED_TYPES = telemetry.TYPES | {EVENTS.type}
# About three seconds to scrub and count.
RECORDINGS_MAX_BYTES = 128 << 20
# Of a line, and of all refused lines of a delivery: to look for secrets in them takes half a second.
MASKED_MAX = 2_000
MASKED_TOGETHER_MAX = 512 << 10
# A string without an end reaches to the end: looked for anew from each quote, it would take quadratic time.
TOKEN = re.compile(rb'("(?:[^"\\]|\\.)*+"\s*+:)|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[^\s,:{}\[\]"]+', re.DOTALL)
WORD_CHARACTER = re.compile(rb"[0-9A-Za-z]")


class Route(Protocol):
    """The destination of an application key."""

    @property
    def project_id(self) -> int: ...
    @property
    def service(self) -> str: ...
    @property
    def scrubbing(self) -> str: ...
    @property
    def retention(self) -> str: ...
    @property
    def filters(self) -> str: ...
    @property
    def limits(self) -> str: ...


class Outcome(NamedTuple):
    """`reason`: of an item that was filtered, or discarded by its SDK; else empty."""

    project_id: int
    service: str
    item_type: str
    outcome: str
    reason: str = ""


@dataclass
class Batch:
    """The contents of one request. `rows` are ready to insert; `sightings` and `seen_names` wait for them."""

    batch_id: str
    received_at: datetime
    rows: Rows = field(default_factory=dict)
    sightings: dict[tuple[int, int], Sighting] = field(default_factory=dict)
    seen_names: set[SeenName] = field(default_factory=set)
    rejections: list[Rejection] = field(default_factory=list)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """Items by project, service, type, outcome and reason."""
    accepted: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Lines by project and service."""
    recording_bytes: int = 0
    """Of the events of recordings, inflated."""
    project_id: int = 0
    """The project of the delivery, or of its first line; 0: none is known."""
    newest_logged_at: datetime | None = None
    host: str = ""
    """Whose shipper delivers it; empty: none was named."""

    def add(self, rows: Rows) -> None:
        for table, more in rows.items():
            self.rows.setdefault(table, []).extend(more)

    def count(self, project_id: int, service: str, item_type: str, outcomes: Mapping[str, int]) -> None:
        for outcome, count in outcomes.items():
            self.outcomes[Outcome(project_id, service, item_type, outcome)] += count

    @property
    def accepted_count(self) -> int:
        return self.accepted.total()

    @property
    def row_count(self) -> int:
        return sum(len(rows) for rows in self.rows.values()) + len(self.seen_names)


@dataclass(frozen=True, slots=True)
class Made:
    """An item's rows; `variant`: of an error event."""

    project_id: int
    service: str
    type: str
    rows: Rows
    variant: Variant | None = None
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def item_ids(self) -> set[str]:
        """With the ids of replays, and of the events of attachments: of an erased one nothing is stored any
        more."""
        items = {row["item_id"] for rows in self.rows.values() for row in rows if "item_id" in row}
        items |= {row["replay_id"] for row in self.rows.get("errata_raw.replay_segments", ())}
        return items | {row["event_id"] for row in self.rows.get(attachment_rows.TABLE, ())}


def decoded(
    batch: Batch, numbered: list[tuple[int, bytes]], line_max_bytes: int, recording_line_max_bytes: int
) -> Steps[list[Line]]:
    """Lines that are items; the others are recorded in the batch."""
    lines: list[Line] = []
    for number, line in numbered:
        yield HEAVY if len(line) > LARGE_LINE_BYTES else LIGHT
        result = decode(number, line, line_max_bytes, recording_line_max_bytes)
        if isinstance(result, Line):
            lines.append(result)
        else:
            batch.rejections.append(result)
    return lines


def prepare(
    batch: Batch,
    lines: list[Line],
    routes: Mapping[str, Route],
    registry: VariantRegistry,
    names: NameRegistry,
    erased: ErasedItems,
    countries: Countries,
    payload_limits: PayloadLimits,
    monitors: MonitorRegistry,
) -> Steps[None]:
    """Turns routed lines into the batch's rows; `routes` is by application key, "" for the batch's own."""
    made: list[Made] = []
    undated: list[dict[str, Any]] = []
    erased.refresh()
    for line in lines:
        yield HEAVY if recording.is_large(line.binary) else LIGHT
        route = routes.get(line.app_key)
        if route is None:
            batch.rejections.append(_not_routed(line))
            continue
        taken = take(batch, line, route, erased, countries)
        if isinstance(taken, Rejection):
            batch.rejections.append(taken)
            continue
        batch.accepted[route.project_id, route.service] += 1
        if (logged_at := believed(line.logged_at, batch.received_at)) is not None:
            batch.newest_logged_at = max(batch.newest_logged_at or logged_at, logged_at)
        if taken is None:
            continue
        if taken.type == check_in_rows.TYPE and not monitors.admits(taken.project_id, taken.payload):
            batch.outcomes[Outcome(taken.project_id, taken.service, taken.type, TOO_MANY_MONITORS)] += 1
            continue
        if taken.type == "event":
            variant = _variant_of(taken, registry.configuration_of(taken.project_id).rules)
            row = event_row(taken, variant, batch.received_at)
            rows = {"errata_raw.error_events": [row]}
            made.append(Made(taken.project_id, taken.service, taken.type, rows, variant))
            if is_undated(taken, batch.received_at):
                undated.append(row)
        else:
            outcomes: Counter[str] = Counter()
            rows = telemetry.rows_of(taken, batch.received_at, outcomes)
            made.append(Made(taken.project_id, taken.service, taken.type, rows, outcomes=outcomes))
    date_by_first_copies(registry.warehouse, undated)
    refused = erased.among((each.project_id, each.item_ids) for each in made)
    events: list[tuple[Variant, dict[str, Any]]] = []
    for each in made:
        yield LIGHT
        if any((each.project_id, item_id) in refused for item_id in each.item_ids):
            batch.outcomes[Outcome(each.project_id, each.service, each.type, ERASED)] += 1
            continue
        _add(batch, each, names)
        if each.variant is not None:
            events += [(each.variant, row) for row in each.rows["errata_raw.error_events"]]
    _add_events(batch, events, registry)
    limited = {
        route.project_id: most
        for route in routes.values()
        if (most := limits_of(route.limits).of_project.get(LimitKind.PAYLOADS))
    }
    if limited:
        _limit_payloads(batch, limited, payload_limits)


def _variant_of(item: Item, rules: GroupingRules) -> Variant:
    # A project's rules may ask for any field.
    return variant_of(decode_whole(item.payload_json) if rules.fingerprint_rules else item.payload, rules)


def _add(batch: Batch, made: "Made", names: NameRegistry) -> None:
    """Adds the item's names, and all but an event's rows, which wait for their variant."""
    if made.variant is None and not any(made.rows.values()):
        made.outcomes["nothing_to_store"] += 1
    batch.count(made.project_id, made.service, made.type, made.outcomes)
    replaced = names.hold(made.project_id, made.rows, batch.received_at, batch.seen_names)
    others = {f"other_{kind}": count for kind, count in replaced.items()}
    batch.count(made.project_id, made.service, made.type, others)
    if made.variant is None:
        batch.add(made.rows)


def _not_routed(line: Line) -> Rejection:
    said = "Neither the line nor the batch has an application key"
    return Rejection(line.number, "application_not_found", "Application Not Found" if line.app_key else said)


def take(
    batch: Batch, line: Line, route: Route, erased: ErasedItems, countries: Countries
) -> Item | Rejection | None:
    """The scrubbed item; None if it is counted but not stored."""
    rules = rules_of(route.scrubbing)
    if line.type == client_report.TYPE:
        _count_report(batch, line, route)
        return None
    if line.type not in STORED_TYPES:
        item_type = rules.clean(line.type, False)
        batch.outcomes[Outcome(route.project_id, route.service, item_type, "not_stored_yet")] += 1
        return None
    kind = telemetry.KINDS.get(line.type, EVENTS)
    if refused := kind.refused(line.headers):
        batch.outcomes[Outcome(route.project_id, route.service, line.type, refused)] += 1
        return None
    try:
        read = read_payload(line, rules)
        if isinstance(read, Rejection):
            return read
        payload_json, payload = read
        if problem := kind.problem(payload):
            return Rejection(line.number, "invalid_item", problem)
        headers = scrubbed_object(line.headers, rules)
        content = kind.opened(line.as_sent, rules)
    except (TooDeep, RecursionError):
        return Rejection(line.number, "invalid_item", "The payload is nested too deeply")
    except TooManySuspects:
        said = f"More than {MOST_SUSPECTS} texts and names might contain secrets"
        return Rejection(line.number, "invalid_item", said)
    except TooLarge:
        return Rejection(line.number, "invalid_item", "An event of the recording is too large to be filtered")
    except recording.Unusable as error:
        return Rejection(line.number, "invalid_item", str(error))
    if isinstance(content, recording.Recording):
        _count_recording(batch, content.events.inflated_bytes)
    item = Item(
        route.project_id,
        route.service,
        line.type,
        headers,
        payload,
        content,
        believed(line.logged_at, batch.received_at),
        line.as_sent,
        payload_json,
        countries.country_of(payload) if line.type in telemetry.TYPES else "",
        batch.host,
    )
    oldest = batch.received_at - timedelta(days=Retention.of(route.retention).horizon_days(line.type))
    if _happened_at(item, batch.received_at) < oldest:
        batch.outcomes[Outcome(route.project_id, route.service, line.type, "too_old")] += 1
        return None
    logged_at = item.logged_at or _happened_at(item, batch.received_at)
    if logged_at <= erased.before(route.project_id):
        batch.outcomes[Outcome(route.project_id, route.service, line.type, ERASED)] += 1
        return None
    if route.filters and (reason := filters_of(route.filters).reason(item.type, payload, headers)):
        batch.outcomes[Outcome(route.project_id, route.service, line.type, FILTERED, reason)] += 1
        return None
    return item


def _count_report(batch: Batch, line: Line, route: Route) -> None:
    try:
        payload = decode_whole(line.payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        payload = None
    found = client_report.discarded(payload) if isinstance(payload, dict) else Counter()
    for (category, reason), count in found.items():
        outcome = client_report.DISCARDED
        batch.outcomes[Outcome(route.project_id, route.service, category, outcome, reason)] += count


def _limit_payloads(batch: Batch, limited: Mapping[int, int], payload_limits: PayloadLimits) -> None:
    """Empties the payloads over the limit of their variant. `limited`: payloads per minute by project."""
    for row in batch.rows.get("errata_raw.error_events", ()):
        project_id = row["project_id"]
        most = limited.get(project_id)
        if most and not payload_limits.admits(project_id, row["variant_hash"], most, batch.received_at):
            row |= {"payload": NO_PAYLOAD, "has_payload": False}
            batch.outcomes[Outcome(project_id, row["service"], "event", PAYLOAD_LIMITED)] += 1


def _count_recording(batch: Batch, byte_count: int) -> None:
    """Raises TooLarge where many recordings would occupy the thread of heavy work for long; one alone always
    passes."""
    size = batch.recording_bytes + byte_count
    if batch.recording_bytes and size > RECORDINGS_MAX_BYTES:
        raise LargeDelivery("bytes of recordings after decompression", RECORDINGS_MAX_BYTES, size)
    batch.recording_bytes = size


def _happened_at(item: Item, received_at: datetime) -> datetime:
    if item.type == "event":
        return occurred_at(item.payload.get("timestamp"), item.logged_at, received_at)[0]
    own = item.payload.get("start_timestamp") or item.payload.get("timestamp")
    return item.logged_at or moment(own) or received_at


def _add_events(
    batch: Batch, events: list[tuple[Variant, dict[str, Any]]], registry: VariantRegistry
) -> None:
    registry.learn({(row["project_id"], variant.variant_hash) for variant, row in events})
    for found, row in events:
        variant = registry.admitted(row["project_id"], found, batch.received_at)
        row["variant_hash"] = variant.variant_hash
        batch.rows.setdefault("errata_raw.error_events", []).append(row)
        key = (row["project_id"], variant.variant_hash)
        earlier = batch.sightings.get(key)
        if earlier is None or row["occurred_at"] < earlier.row["occurred_at"]:
            batch.sightings[key] = Sighting(variant, row)


def add_rejected_rows(
    batch: Batch, project_id: int, rules: ScrubbingRules, contents: Mapping[int, bytes]
) -> Steps[None]:
    """Adds reason, length, hash and masked keys of each refused line; never its content. Of very many
    lines only the first keep their keys."""
    left = MASKED_TOGETHER_MAX
    for rejection in batch.rejections:
        yield LIGHT
        content = contents[rejection.line]
        shown = content[: min(MASKED_MAX, left)]
        left -= len(shown)
        row = {
            "project_id": project_id,
            "batch_id": batch.batch_id,
            "line": rejection.line,
            "reason": rejection.reason,
            "message": rejection.message[:500],
            "byte_count": len(content),
            "line_hash": int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big"),
            "error_offset": rejection.offset,
            "masked": masked(shown, rejection.reason, rules),
        }
        batch.add({"errata_raw.rejected_items": [row]})


def masked(line: bytes, reason: str, rules: ScrubbingRules = RULES) -> str:
    """Keys with every value masked; outside of JSON, all letters and digits are masked."""
    if reason == "invalid_json":
        hidden = WORD_CHARACTER.sub(b"x", line)
    else:
        hidden = TOKEN.sub(lambda token: token[1] or b"*", line)
    return rules.clean(hidden.decode("utf-8", "replace"), False)

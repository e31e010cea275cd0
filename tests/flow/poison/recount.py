"""What was accepted, counted anew from the lines themselves, against what is stored, named and shown.

Nothing of the ingest's own code decides here what a line is.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from errata.clock import EPOCH
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.flow.poison.site import Project, Site
from tests.warehouse_builds import VARIANT_COUNTS

REASONS = {"invalid_json", "invalid_item", "line_too_large", "application_not_found"}
COUNTED_DAYS = {
    "event": 88,
    "transaction": 398,
    "span": 398,
    "session": 88,
    "sessions": 88,
    "replay_event": 28,
    "replay_recording": 28,
}
# It says what an SDK discarded, and is not counted itself.
REPORT = "client_report"
# An item was received at most so long before now: what it is only before, or only now, is not certain.
NEAR = timedelta(minutes=10)
MOST_SESSIONS = 10_000_000
ROWS = """
    select {project_id:UInt32} as project, [
        (select count() from errata_raw.error_events where project_id = project),
        (select count() from errata_raw.sessions where project_id = project),
        (select countIf(part = 'event') from errata_raw.replay_segments where project_id = project),
        (select countIf(part = 'recording') from errata_raw.replay_segments where project_id = project)
    ] as counts
"""
# Other outcomes are of values that an item was stored without.
OF_ITEMS = ("not_stored_yet", "nothing_to_store")
OUTCOMES = """
    select item_type, outcome, sum(item_count) as item_count
    from errata_raw.outcomes
    where project_id = {project_id:UInt32}
    group by item_type, outcome
"""
EVENT_IDS = """
    select lower(replaceAll(toString(item_id), '-', '')) as id
    from errata_raw.error_events
    where project_id = {project_id:UInt32}
    group by id
"""
STORED = """
    select uniqExact(item_id) as event_count
    from errata_raw.error_events
    where project_id = {project_id:UInt32}
"""
COUNTED = f"""
    select sum(event_count) as event_count
    from {VARIANT_COUNTS}
    settings enable_materialized_cte = 1
"""


@dataclass
class Accepted:
    """Of one project; `uncertain` are items that came near the horizon, or near where a clock is believed."""

    items: Counter[str] = field(default_factory=Counter)
    too_old: Counter[str] = field(default_factory=Counter)
    uncertain: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    session_rows: int = 0
    event_ids: set[str] = field(default_factory=set)


@dataclass
class Recount:
    """Of all deliveries so far; `problems` are those of their answers."""

    by_project: dict[int, Accepted] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def note(
        self, status: int, body: bytes, lines: list[bytes], projects: dict[str, Project], own: Project
    ) -> None:
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if status == 404 and b"application_not_found" in body:
            return
        if status != 200:
            self.problems.append(f"a delivery was answered {status}: {body[:300]!r}")
            return
        answer = json.loads(body)
        rejected = {each["line"]: each["reason"] for each in answer["rejected"]}
        if unknown := set(rejected.values()) - REASONS:
            self.problems.append(f"lines were refused as {sorted(unknown)}")
        if answer["accepted"] + len(rejected) != len(numbered):
            self.problems.append(
                f"{answer['accepted']} accepted and {len(rejected)} refused of {len(numbered)} lines"
            )
        for number, line in numbered:
            if number not in rejected:
                self._note_line(_loaded(line), projects, own)

    def _note_line(self, item: dict[str, Any], projects: dict[str, Project], own: Project) -> None:
        project = projects.get(item.get("app_key") or "", own)
        accepted = self.by_project.setdefault(project.id, Accepted())
        type_ = str(item["type"])
        accepted.items[type_] += 1
        if type_ not in COUNTED_DAYS:
            return
        now = datetime.now(UTC)
        was_old, will_be_old = (_is_too_old(item, type_, moment) for moment in (now - NEAR, now + NEAR))
        if was_old != will_be_old:
            accepted.uncertain[type_] += 1
        elif was_old:
            accepted.too_old[type_] += 1
            return
        payload = item.get("payload")
        if type_ in ("session", "sessions"):
            row_count = 1 if type_ == "session" else _counts(payload)
            accepted.session_rows += row_count
            accepted.empty[type_] += row_count == 0
        if type_ == "event" and isinstance(payload, dict) and accepted.uncertain[type_] == 0:
            digits = str(payload.get("event_id")).replace("-", "").lower()
            # Of nothing but zeros it is no id, and the content tells.
            if len(digits) == 32 and set(digits) <= set("0123456789abcdef") and digits.strip("0"):
                accepted.event_ids.add(digits)


def compared(site: Site, recount: Recount, project: Project) -> Iterator[str]:
    """Where stored rows and named outcomes do not add up to what was accepted."""
    accepted = recount.by_project.get(project.id, Accepted())
    read = site.client(Role.READ)
    counts = read.rows(ROWS, {"project_id": project.id})[0]["counts"]
    outcomes = {
        (row["item_type"], row["outcome"]): row["item_count"]
        for row in read.rows(OUTCOMES, {"project_id": project.id})
    }
    stored = {"event": counts[0], "replay_event": counts[2], "replay_recording": counts[3]}
    yield from _counted_once(read, project)
    for type_, item_count in accepted.items.items():
        named = sum(
            count for (name, outcome), count in outcomes.items() if name == type_ and outcome in OF_ITEMS
        )
        too_old = outcomes.get((type_, "too_old"), 0)
        if not 0 <= too_old - accepted.too_old[type_] <= accepted.uncertain[type_]:
            yield f"{type_}: {too_old} were too old, {accepted.too_old[type_]} recounted"
        if type_ in stored and stored[type_] + named + too_old != item_count:
            yield f"{type_}: {stored[type_]} stored, {named} named and {too_old} too old of {item_count}"
        if type_ == "sessions" and accepted.uncertain[type_] == 0 and named != accepted.empty[type_]:
            yield f"sessions: {named} named, {accepted.empty[type_]} hold no count"
        if type_ not in COUNTED_DAYS and type_ != REPORT and named != item_count:
            yield f"{type_}: {named} named of {item_count}"
    is_certain = not accepted.uncertain["session"] + accepted.uncertain["sessions"]
    if is_certain and counts[1] != accepted.session_rows:
        yield f"sessions: {counts[1]} rows stored, {accepted.session_rows} recounted"
    if missing := accepted.event_ids - {
        row["id"] for row in read.rows(EVENT_IDS, {"project_id": project.id})
    }:
        yield f"event: {len(missing)} ids are not stored, as {sorted(missing)[:3]}"


def _counted_once(read: Warehouse, project: Project) -> Iterator[str]:
    stored = read.rows(STORED, {"project_id": project.id})[0]["event_count"]
    for by_hour in (False, True):
        chosen = {"project_id": project.id, "since": EPOCH, "by_hour": by_hour}
        counted = read.rows(COUNTED, chosen)[0]["event_count"]
        if counted != stored:
            yield f"event: {counted} counted of {stored} stored{', by hour' if by_hour else ''}"


def _loaded(line: bytes) -> dict[str, Any]:
    """Of keys said twice the last counts; what is no number in JSON is nothing."""
    item: dict[str, Any] = json.loads(line, parse_constant=lambda _: None, parse_float=_finite)
    return item


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _is_too_old(item: dict[str, Any], type_: str, received_at: datetime) -> bool:
    happened = _happened(item, received_at)
    return happened is not None and happened < received_at - timedelta(days=COUNTED_DAYS[type_])


def _happened(item: dict[str, Any], received_at: datetime) -> datetime | None:
    """None: at receipt. For events the payload's own moment where the host's clock agrees to an hour; a clock
    over an hour ahead is not believed."""
    logged_at, payload = _moment(item.get("logged_at")), item.get("payload")
    if logged_at is not None and logged_at > received_at + timedelta(hours=1):
        logged_at = None
    own = payload if isinstance(payload, dict) else {}
    if item["type"] != "event":
        return logged_at or _moment(own.get("start_timestamp") or own.get("timestamp"))
    moment = _moment(own.get("timestamp"))
    if logged_at is None or moment is None:
        return logged_at or moment
    is_trusted = moment.year >= 2000 and abs(moment - logged_at) <= timedelta(hours=1)
    return moment if is_trusted else logged_at


def _moment(value: Any) -> datetime | None:
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
    except (ValueError, OverflowError):
        return None
    return None


def _counts(payload: Any) -> int:
    aggregates = payload.get("aggregates") if isinstance(payload, dict) else None
    statuses = ("exited", "errored", "unhandled", "crashed", "abnormal")
    return sum(
        _is_count(each.get(status))
        for each in (aggregates if isinstance(aggregates, list) else ())
        if isinstance(each, dict)
        for status in statuses
    )


def _is_count(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 1 <= value < MOST_SESSIONS + 1

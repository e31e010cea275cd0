"""Titles, exemplars and records of variants whose events were erased."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from errata.clock import utc
from errata.grouping import GroupingRules, Variant, overflow_variant, variant_of
from errata.nil import NIL
from errata.resolution.assignments import write_assignments, write_states
from errata.warehouse import retention, sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.erasures.log import Erasure
from errata.warehouse.queries.erasures.removal import remove_chosen

EVENTS = "errata_raw.error_events"
VARIANTS = "errata_raw.variants"
LOOKS = "errata_raw.variant_sources"
OF_VARIANTS = (VARIANTS, "errata_raw.variant_issues", "errata_raw.variant_assignments", LOOKS)
# Versions of stored assignments count these entries of a project: they hold ids only, and stay.
STRUCTURAL = "action not in ('merge', 'unmerge', 'join', 'follow', 'delete', 'undo')"
ERASED_TITLE = "Erased"
GoesOn = Callable[[], bool]


@dataclass(frozen=True)
class Affected:
    """`gone`: variants without any event; `renamed`: others whose exemplar or title is the subject's."""

    gone: Sequence[int]
    renamed: Sequence[int]


def affected(warehouse: Warehouse, erasure: Erasure, texts: Sequence[str]) -> Affected:
    """What the recorded items, and texts that name a person, are of variants. Asked before and after rows are
    removed, the answer is the same."""
    asked = {"project_id": erasure.project_id, "erasure_id": erasure.erasure_id}
    rows = warehouse.rows(sql.query("variants_to_rename"), {**asked, "texts": list(texts)})
    if not rows:
        return Affected((), ())
    with_events = set(_remaining(warehouse, erasure, [row["variant_hash"] for row in rows]))
    # All events of a variant first seen since then are still in raw, or were erased.
    complete_since = erasure.asked_at - timedelta(days=retention.countable_days(EVENTS))
    gone = {
        row["variant_hash"]
        for row in rows
        if row["variant_hash"] not in with_events and utc(row["first_seen_at"]) >= complete_since
    }
    return Affected(sorted(gone), [row["variant_hash"] for row in rows if row["variant_hash"] not in gone])


def rename(
    warehouse: Warehouse,
    erasure: Erasure,
    texts: Sequence[str],
    rules: GroupingRules,
    goes_on: GoesOn,
) -> None:
    """Replaces the title and exemplar of variants by those of an event that stays; where none is left, by the
    exception's type."""
    chosen = list(erasure.renamed_variants)
    if not chosen:
        return
    # They are read through source maps again, by an event that stays.
    remove_chosen(warehouse, erasure.project_id, LOOKS, "variant_hash", chosen, goes_on)
    asked = {"project_id": erasure.project_id, "variants": chosen}
    events = _remaining(warehouse, erasure, chosen)
    replaced: list[UUID] = []
    rows: list[Row] = []
    for row in warehouse.rows(sql.query("rows_of_variants"), asked):
        fresh = _renamed(row, events.get(row["variant_hash"], ()), texts, rules)
        if fresh["exemplar_id"] != row["exemplar_id"] or fresh["title"] != row["title"]:
            replaced.append(row["exemplar_id"])
            rows.append(fresh)
    if not rows:
        return
    # The new rows first: a variant always has a row. Exemplars name the old ones.
    warehouse.insert_rows(VARIANTS, map(_stored, rows))
    old = sorted(set(replaced) - {row["exemplar_id"] for row in rows}, key=str)
    remove_chosen(
        warehouse,
        erasure.project_id,
        VARIANTS,
        "exemplar_id",
        [str(one) for one in old],
        goes_on,
        type_="UUID",
    )


def drop(warehouse: Warehouse, erasure: Erasure, goes_on: GoesOn) -> None:
    """Removes the records of variants and issues that were erased as a whole: should one occur again, it is
    new."""
    project_id = erasure.project_id
    for table in OF_VARIANTS:
        remove_chosen(warehouse, project_id, table, "variant_hash", erasure.variants, goes_on)
    remove_chosen(
        warehouse,
        project_id,
        "errata_raw.issue_actions",
        "issue_id",
        erasure.issues,
        goes_on,
        condition=STRUCTURAL,
    )
    remove_chosen(warehouse, project_id, "errata_raw.issue_states", "issue_id", erasure.issues, goes_on)
    # What stays in the log about these issues is written through again.
    write_states(warehouse, project_id, erasure.issues)


def without_record(warehouse: Warehouse, erasure: Erasure) -> list[Row]:
    """One event of each variant that has events and no record: some node still knew the variant when its
    record was removed."""
    asked = {
        "project_id": erasure.project_id,
        "variants": [*erasure.variants, *erasure.renamed_variants],
    }
    return warehouse.rows(sql.query("events_of_variants_left"), asked)


def issues_without_variants(warehouse: Warehouse, project_id: int, gone: Sequence[int]) -> list[int]:
    """The issues all of whose variants are these."""
    if not gone:
        return []
    rows = warehouse.rows(
        sql.query("issues_of_gone_variants"), {"project_id": project_id, "variants": list(gone)}
    )
    return [row["issue_id"] for row in rows]


def issues_of(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> list[int]:
    """The issues that these variants count in."""
    asked = {"project_id": project_id, "variants": list(variants)}
    rows = warehouse.rows(sql.query("issues_of_renamed_variants"), asked) if variants else []
    return [row["issue_id"] for row in rows]


def remove_comments(warehouse: Warehouse, project_id: int, texts: Sequence[str], goes_on: GoesOn) -> int:
    """Removes comments that name a person; returns how many."""
    if not texts:
        return 0
    asked = {"project_id": project_id, "texts": list(texts)}
    rows = warehouse.rows(sql.query("comments_naming"), asked)
    if not rows:
        return 0
    actions = [str(row["action_id"]) for row in rows]
    issues = sorted({row["issue_id"] for row in rows})
    remove_chosen(
        warehouse,
        project_id,
        "errata_raw.issue_actions",
        "action_id",
        actions,
        goes_on,
        type_="UUID",
    )
    # A stored state of more entries would win over every later decision.
    remove_chosen(warehouse, project_id, "errata_raw.issue_states", "issue_id", issues, goes_on)
    write_states(warehouse, project_id, issues)
    return len(actions)


def remove_names(warehouse: Warehouse, project_id: int, texts: Sequence[str], goes_on: GoesOn) -> int:
    """Removes names of pages, tags and the like that have a person's text in them; returns how many."""
    if not texts:
        return 0
    asked = {"project_id": project_id, "texts": list(texts)}
    hashes = [row["name_hash"] for row in warehouse.rows(sql.query("names_naming"), asked)]
    # By hash: the engine keeps the text of its last deletions.
    return remove_chosen(warehouse, project_id, "errata_raw.names_seen", "cityHash64(name)", hashes, goes_on)


def assign(warehouse: Warehouse, project_id: int, variants: Sequence[int]) -> None:
    write_assignments(warehouse, [project_id], variants)


def _remaining(warehouse: Warehouse, erasure: Erasure, variants: Sequence[int]) -> dict[int, list[Row]]:
    asked = {
        "project_id": erasure.project_id,
        "variants": list(variants),
    }
    found: dict[int, list[Row]] = {}
    for row in warehouse.rows(sql.query("remaining_events"), asked):
        found.setdefault(row["variant_hash"], []).append(row)
    return found


def _renamed(row: Row, events: Sequence[Row], texts: Sequence[str], rules: GroupingRules) -> Row:
    """The row with the title of an event that stays; one that names nobody erased, if there is any."""
    fresh = []
    for event in events:
        variant = _variant(event["payload"], row["variant_hash"], row["type"], rules)
        if variant is not None:
            of_event = {
                "exemplar_id": event["item_id"],
                "title": variant.title[:500],
                "culprit": variant.culprit[:500],
                "shape": variant.shape.to_json(),
            }
            fresh.append({**row, **of_event})
    if fresh:
        return next((one for one in fresh if not _names(one, texts)), fresh[0])
    emptied = {**row, "exemplar_id": NIL, "title": row["type"] or ERASED_TITLE}
    if _names(emptied, texts):
        emptied |= {"title": ERASED_TITLE, "type": "", "culprit": ""}
        emptied["shape"] = overflow_variant("").shape.to_json()
    return emptied


def _variant(payload: str, variant_hash: int, type_: str, rules: GroupingRules) -> Variant | None:
    """The event's variant, if it is still the one that the event is counted under."""
    found = variant_of(msgspec.json.decode(payload), rules)
    for one in (found, overflow_variant(type_), overflow_variant("")):
        if one.variant_hash == variant_hash:
            return one
    return None


def _names(row: Row, texts: Sequence[str]) -> bool:
    said = "\n".join((row["title"], row["culprit"], row["type"], row["shape"])).lower()
    return any(text.lower() in said for text in texts)


def _stored(row: Row) -> dict[str, Any]:
    values = {name: value for name, value in row.items() if name != "recorded_at"}
    return {**values, **{name: _moment(row[name]) for name in ("first_seen_at", "mapped_at")}}


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}"

"""Reads a project's variants through its source maps, and groups them by their original frames.

Each look takes one event of a variant. What it finds is recorded after everything that follows from it: an
interrupted look is repeated. People's placements stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from api.ingest.values import warehouse_time
from api.regrouping import grouping_in_force
from errata.clock import EPOCH, utc
from errata.grouping import (
    GroupingConfiguration,
    Variant,
    VariantShape,
    fingerprint_of,
    issue_id_of,
    variant_of,
)
from errata.grouping.fingerprint import Fingerprint
from errata.grouping.regrouping import Placement, mapping
from errata.nil import NIL
from errata.resolution.decisions import Authority, Decisions, MappedVariant
from errata.source_maps.lookup import Mapped, map_events
from errata.state import Store
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.source_maps.uploads import ProjectUploads
from errata.warehouse.queries.source_maps.variants import (
    events_to_map,
    issues_of_mapped_variants,
    placements_of_variants,
    variants_to_map,
)

VARIANTS = "errata_raw.variants"
LOOKS = "errata_raw.variant_sources"
# Of a look: some events have megabytes.
VARIANTS_A_BATCH = 20
# Beyond it, an event of another release was looked at when it came, or will be with the next one.
RECEIVED_WITHIN = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Look:
    """A variant's event, and what source maps made of it. `sent_title` is its title in minified frames;
    `variant` None: it stays as it was sent."""

    variant_hash: int
    event_id: UUID = NIL
    release: str = ""
    dist: str = ""
    mapped: Mapped = field(default_factory=Mapped)
    sent_title: str = ""
    variant: Variant | None = None


@dataclass(frozen=True)
class VariantMapping:
    """Of one project."""

    state: Store
    warehouse: Warehouse
    read: Warehouse
    project_id: int

    def map_batch(self) -> int:
        """Looks at the variants that have waited longest; returns how many, 0 when none is left."""
        since = warehouse_now(self.read) - RECEIVED_WITHIN
        waiting = variants_to_map(self.read, self.project_id, since, VARIANTS_A_BATCH)
        if not waiting:
            return 0
        looks = {each: Look(each) for each in waiting}
        configuration = grouping_in_force(self.state, self.project_id)
        for look in self._looks(events_to_map(self.read, self.project_id, waiting), configuration):
            looks[look.variant_hash] = look
        found = {each.variant_hash: each for each in looks.values() if each.variant is not None}
        if found:
            with self.state.locks.assignments(self.project_id):
                self._regroup(found, configuration)
        self.warehouse.insert_rows(LOOKS, [_look_row(self.project_id, look) for look in looks.values()])
        return len(waiting)

    def _looks(self, rows: Sequence[Row], configuration: GroupingConfiguration) -> Iterator[Look]:
        payloads = [msgspec.json.decode(row["payload"]) for row in rows]
        sent_titles = [variant_of(payload).title for payload in payloads]
        found = map_events(payloads, ProjectUploads(self.read, self.project_id))
        for row, payload, sent_title, mapped in zip(rows, payloads, sent_titles, found, strict=True):
            dist = payload.get("dist")
            yield Look(
                row["variant_hash"],
                row["item_id"],
                row["release"],
                dist[:250] if isinstance(dist, str) else "",
                mapped,
                sent_title,
                variant_of(payload, configuration.rules) if mapped.is_whole else None,
            )

    def _regroup(self, looks: Mapping[int, Look], configuration: GroupingConfiguration) -> None:
        rows = placements_of_variants(self.read, self.project_id, list(looks))
        shapes = {row["variant_hash"]: _shape(row, looks[row["variant_hash"]]) for row in rows}
        now = warehouse_now(self.read)
        self.warehouse.insert_rows(
            VARIANTS,
            [
                _variant_row(
                    self.project_id, row, looks[row["variant_hash"]], shapes[row["variant_hash"]], now
                )
                for row in rows
            ],
        )
        fingerprints = {
            variant_hash: fingerprint_of(shape, configuration.version, configuration.rules)
            for variant_hash, shape in shapes.items()
        }
        issues = self._issues(rows, fingerprints, configuration)
        mapped = [
            MappedVariant(
                variant_hash,
                issues[found.fingerprint_hash],
                Authority.PIPELINES,
                configuration.number,
                found.fingerprint_hash,
                configuration.version,
                found.fingerprint,
            )
            for variant_hash, found in fingerprints.items()
        ]
        Decisions(self.warehouse, self.project_id).append(mapped=mapped)

    def _issues(
        self,
        rows: Sequence[Row],
        fingerprints: Mapping[int, Fingerprint],
        configuration: GroupingConfiguration,
    ) -> dict[int, int]:
        """By fingerprint: known original frames keep their issue, others the one their events are in."""
        known = issues_of_mapped_variants(
            self.read, self.project_id, configuration.number, list(fingerprints)
        )
        placements = [
            Placement(
                variant_hash=row["variant_hash"],
                fingerprint_hash=fingerprints[row["variant_hash"]].fingerprint_hash,
                issue_id=row["issue_id"],
                own_issue_id=row["own_issue_id"],
                is_placed=bool(row["is_placed"]),
                event_count=row["event_count"],
                first_seen_ms=(utc(row["first_seen_at"]) - EPOCH) // timedelta(milliseconds=1),
            )
            for row in rows
        ]
        return mapping(
            placements,
            known,
            set(known.values()),
            lambda fingerprint_hash: issue_id_of(self.project_id, fingerprint_hash, configuration.number),
        )


def _shape(row: Row, look: Look) -> VariantShape:
    """Of original frames; what project rules found in the event when it came stays."""
    assert look.variant is not None
    recorded = VariantShape.from_json(row["recorded_shape"] or "{}")
    return structs.replace(look.variant.shape, matched=recorded.matched)


def _variant_row(project_id: int, row: Row, look: Look, shape: VariantShape, now: datetime) -> dict[str, Any]:
    assert look.variant is not None
    # Another event of the variant has other values in its title.
    has_other_title = look.variant.title != look.sent_title
    return {
        "project_id": project_id,
        "variant_hash": row["variant_hash"],
        "first_seen_at": _moment(utc(row["first_seen_at"])),
        "mapped_at": _moment(now),
        "exemplar_id": str(look.event_id),
        "type": look.variant.type[:200],
        "title": look.variant.title[:500] if has_other_title else row["title"],
        "culprit": look.variant.culprit[:500],
        "level": row["level"],
        "platform": row["platform"],
        "shape": shape.to_json(),
    }


def _look_row(project_id: int, look: Look) -> dict[str, Any]:
    missing = {
        (each.script.url, str(each.script.debug_id or NIL)): None
        for each in look.mapped.unmapped
        if each.position is not None
    }
    return {
        "project_id": project_id,
        "variant_hash": look.variant_hash,
        "event_id": str(look.event_id),
        "release": look.release,
        "dist": look.dist,
        "minified_count": look.mapped.frame_count,
        "mapped_count": look.mapped.mapped_count,
        "bundles": sorted(map(str, look.mapped.bundles)),
        "missing.name": [name for name, _ in missing],
        "missing.debug_id": [debug_id for _, debug_id in missing],
    }


def _moment(moment: datetime) -> str:
    return warehouse_time(moment)

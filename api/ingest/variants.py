"""Which variants are known, and the rows that record a new one with the issue it is mapped to."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from api.ingest.event_rows import event_id, stamp
from api.ingest.item import Item, Rows
from errata.grouping import Variant, fingerprint_of, issue_id_of, overflow_variant
from errata.warehouse.client import Warehouse
from errata.warehouse.sql import query

NEW_PER_HOUR = 1_000
KNOWN_MAX = 500_000


@dataclass
class Sighting:
    """The earliest event of a variant in a batch."""

    variant: Variant
    item: Item
    occurred_at: datetime


@dataclass
class VariantRegistry:
    """Thread-safe; remembers what the warehouse has, and asks it about the rest."""

    warehouse: Warehouse
    _known: set[tuple[int, int]] = field(default_factory=set)
    _new_in_hour: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admitted(self, project_id: int, variant: Variant, received_at: datetime) -> Variant:
        """The variant itself, or past the limit of new ones an hour the overflow of its exception type."""
        key = (project_id, variant.variant_hash)
        if key in self._known:
            return variant
        hour = (project_id, int(received_at.timestamp()) // 3600)
        with self._lock:
            if self._new_in_hour[hour] < NEW_PER_HOUR:
                return variant
        return variant if self._stored({key}) else overflow_variant(variant.type)

    def rows_of_new(
        self, sightings: Iterable[Sighting], received_at: datetime
    ) -> tuple[Rows, set[tuple[int, int]]]:
        """Rows for the variants the warehouse does not have yet, and their keys for `remember`."""
        unknown = {
            key: sighting
            for sighting in sightings
            if (key := (sighting.item.project_id, sighting.variant.variant_hash)) not in self._known
        }
        stored = self._stored(set(unknown))
        self.remember(stored)
        new = {key: sighting for key, sighting in unknown.items() if key not in stored}
        if not new:
            return {}, set()
        with self._lock:
            for project_id, _ in new:
                self._new_in_hour[project_id, int(received_at.timestamp()) // 3600] += 1
        return {
            "errata_raw.variants": [_variant_row(sighting) for sighting in new.values()],
            "errata_raw.variant_issues": [_mapping_row(sighting) for sighting in new.values()],
        }, set(new)

    def remember(self, keys: set[tuple[int, int]]) -> None:
        """Called once the rows are stored: a variant forgotten by a failed insert is recorded again."""
        with self._lock:
            if len(self._known) > KNOWN_MAX:
                self._known.clear()
            self._known |= keys

    def _stored(self, keys: set[tuple[int, int]]) -> set[tuple[int, int]]:
        if not keys:
            return set()
        found = self.warehouse.rows(
            query("known_variants"),
            {
                "project_ids": sorted({project_id for project_id, _ in keys}),
                "variant_hashes": [variant_hash for _, variant_hash in keys],
            },
        )
        return {(row["project_id"], row["variant_hash"]) for row in found} & keys


def _variant_row(sighting: Sighting) -> dict[str, Any]:
    variant, item = sighting.variant, sighting.item
    return {
        "project_id": item.project_id,
        "variant_hash": variant.variant_hash,
        "first_seen_at": stamp(sighting.occurred_at),
        "exemplar_id": str(event_id(item)),
        "type": variant.type[:200],
        "title": variant.title[:500],
        "culprit": variant.culprit[:500],
        "level": str(item.payload.get("level") or "error")[:32],
        "platform": str(item.payload.get("platform") or "")[:64],
        "shape": variant.shape.to_json(),
    }


def _mapping_row(sighting: Sighting) -> dict[str, Any]:
    fingerprint = fingerprint_of(sighting.variant.shape)
    project_id = sighting.item.project_id
    return {
        "project_id": project_id,
        "variant_hash": sighting.variant.variant_hash,
        "issue_id": issue_id_of(project_id, fingerprint.fingerprint_hash),
        "authority": 0,
        "fingerprint_hash": fingerprint.fingerprint_hash,
        "fingerprint_version": fingerprint.fingerprint_version,
        "fingerprint": list(fingerprint.fingerprint),
        "explanation": json.dumps(fingerprint.explanation, ensure_ascii=False),
    }

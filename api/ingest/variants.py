"""Known variants, and the rows that record a new one with its issue."""

import json
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from api.ingest.item import Rows
from api.rate_limit import RateLimit
from errata.errors import RateLimited
from errata.grouping import (
    ConfigurationOf,
    Fingerprint,
    GroupingConfiguration,
    Variant,
    VariantShape,
    fingerprint_of,
    issue_id_of,
    overflow_variant,
    standard,
)
from errata.resolution.assignments import write_assignments
from errata.resolution.decisions import MAPPINGS, Authority, MappedVariant
from errata.state.token_buckets import Limit
from errata.warehouse.client import Warehouse
from errata.warehouse.sql import query

NEW_VARIANTS = Limit("new_variants", 1_000, 3_600)
# What a node takes of them ahead.
SHARE = 20
# A sender that invents exception types would make an overflow variant for each.
OVERFLOWS_PER_HOUR = 100
KNOWN_MAX = 500_000


@dataclass(frozen=True, slots=True)
class Sighting:
    """The earliest event of a variant in a batch, as its row."""

    variant: Variant
    row: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A fingerprint, and the project's configuration that made it."""

    fingerprint: Fingerprint
    configuration: int


Key = tuple[int, int]
"""Project id and variant hash."""


@dataclass
class VariantRegistry:
    """The variants of all projects. Thread-safe; caches the warehouse's, and asks it about others. `rate`
    limits new ones by project; None: no limit."""

    warehouse: Warehouse
    configuration_of: ConfigurationOf = standard
    rate: RateLimit | None = None
    _known: set[Key] = field(default_factory=set)
    _admitted: set[Key] = field(default_factory=set)
    _overflow_types: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def learn(self, keys: set[Key]) -> None:
        """Asks the warehouse which of these it has."""
        unknown = keys - self._known - self._admitted
        if not unknown:
            return
        found = self.warehouse.rows(
            query("known_variants"),
            {
                "projects": sorted({project_id for project_id, _ in unknown}),
                "variant_hashes": [variant_hash for _, variant_hash in unknown],
            },
        )
        self.remember({(row["project_id"], row["variant_hash"]) for row in found} & unknown)

    def admitted(self, project_id: int, variant: Variant, received_at: datetime) -> Variant:
        """The variant itself, or the overflow of its exception type if the limit of new ones is reached."""
        key = (project_id, variant.variant_hash)
        with self._lock:
            if key in self._known or key in self._admitted:
                return variant
        try:
            if self.rate is not None:
                self.rate.take(str(project_id))
        except RateLimited:
            return self._overflow((project_id, int(received_at.timestamp()) // 3600), variant.type)
        with self._lock:
            self._admitted.add(key)
        return variant

    def _overflow(self, hour: tuple[int, int], type_: str) -> Variant:
        with self._lock:
            types = self._overflow_types.setdefault(hour, set())
            if len(types) < OVERFLOWS_PER_HOUR:
                types.add(type_)
            return overflow_variant(type_ if type_ in types else "")

    def rows_of_new(self, sightings: Iterable[Sighting]) -> tuple[Rows, set[Key]]:
        """Rows for the variants the warehouse does not have yet, and their keys for `remember`."""
        found = {(one.row["project_id"], one.variant.variant_hash): one for one in sightings}
        # Overflow variants are not those that the events came with, which were learned.
        self.learn(set(found))
        new = {key: sighting for key, sighting in found.items() if key not in self._known}
        if not new:
            return {}, set()
        fingerprints = {
            key: _mapped(sighting.variant.shape, self.configuration_of(key[0]))
            for key, sighting in new.items()
        }
        issues = self._issues([(key[0], mapped) for key, mapped in fingerprints.items()])
        return {
            "errata_raw.variants": [_variant_row(sighting) for sighting in new.values()],
            MAPPINGS: [
                mapping_row(project_id, variant_hash, found, issues)
                for (project_id, variant_hash), found in fingerprints.items()
            ],
        }, set(new)

    def _issues(self, found: Collection[tuple[int, Mapped]]) -> dict[tuple[int, int, int], int]:
        """Issues by project, configuration and fingerprint: those of variants seen before."""
        rows = self.warehouse.rows(
            query("issues_of_fingerprints"),
            {
                "projects": sorted({project_id for project_id, _ in found}),
                "fingerprint_hashes": sorted({mapped.fingerprint.fingerprint_hash for _, mapped in found}),
            },
        )
        return {
            (row["project_id"], row["configuration"], row["fingerprint_hash"]): row["issue_id"]
            for row in rows
        }

    def assign(self, keys: Collection[Key]) -> None:
        """Assigns issues after their rows are stored; a variant without an issue is recorded again."""
        projects = {project_id for project_id, _ in keys}
        write_assignments(self.warehouse, projects, {variant_hash for _, variant_hash in keys})

    def remember(self, keys: set[Key]) -> None:
        """Marks variants as stored, after their insert; a variant of a failed insert is recorded again."""
        with self._lock:
            if len(self._known) > KNOWN_MAX:
                self._known.clear()
            self._known |= keys
            self._admitted -= keys

    def forget(self, project_id: int) -> None:
        """Variants of the project may have been erased: the warehouse is asked about them again."""
        with self._lock:
            self._known = {key for key in self._known if key[0] != project_id}


def _variant_row(sighting: Sighting) -> dict[str, Any]:
    variant, row = sighting.variant, sighting.row
    return {
        "project_id": row["project_id"],
        "variant_hash": variant.variant_hash,
        "first_seen_at": row["occurred_at"],
        "exemplar_id": row["item_id"],
        "type": variant.type[:200],
        "title": variant.title[:500],
        "culprit": variant.culprit[:500],
        "level": row["level"],
        "platform": row["platform"],
        "shape": variant.shape.to_json(),
    }


def _mapped(shape: VariantShape, configuration: GroupingConfiguration) -> Mapped:
    return Mapped(fingerprint_of(shape, configuration.version, configuration.rules), configuration.number)


def mapping_row(
    project_id: int, variant_hash: int, mapped: Mapped, issues: Mapping[tuple[int, int, int], int]
) -> dict[str, Any]:
    fingerprint, number = mapped.fingerprint, mapped.configuration
    first = issue_id_of(project_id, fingerprint.fingerprint_hash, number)
    return MappedVariant(
        variant_hash,
        issues.get((project_id, number, fingerprint.fingerprint_hash), first),
        Authority.INGEST,
        number,
        fingerprint.fingerprint_hash,
        fingerprint.fingerprint_version,
        fingerprint.fingerprint,
        # Other writers leave it to be computed from the shape: stored, it would be most of the table.
        json.dumps(fingerprint.explanation, ensure_ascii=False),
    ).row(project_id)

"""What another configuration of grouping would make of a project's variants."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from errata.grouping import GroupingConfiguration, VariantShape, fingerprint_of, issue_id_of
from errata.grouping.regrouping import Outcome, Placement, mapping, outcome
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.membership import decided_merges

# Shapes come along: some of them have 20 KB.
VARIANTS_A_STRETCH = 5_000


@dataclass(frozen=True, slots=True)
class Look:
    """What people know a variant by."""

    title: str
    culprit: str


@dataclass
class Regrouping:
    """Every variant of a project, as a configuration maps it. `unmapped` have no row of it yet."""

    configuration: GroupingConfiguration
    placements: list[Placement]
    looks: dict[int, Look]
    issue_of_fingerprint: dict[int, int]
    outcome: Outcome
    unmapped: set[int] = field(default_factory=set)
    fingerprints: dict[int, tuple[str, ...]] = field(default_factory=dict)


def regrouped(warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration) -> Regrouping:
    placements: list[Placement] = []
    looks: dict[int, Look] = {}
    known: dict[int, int] = {}
    used: set[int] = set()
    unmapped: set[int] = set()
    fingerprints: dict[int, tuple[str, ...]] = {}
    for row in _rows(warehouse, project_id, configuration.number):
        fingerprint_hash = row["mapped_fingerprint"]
        if row["mapped_to"]:
            known[fingerprint_hash] = row["mapped_to"]
            used.add(row["mapped_to"])
        else:
            shape = VariantShape.from_json(row["shape"] or "{}")
            made = fingerprint_of(shape, configuration.version, configuration.rules)
            fingerprint_hash = made.fingerprint_hash
            fingerprints[fingerprint_hash] = made.fingerprint
            unmapped.add(row["variant_hash"])
        placements.append(_placement(row, fingerprint_hash))
        looks[row["variant_hash"]] = Look(row["title"], row["culprit"])

    def fresh(fingerprint_hash: int) -> int:
        return issue_id_of(project_id, fingerprint_hash, configuration.number)

    issues = mapping(placements, known, used, fresh)
    whole = decided_merges(warehouse, project_id).whole
    changes = outcome(placements, issues, whole)
    return Regrouping(configuration, placements, looks, issues, changes, unmapped, fingerprints)


def _placement(row: Row, fingerprint_hash: int) -> Placement:
    return Placement(
        variant_hash=row["variant_hash"],
        fingerprint_hash=fingerprint_hash,
        issue_id=row["issue_id"],
        own_issue_id=row["own_issue_id"],
        is_placed=bool(row["is_placed"]),
        event_count=row["event_count"],
        first_seen_ms=row["first_seen_ms"],
    )


def _rows(warehouse: Warehouse, project_id: int, configuration: int) -> Iterator[Row]:
    after = 0
    while True:
        rows = warehouse.rows(
            sql.query("placements_of_project"),
            {
                "project_id": project_id,
                "configuration": configuration,
                "after": after,
                "limit": VARIANTS_A_STRETCH,
            },
        )
        yield from rows
        if len(rows) < VARIANTS_A_STRETCH:
            return
        after = rows[-1]["variant_hash"]

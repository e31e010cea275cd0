"""What another configuration of grouping would make of a project's variants.

What the pipelines proposed is taken from them, the rest is computed: the answer is the same, only sooner.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from errata.grouping import GroupingConfiguration, VariantShape, fingerprint_of, issue_id_of
from errata.grouping.regrouping import Outcome, Placement, mapping, outcome
from errata.grouping.shape import top_frames
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.membership import decided_merges

VARIANTS_A_STRETCH = 200_000
# Some have 20 KB; and the warehouse takes 128 KiB in one parameter.
SHAPES_A_STRETCH = 5_000
TOP_FRAMES = 3
PLACEMENTS = "placements_of_project"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fingerprint a variant would have; `fingerprint` says it in words."""

    fingerprint_hash: int
    fingerprint: Sequence[str]


@dataclass(frozen=True, slots=True)
class Look:
    """What people know a variant by; of its frames the innermost first."""

    title: str
    culprit: str
    frames: Sequence[str]


@dataclass
class Regrouping:
    """Every variant of a project, as a configuration maps it. `unmapped` have no row of it yet."""

    configuration: GroupingConfiguration
    placements: list[Placement]
    issue_of_fingerprint: dict[int, int]
    outcome: Outcome
    unmapped: set[int] = field(default_factory=set)
    fingerprints: dict[int, Sequence[str]] = field(default_factory=dict)


def regrouped(warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration) -> Regrouping:
    rows = list(_stretches(warehouse, PLACEMENTS, project_id))
    mapped = {
        row["variant_hash"]: row
        for row in _stretches(
            warehouse, "mappings_of_configuration", project_id, configuration=configuration.number
        )
    }
    unmapped = {row["variant_hash"] for row in rows} - mapped.keys()
    proposals = _proposals(warehouse, project_id, configuration, unmapped)
    events = {
        row["variant_hash"]: row["event_count"]
        for row in _stretches(warehouse, "totals_as_of_build", project_id)
    }
    placements = [
        Placement(
            variant_hash=row["variant_hash"],
            fingerprint_hash=mapped[row["variant_hash"]]["fingerprint_hash"]
            if row["variant_hash"] in mapped
            else proposals[row["variant_hash"]].fingerprint_hash,
            issue_id=row["issue_id"],
            own_issue_id=row["own_issue_id"],
            is_placed=bool(row["is_placed"]),
            event_count=events.get(row["variant_hash"], 0),
            first_seen_ms=row["first_seen_ms"],
        )
        for row in rows
    ]
    known = {row["fingerprint_hash"]: row["issue_id"] for row in mapped.values()}
    issues = mapping(
        placements,
        known,
        set(known.values()),
        lambda fingerprint_hash: issue_id_of(project_id, fingerprint_hash, configuration.number),
    )
    changes = outcome(placements, issues, decided_merges(warehouse, project_id).root)
    fingerprints = {each.fingerprint_hash: each.fingerprint for each in proposals.values()}
    return Regrouping(configuration, placements, issues, changes, unmapped, fingerprints)


def _proposals(
    warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration, variants: Collection[int]
) -> dict[int, Proposal]:
    if not variants:
        return {}
    found = proposed(warehouse, project_id, configuration)
    found |= dict(computed(warehouse, project_id, configuration, variants - found.keys()))
    return found


def proposed(
    warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration
) -> dict[int, Proposal]:
    """By variant, as far as the pipelines came with it."""
    rules_hash = configuration.rules_hash
    return {
        row["variant_hash"]: Proposal(row["fingerprint_hash"], row["fingerprint"])
        for row in _stretches(warehouse, "proposals_of_rules", project_id, rules_hash=rules_hash)
    }


def unproposed(warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration) -> set[int]:
    every = {row["variant_hash"] for row in _stretches(warehouse, PLACEMENTS, project_id)}
    return every - proposed(warehouse, project_id, configuration).keys()


def computed(
    warehouse: Warehouse, project_id: int, configuration: GroupingConfiguration, variants: Collection[int]
) -> Iterator[tuple[int, Proposal]]:
    for row in shapes_of(warehouse, project_id, variants):
        shape = VariantShape.from_json(row["shape"] or "{}")
        made = fingerprint_of(shape, configuration.version, configuration.rules)
        yield row["variant_hash"], Proposal(made.fingerprint_hash, made.fingerprint)


def looks_of(warehouse: Warehouse, project_id: int, variants: Collection[int]) -> dict[int, Look]:
    return {
        row["variant_hash"]: Look(
            row["title"], row["culprit"], top_frames(VariantShape.from_json(row["shape"] or "{}"), TOP_FRAMES)
        )
        for row in shapes_of(warehouse, project_id, variants)
    }


def shapes_of(warehouse: Warehouse, project_id: int, variants: Collection[int]) -> Iterator[Row]:
    """With title and culprit. One of a variant that is mapped but was never recorded is empty."""
    ordered = sorted(variants)
    for start in range(0, len(ordered), SHAPES_A_STRETCH):
        stretch = ordered[start : start + SHAPES_A_STRETCH]
        rows = warehouse.rows(
            sql.query("shapes_of_variants"), {"project_id": project_id, "variant_hashes": stretch}
        )
        yield from rows
        for variant_hash in set(stretch).difference(row["variant_hash"] for row in rows):
            yield {"variant_hash": variant_hash, "shape": "", "title": "", "culprit": ""}


def _stretches(warehouse: Warehouse, question: str, project_id: int, **parameters: int) -> Iterator[Row]:
    after = 0
    while True:
        rows = warehouse.rows(
            sql.query(question),
            {"project_id": project_id, "after": after, "limit": VARIANTS_A_STRETCH, **parameters},
        )
        yield from rows
        if len(rows) < VARIANTS_A_STRETCH:
            return
        after = rows[-1]["variant_hash"]

"""The variants and issues that belong together, and who decided so."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from errata.grouping.merges import Merges
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse


@dataclass(frozen=True)
class Member:
    """A variant of an issue. `own_issue_id` is its issue if merges are taken back."""

    variant_hash: int
    issue_id: int
    own_issue_id: int
    is_placed: bool


@dataclass(frozen=True)
class Decided:
    """Decisions about the issues of a project so far. `roots` has the recorded end of each chain of merges;
    `by_people`: issues that a person merged or took out of another, which pipelines leave alone; `joined`:
    issues that pipelines merged."""

    merges: Merges
    roots: dict[int, int]
    by_people: frozenset[int]
    joined: frozenset[int]

    def root(self, issue_id: int) -> int:
        return self.merges.root(issue_id)


def decided_merges(warehouse: Warehouse, project_id: int, without: Iterable[UUID] = ()) -> Decided:
    """The decisions, as if the actions `without` had been taken back."""
    parameters = {"project_id": project_id, "without": list(without)}
    rows = warehouse.rows(sql.query("merges_of_project"), parameters)
    return Decided(
        merges=Merges({row["issue_id"]: row["parent"] for row in rows}),
        roots={row["issue_id"]: row["root"] for row in rows if row["root"]},
        by_people=frozenset(row["issue_id"] for row in rows if row["is_decided"]),
        joined=frozenset(row["issue_id"] for row in rows if row["is_joined"]),
    )


def members_of(warehouse: Warehouse, project_id: int, issue_ids: Iterable[int]) -> list[Member]:
    """Members of merged issues, including those of the issues merged into them."""
    rows = warehouse.rows(
        sql.query("variants_of_issues"), {"project_id": project_id, "issue_ids": sorted(set(issue_ids))}
    )
    return [Member(**row) for row in rows]


def differences(warehouse: Warehouse, project_id: int) -> Sequence[tuple[int, int]]:
    """Pairs of issues that people told apart."""
    rows = warehouse.rows(sql.query("differences_of_project"), {"project_id": project_id})
    return [(row["left_issue_id"], row["right_issue_id"]) for row in rows]


def told_apart(pairs: Iterable[tuple[int, int]], decided: Decided) -> set[frozenset[int]]:
    """Pairs of merged issues that hold a pair told apart; a pair merged since has no effect."""
    wholes = ((decided.root(left), decided.root(right)) for left, right in pairs)
    return {frozenset(pair) for pair in wholes if pair[0] != pair[1]}


def issues_of_variants(warehouse: Warehouse, project_id: int, variants: Collection[int]) -> dict[int, int]:
    """The issue of each variant that is in one."""
    rows = assignments_of_variants(warehouse, project_id, variants)
    return {row["variant_hash"]: row["issue_id"] for row in rows}


def assignments_of_variants(warehouse: Warehouse, project_id: int, variants: Collection[int]) -> list[Row]:
    """variant_hash, issue_id and is_merged of each variant that is in an issue."""
    if not variants:
        return []
    scope = {"project_id": project_id, "variants": sorted(variants)}
    return warehouse.rows(sql.query("issues_of_variants"), scope)


def placed_by(warehouse: Warehouse, project_id: int, batch_id: UUID) -> list[int]:
    """The variants that a merge placed, and nobody moved since."""
    parameters = {"project_id": project_id, "batch_id": batch_id.hex}
    return [row["variant_hash"] for row in warehouse.rows(sql.query("placements_of_batch"), parameters)]


def is_decided_since(warehouse: Warehouse, project_id: int, batch_id: UUID, issue_ids: Iterable[int]) -> bool:
    parameters = {"project_id": project_id, "batch_id": batch_id, "issue_ids": sorted(set(issue_ids))}
    return bool(warehouse.rows(sql.query("decisions_since_batch"), parameters)[0]["decision_count"])

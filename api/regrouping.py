"""Applies another grouping configuration to a project's history, and rolls back to an earlier one.

The mapping of each configuration is stored separately; one row switches from one to the next, so that no
reader ever sees half of it. Records under earlier configurations stay, and hold again exactly after a
rollback.
"""

from dataclasses import dataclass

from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.resolution.assignments import write_assignments_of_projects
from errata.resolution.decisions import Authority, Decisions, MappedVariant
from errata.state import Store
from errata.state.grouping import NumberedConfiguration
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.issues.regrouping import Regrouping, regrouped

SWITCHES = "errata_raw.grouping_switches"
DRAFTS = "errata_raw.grouping_drafts"


@dataclass(frozen=True)
class Regroupings:
    """Regroupings of one project."""

    state: Store
    warehouse: Warehouse
    read: Warehouse
    organization_id: int
    slug: str
    project_id: int

    def preview(self, number: int) -> Regrouping:
        """The effect of a configuration, without any visible change."""
        self.complete()
        chosen = self.state.grouping.get(self.project_id, number)
        return regrouped(self.read, self.project_id, _grouping(chosen))

    def apply(self, number: int, actor: str) -> Regrouping:
        """Applies a configuration to all of history and to new events at once; an earlier number rolls back
        to it."""
        with self.state.locks.assignments(self.project_id):
            self._complete()
            chosen = self.state.grouping.get(self.project_id, number)
            applied = self._map(_grouping(chosen))
            # Ingest goes first: its mappings by the new rules from now on are part of both configurations.
            self.state.grouping.activate(
                self.organization_id, self.slug, self.project_id, number, actor=actor
            )
            self._complete(actor)
            return applied

    def complete(self) -> None:
        """Completes an interrupted switch, and maps variants received during one."""
        with self.state.locks.assignments(self.project_id):
            self._complete()

    def complete_if_needed(self) -> None:
        """Completes an interrupted switch, if there is one; callers do not wait otherwise."""
        active = self.state.grouping.active(self.project_id)
        found = self._incomplete(active.number)
        if found["unmapped_count"] or found["in_force"] != active.number:
            self.complete()

    def _incomplete(self, number: int) -> Row:
        parameters = {"project_id": self.project_id, "configuration": number}
        return self.read.rows(sql.query("unsettled_grouping"), parameters)[0]

    def _complete(self, actor: str = "") -> None:
        active = self.state.grouping.active(self.project_id)
        found = self._incomplete(active.number)
        if found["unmapped_count"]:
            self._map(_grouping(active))
        if found["in_force"] != active.number:
            row = {
                "project_id": self.project_id,
                "configuration": active.number,
                "actor": actor or active.applied_by,
            }
            self.warehouse.insert_rows(SWITCHES, [row])
            write_assignments_of_projects(self.warehouse, [self.project_id])

    def _map(self, configuration: GroupingConfiguration) -> Regrouping:
        """Records the mapping of every variant that has none under this configuration, in one insert."""
        found = regrouped(self.read, self.project_id, configuration)
        mapped = [
            MappedVariant(
                placement.variant_hash,
                found.issue_of_fingerprint[placement.fingerprint_hash],
                Authority.PIPELINES,
                configuration.number,
                placement.fingerprint_hash,
                configuration.version,
                found.fingerprints.get(placement.fingerprint_hash, ()),
            )
            for placement in found.placements
            if placement.variant_hash in found.unmapped
        ]
        Decisions(self.warehouse, self.project_id).append(mapped=mapped)
        return found


def announce_draft(warehouse: Warehouse, project_id: int, draft: NumberedConfiguration | None) -> None:
    """Announces a draft to the pipelines for a proposal; None: the previous draft was dropped."""
    row = {
        "project_id": project_id,
        "configuration": draft.number if draft else 0,
        "fingerprint_version": draft.version if draft else 0,
        "rules": draft.rules if draft else "",
        "actor": draft.created_by if draft else "",
    }
    warehouse.insert_rows(DRAFTS, [row])


def grouping_in_force(state: Store, project_id: int) -> GroupingConfiguration:
    return _grouping(state.grouping.active(project_id))


def _grouping(chosen: NumberedConfiguration) -> GroupingConfiguration:
    return grouping(chosen.version, chosen.rules, chosen.number)

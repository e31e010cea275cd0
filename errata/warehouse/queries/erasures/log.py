"""The log of erasures: who asked for what, and how far each is. It never holds erased content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from errata.clock import utc
from errata.nil import NIL
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.typed_rows import typed

TABLE = "errata_raw.erasures"


class Kind(StrEnum):
    EVENT = "event"
    ISSUE = "issue"
    PERSON = "person"
    REPLAY = "replay"
    REPLAYS = "replays"
    """Those of a time."""
    PROJECT = "project"


class Step(StrEnum):
    """The steps of the API. Marts are rebuilt, and files checked, by the pipelines."""

    ASKED = "asked"
    COLLECTED = "collected"
    """The ids are known, so that copies are refused from now on."""
    ROWS_REMOVED = "rows_removed"
    SETTLED = "settled"
    """Titles that ingest nodes still knew are right, too."""
    FAILED = "failed"
    """Tried again until it succeeds."""


@dataclass(frozen=True)
class Erasure:
    """An erasure as of its latest step. `subject`: the id of the event, issue or replay, of replays the
    time, of a person a keyed hash, of a project its slug."""

    project_id: int
    erasure_id: UUID
    kind: Kind
    subject: str
    asked_by: str
    asked_at: datetime
    sealed_id: str = ""
    is_deleted: bool = False
    state: Step = Step.ASKED
    row_counts: Mapping[str, int] = field(default_factory=dict)
    issues: Sequence[int] = ()
    variants: Sequence[int] = ()
    renamed_variants: Sequence[int] = ()
    replaced_counts: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    recorded_at: datetime | None = None
    steps: Sequence[tuple[datetime, Step]] = ()

    def at(self, step: Step) -> datetime | None:
        """When it took a step first; None: not yet."""
        return next((moment for moment, taken in self.steps if taken is step), None)

    @property
    def reached(self) -> Step:
        """The last step that succeeded."""
        return next((taken for _, taken in reversed(self.steps) if taken is not Step.FAILED), Step.ASKED)


def record(warehouse: Warehouse, erasure: Erasure, state: Step, reason: str = "") -> Erasure:
    """Appends a step. Repeated steps change nothing."""
    taken = replace(erasure, state=state, reason=reason)
    row = {
        "project_id": taken.project_id,
        "erasure_id": taken.erasure_id,
        "state": taken.state.value,
        "kind": taken.kind.value,
        "subject": taken.subject,
        "sealed_id": taken.sealed_id,
        "asked_by": taken.asked_by,
        "asked_at": f"{taken.asked_at:%Y-%m-%d %H:%M:%S}.{taken.asked_at.microsecond // 1000:03}",
        "is_deleted": taken.is_deleted,
        "row_counts": sorted(taken.row_counts.items()),
        "issues": list(taken.issues),
        "variants": list(taken.variants),
        "renamed_variants": list(taken.renamed_variants),
        "replaced_counts": sorted(taken.replaced_counts.items()),
        "reason": taken.reason,
    }
    warehouse.insert_rows(TABLE, [row])
    return taken


def erasures(warehouse: Warehouse, projects: Sequence[int] = (), erasure_id: UUID = NIL) -> list[Erasure]:
    """The erasures of these projects (none: of all), the last one first."""
    asked = {"projects": list(projects), "erasure_id": erasure_id}
    return [_erasure(row) for row in warehouse.rows(sql.query("erasure_steps"), asked)]


def unfinished(warehouse: Warehouse) -> list[tuple[int, UUID]]:
    """Erasures that the API has not finished, as project and erasure, the oldest first."""
    question = sql.query("erasures_to_go_on")
    rows = [row for shard in warehouse.there() for row in shard.rows(question)]
    return [(row["project_id"], row["erasure_id"]) for row in rows]


@dataclass(frozen=True)
class RebuiltMart:
    mart: str
    """Empty: no file holds erased rows any more."""
    at: datetime
    window_count: int
    set_aside_count: int
    """Windows set aside that it waits for."""


def rebuilt_marts(read: Warehouse, erasure_ids: Sequence[UUID]) -> dict[UUID, list[RebuiltMart]]:
    found: dict[UUID, list[RebuiltMart]] = {}
    asked = {"erasures": list(erasure_ids)}
    for row in (row for shard in read.shards() for row in shard.rows(sql.query("marts_of_erasures"), asked)):
        rebuilt = RebuiltMart(
            row["mart"], utc(row["recorded_at"]), row["window_count"], row["set_aside_count"]
        )
        found.setdefault(row["erasure_id"], []).append(rebuilt)
    return found


def _erasure(row: Row) -> Erasure:
    return typed(Erasure, row, steps=tuple((utc(moment), Step(state)) for moment, state in row["steps"]))

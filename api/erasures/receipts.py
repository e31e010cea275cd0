"""Receipts of erasures: what was removed, and how far it is."""

from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from api.parameters import Moment
from api.shown import Shown, UuidText
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures.log import (
    Erasure,
    RebuiltMart,
    Step,
    erasures,
    rebuilt_marts,
)

State = Literal[
    "asked", "collected", "rows_removed", "waiting_for_windows", "marts_rebuilt", "verified", "failed"
]


class TableRows(BaseModel):
    table: str
    row_count: int


class RebuiltMartShown(Shown):
    mart: str
    at: Moment
    window_count: int = Field(description="Hours, days or weeks recomputed.")
    set_aside_count: int = Field(
        description="Failed windows that the erasure waits for; they keep their rows until they are built."
    )


class ReplacedTexts(BaseModel):
    place: str = Field(description="Such as `notifications` or `comments`.")
    count: int


class ErasureShown(Shown):
    id: UuidText = Field(validation_alias="erasure_id", description="32 hexadecimal digits.")
    kind: Literal["event", "issue", "person", "replay", "replays", "project"]
    subject: str = Field(
        description=(
            "Event, issue or replay ID, project slug, or time range of replays; for a person, a keyed hash."
        )
    )
    asked_by: str
    asked_at: Moment = Field(description="Data received before this time is erased.")
    state: State = Field(
        description="`collected`: copies are refused. `rows_removed`: raw rows are gone. "
        "`waiting_for_windows`: windows that failed to build keep erased rows until they are built. "
        "`marts_rebuilt`: figures are recomputed. `verified`: no file of the warehouse contains the rows. "
        "`failed`: the "
        "last step failed and is retried."
    )
    reason: str = Field(description="Code of the last failure; empty: none.")
    rows_removed_at: Moment | None
    verified_at: Moment | None = Field(
        description="New backup directories started later don't contain the data."
    )
    row_count: int
    tables: list[TableRows]
    issue_count: int = Field(description="Issues removed as a whole.")
    exemplar_count: int = Field(description="Issue titles and exemplars taken from another event.")
    replaced: list[ReplacedTexts] = Field(description="Texts removed outside of raw rows.")
    marts: list[RebuiltMartShown]


def receipts(read: Warehouse, project_id: int) -> list[ErasureShown]:
    found = erasures(read, [project_id])
    marts = rebuilt_marts(read, [one.erasure_id for one in found]) if found else {}
    return [shown(one, marts.get(one.erasure_id, ())) for one in found]


def shown(erasure: Erasure, marts: Sequence[RebuiltMart]) -> ErasureShown:
    ended = {one.mart: one for one in marts}
    verified = ended.pop("", None)
    return ErasureShown.of(
        erasure,
        state=_state(erasure, ended.values(), verified is not None),
        rows_removed_at=erasure.at(Step.ROWS_REMOVED),
        verified_at=verified.at if verified else None,
        row_count=sum(erasure.row_counts.values()),
        tables=[TableRows(table=table, row_count=count) for table, count in erasure.row_counts.items()],
        issue_count=len(erasure.issues),
        exemplar_count=len(erasure.renamed_variants),
        replaced=[
            ReplacedTexts(place=place, count=count) for place, count in erasure.replaced_counts.items()
        ],
        marts=list(ended.values()),
    )


def _state(erasure: Erasure, rebuilt: Collection[RebuiltMart], is_verified: bool) -> State:
    if is_verified:
        return "verified"
    if erasure.state is Step.FAILED:
        return "failed"
    if erasure.state is Step.SETTLED:
        if any(one.set_aside_count for one in rebuilt):
            return "waiting_for_windows"
        return "marts_rebuilt" if rebuilt else "rows_removed"
    states: dict[Step, State] = {
        Step.ASKED: "asked",
        Step.COLLECTED: "collected",
        Step.ROWS_REMOVED: "rows_removed",
    }
    return states[erasure.state]

"""The effect of a regrouping, with examples, for pages and the API."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import Field

from api.shown import IssueIdText, Shown
from errata.grouping.regrouping import Change
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.regrouping import Look, Regrouping, looks_of

EXAMPLES = 20
PIECES_AN_EXAMPLE = 8


class PieceShown(Shown):
    issue_id: IssueIdText
    title: str
    culprit: str
    frames: list[str] = Field(description="Top stack frames of its most frequent variant, innermost first.")
    variant_count: int
    event_count: int


class ChangeShown(Shown):
    issue_id: IssueIdText
    title: str
    culprit: str
    event_count: int = Field(description="As of the last build.")
    others: list[PieceShown] = Field(
        description="For a split, the resulting issues; for a join, the joined issues."
    )
    other_count: int


class RegroupingShown(Shown):
    number: int
    issue_count_before: int
    issue_count_after: int
    split_count: int = Field(description="Issues that would be split.")
    join_count: int = Field(description="Issues that would be joined from others.")
    variant_count: int
    moved_variant_count: int = Field(
        validation_alias="moved_count", description="Variants that would move to another issue."
    )
    placed_variant_count: int = Field(
        validation_alias="placed_count", description="Manually placed variants, which don't move."
    )
    splits: list[ChangeShown] = Field(description=f"The {EXAMPLES} with the most events.")
    joins: list[ChangeShown] = Field(description=f"The {EXAMPLES} with the most events.")


def regrouping_shown(found: Regrouping, warehouse: Warehouse, project_id: int) -> RegroupingShown:
    outcome = found.outcome
    splits = [_Example.of(found, change) for change in outcome.splits[:EXAMPLES]]
    joins = [_Example.of(found, change) for change in outcome.joins[:EXAMPLES]]
    looks = looks_of(warehouse, project_id, {each for example in (*splits, *joins) for each in example.faces})
    return RegroupingShown.of(
        outcome,
        number=found.configuration.number,
        split_count=len(outcome.splits),
        join_count=len(outcome.joins),
        variant_count=len(found.placements),
        splits=[example.shown(looks) for example in splits],
        joins=[example.shown(looks) for example in joins],
    )


@dataclass(frozen=True)
class _Piece:
    """`face` is its most frequent variant, which represents it."""

    issue_id: int
    face: int
    variant_count: int
    event_count: int

    @classmethod
    def of(cls, issue_id: int, variants: Sequence[int], events: Mapping[int, int]) -> "_Piece":
        face = max(variants, key=lambda each: (events[each], -each))
        return cls(issue_id, face, len(variants), sum(events[each] for each in variants))


@dataclass(frozen=True)
class _Example:
    change: Change
    pieces: Sequence[_Piece]

    @classmethod
    def of(cls, found: Regrouping, change: Change) -> "_Example":
        events = {each.variant_hash: each.event_count for each in found.placements}
        pieces = [_Piece.of(issue_id, variants, events) for issue_id, variants in change.others.items()]
        return cls(change, sorted(pieces, key=lambda piece: -piece.event_count))

    @property
    def faces(self) -> list[int]:
        return [piece.face for piece in self.pieces[:PIECES_AN_EXAMPLE]]

    def shown(self, looks: Mapping[int, Look]) -> ChangeShown:
        look = looks[self.faces[0]]
        return ChangeShown.of(
            self.change,
            title=look.title,
            culprit=look.culprit,
            others=[
                PieceShown.of(piece, **asdict(looks[piece.face])) for piece in self.pieces[:PIECES_AN_EXAMPLE]
            ],
            other_count=len(self.pieces),
        )

"""People's decisions about grouping: merge, unmerge, split, not the same, back to the rules.

Every decision has two effects. Each of its variants is *placed*: recorded in its issue with the authority of
a person, so that no rules and no pipelines move it any more. And issues are tied: a merge leads later
variants of the merged issue to the target. docs/decisions/people-and-rules.md explains why.
"""

import secrets
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from api.errors import DecidedSince, VariantNotFound
from errata.errors import InvalidParameter
from errata.nil import NIL
from errata.resolution.decisions import Authority, Decision, Decisions, MappedVariant
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.actions import Action, actions_of_batch
from errata.warehouse.queries.membership import (
    Decided,
    Member,
    decided_merges,
    differences,
    is_decided_since,
    members_of,
    placed_by,
    told_apart,
)
from errata.warehouse.queries.vocabulary import issue_text
from errata.workflow.vocabulary import Word

MOST_VARIANTS = 20_000


@dataclass(frozen=True)
class Membership:
    """Decisions of one person or program about the issues of one project."""

    state: Store
    warehouse: Warehouse
    read: Warehouse
    project_id: int
    actor: str

    def merge(self, issue_ids: Collection[int], into: int, batch_id: UUID | None = None) -> int:
        """Merges issues, with those merged into them, into another one; returns the issue they end in."""
        batch_id = batch_id or uuid.uuid4()
        with self._locked() as decided:
            target = decided.root(into)
            for issue_id in issue_ids:
                if issue_id == target:
                    raise InvalidParameter(
                        "into", f"{issue_text(into)} is this issue, or already merged into it"
                    )
            parts = [part for part in dict.fromkeys(issue_ids) if decided.root(part) != target]
            # An issue merged by pipelines is merged again by a person, which takes precedence.
            again = [part for part in dict.fromkeys(issue_ids) if part not in parts]
            touched = {target, *(decided.root(part) for part in parts)}
            members = members_of(self.read, self.project_id, touched)
            merges: list[Decision] = []
            for part in (*again, *parts):
                merges += _tied(decided, part, target, Word.MERGE)
            self._append(merges, _placed(members, Word.MERGE, batch_id=batch_id), batch_id)
            return target

    def take_merge_back(self, batch_id: UUID) -> list[Action]:
        """Undoes a merge exactly, as if it had never been; refused after further decisions of people."""
        with self._locked() as decided:
            made = actions_of_batch(self.read, self.project_id, batch_id)
            merges = [action for action in made if action.word is Word.MERGE and not action.is_undone]
            if not merges:
                return [action for action in made if action.word is Word.MERGE]
            before = decided_merges(self.read, self.project_id, [action.action_id for action in merges])
            moved = {part for action in merges for part in _family(decided, action.issue_id)}
            roots = {before.root(action.issue_id) for action in merges} | {decided.root(min(moved))}
            family = {part for root in roots for part in _family(before, root)} | moved
            if is_decided_since(self.read, self.project_id, batch_id, family):
                raise DecidedSince(issue_text(decided.root(min(moved))))
            placed = placed_by(self.read, self.project_id, batch_id)
            ends = [Decision(part, Word.FOLLOW, target=_end(before, part)) for part in sorted(moved)]
            undos = [Decision(each.issue_id, Word.UNDO, about=each.action_id) for each in merges]
            self._append([*ends, *undos], [_place(variant_hash, 0, Word.UNDO) for variant_hash in placed])
            return merges

    def unmerge(self, issue_id: int) -> None:
        """Takes an issue, with those merged into it before, out of the merged issue: for good."""
        with self._locked() as decided:
            self._unmerge(decided, issue_id)

    def split(self, issue_id: int, variants: Collection[int], into: int | None = None) -> int:
        """Moves variants out of an issue, into another one or a new one; returns their issue."""
        with self._locked() as decided:
            root = decided.root(issue_id)
            members = members_of(self.read, self.project_id, [root])
            chosen = _chosen(members, variants)
            target = decided.root(into) if into is not None else 0
            if target == root:
                raise InvalidParameter("into", f"the variants are already in {issue_text(root)}")
            if not target and len(chosen) == len(members):
                raise InvalidParameter("variants", "these are all variants of the issue; leave at least one")
            if not target and (part := _part_of(decided, members, chosen)):
                self._unmerge(decided, part)
                return part
            if len(chosen) == len(members):
                # Later variants of the emptied issue have to follow.
                raise InvalidParameter("variants", "these are all variants of the issue; merge it instead")
            target = target or secrets.randbits(64) | 1
            others = members_of(self.read, self.project_id, [target])
            moved = {member.variant_hash: target for member in chosen}
            decision = Decision(root, Word.SPLIT, _named(chosen), target=target)
            self._append([decision], _placed([*members, *others], Word.SPLIT, moved))
            return target

    def release(self, issue_id: int, variants: Collection[int]) -> None:
        """Returns variants that people placed to the grouping rules, which decide about them again."""
        with self._locked() as decided:
            members = members_of(self.read, self.project_id, [decided.root(issue_id)])
            chosen = [member for member in _chosen(members, variants) if member.is_placed]
            decision = Decision(decided.root(issue_id), Word.RELEASE, _named(chosen))
            self._append([decision], [_place(member.variant_hash, 0, Word.RELEASE) for member in chosen])

    def tell_apart(self, issue_id: int, other: int) -> None:
        """Records that two issues are not the same: pipelines and rules never merge them, and stop suggesting
        it."""
        with self._locked() as decided:
            left, right = decided.root(issue_id), decided.root(other)
            if left == right:
                raise InvalidParameter(
                    "other", f"{issue_text(other)} is merged into this issue; unmerge it first"
                )
            members = members_of(self.read, self.project_id, [left, right])
            self._append([Decision(left, Word.DISTINCT, target=right)], _placed(members, Word.DISTINCT))

    def auto_merge(self, issue_id: int, into: int, detail: Mapping[str, Any]) -> bool:
        """Merges by the pipelines: False if people decided otherwise, or nothing is left to merge."""
        with self._locked() as decided:
            target = decided.root(into)
            if target == issue_id or decided.root(issue_id) != issue_id or issue_id in decided.by_people:
                return False
            apart = told_apart(differences(self.read, self.project_id), decided)
            if frozenset({issue_id, target}) in apart:
                return False
            self._append(_tied(decided, issue_id, target, Word.JOIN, detail))
            return True

    def _unmerge(self, decided: Decided, issue_id: int) -> None:
        root = decided.root(issue_id)
        if root == issue_id:
            return
        members = members_of(self.read, self.project_id, [root])
        unmerged = _tied(decided, issue_id, 0, Word.UNMERGE, {"from": issue_text(root)})
        self._append(unmerged, _placed(members, Word.UNMERGE))

    @contextmanager
    def _locked(self) -> Iterator[Decided]:
        with self.state.locks.assignments(self.project_id):
            yield decided_merges(self.read, self.project_id)

    def _append(
        self,
        decisions: Sequence[Decision],
        placed: Sequence[MappedVariant] = (),
        batch_id: UUID | None = None,
    ) -> None:
        # Variants first: if the request is repeated after an interruption, the rest is still done.
        Decisions(self.warehouse, self.project_id, self.actor).append(decisions, batch_id, mapped=placed)


def _placed(
    members: Sequence[Member], word: Word, moved: Mapping[int, int] | None = None, batch_id: UUID = NIL
) -> list[MappedVariant]:
    """Each member in its issue, moved or not; members already placed there by a person stay."""
    moved = moved or {}
    return [
        _place(member.variant_hash, moved.get(member.variant_hash, member.own_issue_id), word, batch_id)
        for member in members
        if not member.is_placed or member.variant_hash in moved
    ]


def _place(variant_hash: int, issue_id: int, word: Word, batch_id: UUID = NIL) -> MappedVariant:
    because = {"rule": "a person", "decision": word.value}
    if batch_id != NIL:
        because["batch"] = batch_id.hex
    explanation = msgspec.json.encode(because).decode()
    return MappedVariant(variant_hash, issue_id, Authority.PERSON, explanation=explanation)


def _named(members: Sequence[Member]) -> dict[str, Any]:
    return {"variants": [f"{member.variant_hash:016x}" for member in members], "count": len(members)}


def _tied(
    decided: Decided, issue_id: int, parent: int, word: Word, detail: Mapping[str, Any] | None = None
) -> list[Decision]:
    """The decision, and the new end of the chain of each issue that moves along with this one."""
    root = parent or issue_id
    follows = [Decision(part, Word.FOLLOW, target=root) for part in decided.merges.parts(issue_id)]
    return [Decision(issue_id, word, detail or {}, target=parent), *follows]


def _family(decided: Decided, issue_id: int) -> list[int]:
    """The issue and those merged into it."""
    return [issue_id, *decided.merges.parts(issue_id)]


def _end(decided: Decided, issue_id: int) -> int:
    """The end of its chain; 0: it is merged into no other."""
    root = decided.root(issue_id)
    return 0 if root == issue_id else root


def _chosen(members: Sequence[Member], variants: Collection[int]) -> list[Member]:
    if not variants:
        raise InvalidParameter("variants", "enter at least one")
    known = {member.variant_hash: member for member in members}
    for variant_hash in variants:
        if variant_hash not in known:
            raise VariantNotFound(issue_text(variant_hash))
    return [known[variant_hash] for variant_hash in dict.fromkeys(variants)]


def _part_of(decided: Decided, members: Sequence[Member], chosen: Sequence[Member]) -> int:
    """The merged issue that consists of exactly the chosen variants; 0 if there is none.

    A split of all of it takes the merge back, so that its later variants leave too.
    """
    hashes = {member.variant_hash for member in chosen}
    for issue_id in dict.fromkeys(member.own_issue_id for member in chosen):
        tree = {issue_id, *decided.merges.parts(issue_id)}
        if hashes == {member.variant_hash for member in members if member.own_issue_id in tree}:
            return issue_id
    return 0

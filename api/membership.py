"""People's decisions about grouping: merge, unmerge, split, not the same, back to the rules.

Every decision has two effects. Each of its variants is *placed*: recorded in its issue with the authority of
a person, so that no rules and no pipelines move it any more. And issues are tied: a merge leads later
variants of the merged issue to the target. docs/decisions/people-and-rules.md explains why.
"""

import secrets
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from api.decisions import NIL
from api.errors import DecidedSince, VariantNotFound
from errata.errors import InvalidParameter
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
from errata.warehouse.resolution import write_assignments, write_states
from errata.workflow.vocabulary import Word

MAPPINGS = "errata_raw.variant_issues"
ACTIONS = "errata_raw.issue_actions"
PERSON = 2
MOST_VARIANTS = 20_000


@dataclass(frozen=True)
class Edge:
    """A row of the log of decisions: `target` is the issue this one is merged into, 0 for itself."""

    issue_id: int
    action: str
    target: int = 0
    detail: str = ""
    about: UUID = NIL


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
            placed = self._place(members, "merge", batch_id=batch_id)
            edges: list[Edge] = []
            for part in (*again, *parts):
                edges += _tied(decided, part, target, "merge")
            self._append(edges, placed, batch_id)
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
            # First: if the request is repeated after an interruption, the rest is still done.
            placed = placed_by(self.read, self.project_id, batch_id)
            self._insert_places([(variant_hash, 0) for variant_hash in placed], "undo")
            ends = [Edge(part, "follow", _end(before, part)) for part in sorted(moved)]
            undos = [Edge(each.issue_id, "undo", about=each.action_id) for each in merges]
            self._append([*ends, *undos], placed)
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
            placed = self._place([*members, *others], "split", moved)
            detail = {"variants": [f"{member.variant_hash:016x}" for member in chosen], "count": len(chosen)}
            self._append([Edge(root, "split", target, msgspec.json.encode(detail).decode())], placed)
            return target

    def release(self, issue_id: int, variants: Collection[int]) -> None:
        """Returns variants that people placed to the grouping rules, which decide about them again."""
        with self._locked() as decided:
            members = members_of(self.read, self.project_id, [decided.root(issue_id)])
            chosen = [member for member in _chosen(members, variants) if member.is_placed]
            self._insert_places([(member.variant_hash, 0) for member in chosen], "release")
            detail = {"variants": [f"{member.variant_hash:016x}" for member in chosen], "count": len(chosen)}
            edge = Edge(decided.root(issue_id), "release", 0, msgspec.json.encode(detail).decode())
            self._append([edge], [member.variant_hash for member in chosen])

    def tell_apart(self, issue_id: int, other: int) -> None:
        """Records that two issues are not the same: pipelines and rules never merge them, and stop suggesting
        it."""
        with self._locked() as decided:
            left, right = decided.root(issue_id), decided.root(other)
            if left == right:
                raise InvalidParameter(
                    "other", f"{issue_text(other)} is merged into this issue; unmerge it first"
                )
            placed = self._place(members_of(self.read, self.project_id, [left, right]), "distinct")
            self._append([Edge(left, "distinct", right)], placed)

    def auto_merge(self, issue_id: int, into: int, detail: Mapping[str, Any]) -> bool:
        """Merges by the pipelines: False if people decided otherwise, or nothing is left to merge."""
        with self._locked() as decided:
            target = decided.root(into)
            if target == issue_id or decided.root(issue_id) != issue_id or issue_id in decided.by_people:
                return False
            apart = told_apart(differences(self.read, self.project_id), decided)
            if frozenset({issue_id, target}) in apart:
                return False
            self._append(_tied(decided, issue_id, target, "join", msgspec.json.encode(detail).decode()))
            return True

    def _unmerge(self, decided: Decided, issue_id: int) -> None:
        root = decided.root(issue_id)
        if root == issue_id:
            return
        placed = self._place(members_of(self.read, self.project_id, [root]), "unmerge")
        detail = msgspec.json.encode({"from": issue_text(root)}).decode()
        self._append(_tied(decided, issue_id, 0, "unmerge", detail), placed)

    @contextmanager
    def _locked(self) -> Iterator[Decided]:
        with self.state.locks.assignments(self.project_id):
            yield decided_merges(self.read, self.project_id)

    def _place(
        self,
        members: Sequence[Member],
        decision: str,
        moved: dict[int, int] | None = None,
        batch_id: UUID = NIL,
    ) -> list[int]:
        """Records the issue of each member, moved or not; members already placed there by a person stay.

        Returns the variants that it placed.
        """
        moved = moved or {}
        places = {
            member.variant_hash: moved.get(member.variant_hash, member.own_issue_id)
            for member in members
            if not member.is_placed or member.variant_hash in moved
        }
        self._insert_places(places.items(), decision, batch_id)
        return list(places)

    def _insert_places(self, places: Iterable[tuple[int, int]], decision: str, batch_id: UUID = NIL) -> None:
        because = {"rule": "a person", "decision": decision}
        if batch_id != NIL:
            because["batch"] = batch_id.hex
        self._insert(
            MAPPINGS,
            [
                {
                    "project_id": self.project_id,
                    "variant_hash": variant_hash,
                    "issue_id": issue_id,
                    "authority": PERSON,
                    "fingerprint_hash": 0,
                    "fingerprint_version": 0,
                    "fingerprint": [],
                    "explanation": msgspec.json.encode(because).decode(),
                    "actor": self.actor,
                }
                for variant_hash, issue_id in places
            ],
        )

    def _append(
        self, edges: Sequence[Edge], placed: Collection[int] = (), batch_id: UUID | None = None
    ) -> None:
        """Appends the last entry of a decision, and stores its effect on assignments."""
        batch_id = batch_id or uuid.uuid4()
        self._insert(
            ACTIONS,
            [
                {
                    "project_id": self.project_id,
                    "issue_id": edge.issue_id,
                    "action_id": uuid.uuid4(),
                    "action": edge.action,
                    "target_issue_id": edge.target,
                    "detail": edge.detail,
                    "actor": self.actor,
                    "batch_id": batch_id,
                    "about_action_id": edge.about,
                }
                for edge in edges
            ],
        )
        issue_ids = {edge.issue_id for edge in edges}
        write_assignments(self.warehouse, [self.project_id], placed, issue_ids)
        if any(edge.action == "undo" for edge in edges):
            write_states(self.warehouse, self.project_id, issue_ids)

    def _insert(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        # One insert succeeds or fails as a whole, and the driver's retry cannot store it twice.
        if rows:
            lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
            self.warehouse.insert_json_lines(table, lines, token=uuid.uuid4().hex)


def _tied(decided: Decided, issue_id: int, parent: int, action: str, detail: str = "") -> list[Edge]:
    """The decision, and the new end of the chain of each issue that moves along with this one."""
    root = parent or issue_id
    follows = [Edge(part, "follow", root) for part in decided.merges.parts(issue_id)]
    return [Edge(issue_id, action, parent, detail), *follows]


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

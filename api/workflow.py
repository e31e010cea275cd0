"""Makes decisions about many issues at once, and undoes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.errors import ActionNotFound, IssueNotFound
from errata.errors import InvalidParameter
from errata.resolution.decisions import Decision, Decisions
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.actions import Action, actions_by_id, actions_of_batch
from errata.warehouse.queries.issues.merged_issues import CurrentIssue, current_releases, merged_issues
from errata.warehouse.queries.vocabulary import issue_text
from errata.workflow.vocabulary import OF_MEMBERSHIP, Word

MOST_ISSUES = 10_000


@dataclass(frozen=True)
class Made:
    """The batch that one undo takes back, and its issues."""

    batch_id: UUID
    decisions: Sequence[Decision]


@dataclass(frozen=True)
class Workflow:
    """Decisions of one person or program in one project."""

    warehouse: Warehouse
    read: Warehouse
    project_id: int
    actor: str

    def act(
        self, issue_ids: Iterable[int], word: Word, detail: Mapping[str, Any], batch_id: UUID | None = None
    ) -> Made:
        """Appends all decisions or none. Repeated with the same `batch_id`, it does nothing more."""
        if batch_id and (before := actions_of_batch(self.read, self.project_id, batch_id)):
            return Made(batch_id, [again(action) for action in before])
        merged = self._merged(issue_ids)
        details = self._details(merged, word, detail)
        decisions = [Decision(issue_id, word, details[issue_id]) for issue_id in merged]
        return Made(self._decisions.append(decisions, batch_id), decisions)

    def undo(self, action_ids: Sequence[UUID] = (), batch_id: UUID | None = None) -> Made:
        """Undoes actions: the earlier state holds again; actions already undone stay so."""
        if batch_id:
            found = actions_of_batch(self.read, self.project_id, batch_id)
        else:
            found = actions_by_id(self.read, self.project_id, action_ids)
        known = {action.action_id for action in found}
        if not found or not known.issuperset(action_ids):
            raise ActionNotFound
        for action in found:
            _require_undoable(action)
        decisions = [
            Decision(action.issue_id, Word.UNDO, about=action.action_id)
            for action in found
            if not action.is_undone
        ]
        return Made(self._decisions.append(decisions), [again(action) for action in found])

    @property
    def _decisions(self) -> Decisions:
        return Decisions(self.warehouse, self.project_id, self.actor)

    def _merged(self, issue_ids: Iterable[int]) -> dict[int, CurrentIssue]:
        """Merged issues by the id asked for: only the issue at the end of a merge has a state."""
        asked = list(dict.fromkeys(issue_ids))
        if not 0 < len(asked) <= MOST_ISSUES:
            raise InvalidParameter("ids", f"1 to {MOST_ISSUES:,} issues at once")
        found = merged_issues(self.read, self.project_id, asked)
        for issue_id in asked:
            if issue_id not in found:
                raise IssueNotFound(issue_text(issue_id))
        return {whole.issue_id: whole for whole in found.values()}

    def _details(
        self, merged: Mapping[int, CurrentIssue], word: Word, detail: Mapping[str, Any]
    ) -> dict[int, dict[str, Any]]:
        if word is Word.DELETE:
            return {issue_id: {"variants": list(whole.variants)} for issue_id, whole in merged.items()}
        if word is Word.RESOLVE and detail.get("in", "now") != "release":
            return self._resolutions(list(merged), str(detail.get("in", "now")))
        return {issue_id: dict(detail) for issue_id in merged}

    def _resolutions(self, issue_ids: Sequence[int], how: str) -> dict[int, dict[str, Any]]:
        """Resolutions with the release current at this moment, by which later events are judged."""
        current = current_releases(self.read, self.project_id, issue_ids)
        if how == "next" and (unknown := [each for each in issue_ids if not current.get(each)]):
            named = issue_text(unknown[0])
            raise InvalidParameter(
                "detail.in", f"{named} has no known release, so the next one can't be determined"
            )
        return {
            issue_id: {"in": how, **({"release": current[issue_id]} if current.get(issue_id) else {})}
            for issue_id in issue_ids
        }


def again(action: Action) -> Decision:
    return Decision(action.issue_id, action.word, action.detail, action.about, action_id=action.action_id)


def _require_undoable(action: Action) -> None:
    if action.word is Word.UNDO:
        raise InvalidParameter("action_ids", "an undo can't be undone; repeat the action instead")
    if action.word in OF_MEMBERSHIP:
        raise InvalidParameter("action_ids", "undo a merge with unmerge, and a split with merge")

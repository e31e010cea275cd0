"""The plan of an erasure: what is removed where, and in which order.

A request is recorded, and a job takes the steps at the end of this file. Marts follow: once rows are removed,
the pipelines count their days again, and check at last that no file of the warehouse holds the rows
(`pipelines/builder/erasures.py`). The log of steps is `errata_raw.erasures`; a killed or failed step is
repeated as a whole. Backups keep the list of erasures, and carry them out when they are restored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from api.context import Context
from api.erasures.actions import (
    GoesOn,
    Work,
    drop_variants,
    find_subject,
    forget_subject,
    record_items,
    record_later_copies,
    record_variants_anew,
    remove_comments,
    remove_items,
    remove_names,
    remove_project,
    remove_texts,
    rename_variants,
)
from api.erasures.subject import Asked
from errata.errors import ErrataError
from errata.warehouse.client import INSERT_TIMEOUT_SECONDS
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.erasures import removal
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, erasures, record

# Ingest nodes look for new erasures this often.
NOTICED_WITHIN = timedelta(seconds=5)
# An insert that began before its node knew of an erasure is visible by then.
STORED_WITHIN = NOTICED_WITHIN + timedelta(seconds=INSERT_TIMEOUT_SECONDS + 5)


def ask(
    context: Context,
    organization_id: int,
    project_id: int,
    asked: Asked,
    actor: str,
    *,
    is_deleted: bool = False,
) -> Erasure:
    """Records an erasure, which the job carries out."""
    state = context.state.erasures
    subject, sealed = asked.words, None
    if asked.kind is Kind.PERSON:
        subject = state.person_hash(asked.by, asked.words)
        sealed = {"by": asked.by, "words": asked.words}
    sealed_id = state.ask(organization_id, actor, f"{asked.kind.value} {subject}", sealed)
    erasure = Erasure(
        project_id,
        uuid4(),
        asked.kind,
        subject,
        actor,
        warehouse_now(context.read),
        sealed_id=sealed_id,
        is_deleted=is_deleted,
    )
    return record(context.warehouse, erasure, Step.ASKED)


@dataclass(frozen=True)
class Steps:
    """Takes the steps of erasures. `waits` for rows in flight; only tests shorten it."""

    context: Context
    waits: timedelta = STORED_WITHIN

    def go_on(self, project_id: int, erasure_id: UUID, goes_on: GoesOn) -> None:
        """Takes the next steps of an erasure, as far as they are due."""
        erasure = self._erasure(project_id, erasure_id)
        owner = self.context.state.erasures.organization_of(project_id)
        if erasure.is_deleted and owner is not None and not owner[1]:
            # The request ended before the project was deleted: nothing may be erased of it.
            return
        try:
            for step, actions in (OF_PROJECTS if erasure.kind is Kind.PROJECT else PLAN).items():
                if erasure.at(step) is not None:
                    continue
                if not self._is_due(erasure):
                    return
                erasure = self._taken(erasure, step, actions, goes_on)
        except removal.Interrupted:
            return
        except ErrataError as error:
            if erasure.reason != error.code:
                record(self.context.warehouse, erasure, Step.FAILED, error.code)
            raise

    def _is_due(self, erasure: Erasure) -> bool:
        """The first step at once, others some time after the one before."""
        at = erasure.at(erasure.reached)
        is_first = erasure.reached is Step.ASKED
        return is_first or (at is not None and warehouse_now(self.context.warehouse) >= at + self.waits)

    def _taken(self, erasure: Erasure, step: Step, actions: "Sequence[Action]", goes_on: GoesOn) -> Erasure:
        work = Work(self.context, erasure, goes_on)
        for action in actions:
            action(work)
        record(self.context.warehouse, work.erasure, step)
        return self._erasure(erasure.project_id, erasure.erasure_id)

    def _erasure(self, project_id: int, erasure_id: UUID) -> Erasure:
        (found,) = erasures(self.context.warehouse, [project_id], erasure_id)
        return found


Action = Callable[[Work], None]

PLAN: Mapping[Step, Sequence[Action]] = {
    # At once. Texts go first of all, while the words of the subject are still known.
    Step.COLLECTED: (
        find_subject,
        record_items,
        rename_variants,
        remove_comments,
        remove_names,
        remove_texts,
    ),
    # When no insert is on its way that does not know the ids.
    Step.ROWS_REMOVED: (record_later_copies, remove_items, drop_variants, forget_subject),
    # What was on its way for longer.
    Step.SETTLED: (record_later_copies, remove_items, drop_variants, record_variants_anew),
}
OF_PROJECTS: Mapping[Step, Sequence[Action]] = {
    Step.COLLECTED: (remove_texts,),
    Step.ROWS_REMOVED: (remove_project, forget_subject),
    Step.SETTLED: (remove_project,),
}

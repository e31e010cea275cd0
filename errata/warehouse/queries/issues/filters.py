"""What the issue list is narrowed to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from errata.period import TimeRange
from errata.search import Search, parse
from errata.search.terms import Choices
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import ALWAYS, Condition, Number
from errata.warehouse.queries.compiled_search import QueryContext
from errata.warehouse.queries.issues.merged_issues import merged_issues
from errata.warehouse.queries.known_releases import known_releases
from errata.warehouse.queries.vocabulary import Status


@dataclass(frozen=True)
class IssueFilters:
    """What the list is narrowed to; an empty one narrows nothing. `text` is in the language of errata.search.

    `me` is the e-mail address of whoever asks; a program has none.
    `linked` tells the ids of issues that are linked elsewhere. `user_hash` narrows to events of one user.
    """

    period: TimeRange
    environment: str = ""
    release: str = ""
    status: Status | None = None
    text: str = ""
    me: str = ""
    linked: Callable[[], Sequence[str]] = tuple
    user_hash: int = 0

    @cached_property
    def search(self) -> Search:
        """Raises SearchError."""
        return parse(self.text)

    @property
    def chosen_status(self) -> Status | None:
        """What the search itself says about states goes before the choice beside it."""
        return None if any(term.key == "is" for term in self.search.of(Choices)) else self.status

    @property
    def is_of_user(self) -> Condition:
        """The condition on events that they are of the user; `ALWAYS` without one."""
        return Number.column("user_hash").one_of([self.user_hash]) if self.user_hash else ALWAYS

    @property
    def full_search(self) -> Search:
        """With what is chosen beside it."""
        status = self.chosen_status
        chosen = (Choices(False, "is", (status.value,)),) if status else ()
        return Search((*self.search.terms, *chosen))


def query_context(warehouse: Warehouse, project_id: int, filters: IssueFilters) -> QueryContext:
    return QueryContext(
        filters.period.now,
        filters.me,
        lambda: known_releases(warehouse, project_id),
        lambda: _linked(warehouse, project_id, filters),
    )


def _linked(warehouse: Warehouse, project_id: int, filters: IssueFilters) -> list[int]:
    """A link of what was merged is one of the whole."""
    issue_ids = [int(issue_id, 16) for issue_id in filters.linked()]
    return sorted({whole.issue_id for whole in merged_issues(warehouse, project_id, issue_ids).values()})

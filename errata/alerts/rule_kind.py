"""What a kind of alert rules says about itself; a kind is one file of `errata/alerts/kinds`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from errata.alerts.field import Field, require_known
from errata.warehouse.queries.alerts.days import Span
from errata.warehouse.queries.alerts.events import Events, Sighting

Condition = Mapping[str, Any]

USUAL_COLOR, URGENT_COLOR = "#8b6f00", "#c4554d"


@dataclass(frozen=True, slots=True)
class Chance:
    """How often a rule would have fired if no issue had changed, in a sentence, too."""

    count: float
    sentence: str


class Subject(StrEnum):
    """What a rule is about: only of issues it has a filter, priorities and a least time between firings."""

    ISSUE = "issue"
    BUDGET = "budget"
    MONITOR = "monitor"


class RuleKind(ABC):
    """`title` is what people choose, `plural` names several firings, `color` is that of cards in chats, and
    `condition_words` say in the reference what a condition holds. `fields` are shown in the form's `group`,
    which kinds with the same fields share. `recovery` is the outcome that ends what another one began."""

    name: ClassVar[str]
    subject: ClassVar[Subject]
    title: ClassVar[str]
    plural: ClassVar[str]
    color: ClassVar[str] = USUAL_COLOR
    condition_words: ClassVar[str] = ""
    group: ClassVar[str] = ""
    fields: ClassVar[Sequence[Field]] = ()
    recovery: ClassVar[str] = ""

    @abstractmethod
    def checked(self, condition: Condition) -> dict[str, Any]:
        """The condition as it is stored. Raises InvalidParameter."""

    @abstractmethod
    def words(self, condition: Condition) -> str:
        """The whole condition, after `When`."""

    @abstractmethod
    def headline(self, condition: Condition, value: int, outcome: str) -> str:
        """What has happened; of issues there is no outcome."""

    @abstractmethod
    def page(self, subject_id: str) -> str:
        """The page of what a rule fired for, below the project's: of an issue by its id, of a monitor by its
        name. Empty: of several or none."""

    @abstractmethod
    def question(self, condition: Condition) -> str:
        """The query that tells most of what a rule fires for."""


class IssueKind(RuleKind):
    """A kind that fires for issues, by the events received. `counted` says what the value of a firing
    counts."""

    subject = Subject.ISSUE
    counted: ClassVar[str] = "Events"

    @abstractmethod
    def found(self, events: Events, condition: Condition, since: datetime, until: datetime) -> list[Sighting]:
        """The moments at which a rule fires, of issues or of all of them together."""

    def checked(self, condition: Condition) -> dict[str, Any]:
        require_known(condition, self.fields, "condition", "rules")
        return {}

    def page(self, subject_id: str) -> str:
        return f"issues/{subject_id}" if subject_id else "issues"

    def spans(self, events: Events, since: datetime, until: datetime) -> Iterable[Span]:
        """The spans that a test on past events asks for one by one, the latest first.

        One span alone unless a kind says otherwise: what is new is told from all that was before.
        """
        return [(since, until)]

    def chance(self, events: Events, since: datetime, until: datetime, fired_count: int) -> Chance | None:
        """None: nothing is left to chance, or it is not known."""
        return None

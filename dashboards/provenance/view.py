"""The statements of a page by question, as text that runs by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from errata.warehouse import sql
from errata.warehouse.asked import Asked
from errata.warehouse.provenance import question_of
from errata.warehouse.runnable import Piece, runnable, text_of
from errata.warehouse.statement import Statement

# Its result stands in the settings of the others.
NOT_SHOWN = ("", "published_versions")


@dataclass(frozen=True)
class Shown:
    """A statement that the page asked; `user` is the warehouse user who can run it."""

    pieces: Sequence[Piece]
    user: str


def statements_read(asked: Sequence[Asked], question: str) -> list[Statement]:
    """The statements of this question, and those of tables that were sent along with them."""
    own = [each for each in asked if question_of(each.statement) == question]
    sent = [table.asked.statement for each in own for table in each.tables if table.asked]
    return [*(each.statement for each in own), *sent]


@dataclass(frozen=True)
class OtherQuestion:
    """Another question of the same page."""

    name: str
    purpose: str
    address: str


def statements(asked: Sequence[Asked], question: str) -> list[Shown]:
    """The statements of this question, each once."""
    found: dict[str, Shown] = {}
    for each in asked:
        if question_of(each.statement) == question:
            pieces = runnable(each)
            found.setdefault(text_of(pieces), Shown(pieces, each.user))
    return list(found.values())


def other_questions(asked: Sequence[Asked], question: str, page_address: str) -> Iterator[OtherQuestion]:
    """By name. A question asked for the rows of a table sent along is of the page, too."""
    names = {question_of(each.statement) for each in asked} - {question, *NOT_SHOWN}
    for name in sorted(names):
        purpose = sql.parse(sql.queries()[name]).header["purpose"]
        yield OtherQuestion(name, purpose, f"/computed/{name}?{urlencode({'of': page_address})}")

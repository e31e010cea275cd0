"""The figures of a page as an analyst can ask for them: a short query on the views for analysts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from errata.clock import END
from errata.performance.metric import SHOWN
from errata.period import DAY, HOUR
from errata.search import parse
from errata.search.terms import Choices
from errata.warehouse import sql
from errata.warehouse.asked import Asked
from errata.warehouse.provenance import question_of
from errata.warehouse.queries.counting import ALL
from errata.warehouse.queries.vocabulary import Status
from errata.warehouse.runnable import Piece, runnable
from errata.warehouse.statement import PARAMETER

# What an address is narrowed by, and what a view lacks that can't tell it apart.
FILTERS = {
    "environment": "environments",
    "release": "releases",
    "page": "pages",
    "device": "devices",
    "browser": "browsers",
    "country": "countries",
    "status": "statuses",
    "host": "hosts",
    "service": "services",
    "user_key": "users",
}
# Parameters with another name than the filter's.
PARAMETERS = {"service": "services"}


@dataclass(frozen=True)
class AnalystQuery:
    """`note`: the filters of the page that the query doesn't have; empty: it has them all."""

    pieces: Sequence[Piece]
    note: str


def analyst_query(
    asked: Sequence[Asked], question: str, project_id: int, filters: Mapping[str, str]
) -> AnalystQuery | None:
    """`filters`: those of the page's address. None where no short query gives its figures."""
    own = [each.parameters for each in asked if question_of(each.statement) == question]
    statement = sql.for_analysts(question)
    if not own or statement is None:
        return None
    chosen = {name: _value(own, PARAMETERS.get(name, name), filters.get(name, "")) for name in FILTERS}
    # The page asks for every host, and shows the chosen one.
    chosen["host"] = filters.get("host", "")
    values = {
        "project_id": project_id,
        "since": _moment(_since(own[0])).date(),
        "until": _until(own[0]),
        "metric": _known(filters.get("metric", ""), {one.name for one in SHOWN}, "load_ms"),
        "side": _known(filters.get("side", ""), ("page",), "server"),
        **{PARAMETERS.get(name, name): value for name, value in chosen.items()},
        "environment": next(iter(_value(own, "environments", ())), chosen["environment"]),
        "status": _status(filters),
        "services": chosen["service"] or [],
    }
    known = {name for name, _ in PARAMETER.findall(statement)}
    lacking = [
        words for name, words in FILTERS.items() if chosen[name] and PARAMETERS.get(name, name) not in known
    ]
    return AnalystQuery(
        runnable(Asked(statement, values, {}, (), "")),
        " ".join(_sentences(lacking, filters.get("query", ""))),
    )


def _sentences(lacking: Sequence[str], search: str) -> list[str]:
    found = list[str]()
    if lacking:
        *others, last = lacking
        named = f"{', '.join(others)} and {last}" if others else last
        found.append(f"This view doesn't tell {named} apart, so the query counts all of them.")
    if search:
        found.append(f"The query doesn't apply the search “{search}”.")
    return found


def _value(own: Sequence[Mapping[str, Any]], name: str, in_address: Any) -> Any:
    """As one of the page's statements has it: a page may ignore its address, or fill it in. Pages have
    several statements of one question, such as one for their table and one for a chart."""
    known = [parameters[name] for parameters in own if name in parameters]
    return next((value for value in known if value), known[0] if known else in_address)


def _known(value: str, values: Any, other: str) -> str:
    return value if value in values else other


def _status(filters: Mapping[str, str]) -> str:
    """What a search says about states goes before the choice beside it, as on the page."""
    chosen = _known(filters.get("status", ""), set(Status), "")
    terms = parse(filters.get("query", "")).of(Choices)
    return "" if any(term.key == "is" for term in terms) else chosen


def _until(parameters: Mapping[str, Any]) -> date:
    """The day after the last. An open range ends with the day of clocks that are an hour ahead: no event is
    dated later."""
    until = min(_moment(parameters.get("until", END)), datetime.now(UTC) + HOUR)
    return (until - timedelta(microseconds=1)).date() + DAY


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time(), UTC)


def _since(parameters: Mapping[str, Any]) -> Any:
    """The first moment of the page's period: one that is counted from totals is told by the steps of its
    bars."""
    if "since" in parameters:
        return parameters["since"]
    begun = next(start for name, start, *_ in parameters["steps"] if name != ALL)
    return datetime.fromisoformat(begun).replace(tzinfo=UTC)

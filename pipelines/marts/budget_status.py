"""Judges performance budgets for the windows that have ended, and keeps the outcomes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import cache

from errata.budgets.evaluation import evaluations, mart_of
from errata.clock import EPOCH, utc
from errata.state.budgets import Budget
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.metric_over_time import built_through, last_end
from pipelines.builder.by_project import SECONDS_A_PROJECT, Share, by_project
from pipelines.builder.python_run import python_run

MART = "budget_status"
TABLE = "errata_mart.budget_status"
# A new budget begins with as much history as its page shows.
FIRST_SPAN = timedelta(days=30)
# Late rows arrive within a day, as a rule.
LOOKED_AT_AGAIN = timedelta(days=1)


@dataclass(frozen=True)
class Judged:
    """The outcome of one run; without windows: none had ended since the last run."""

    watermark: datetime
    budget_count: int
    window_count: int
    breach_count: int
    seconds: float


@dataclass(frozen=True)
class Due:
    """Windows of a budget that end after `since` and until `until`."""

    budget: Budget
    since: datetime
    until: datetime
    as_of: datetime


def judge_budgets(
    warehouse: Warehouse,
    budgets: Sequence[tuple[int, Budget]],
    seconds_a_project: float = SECONDS_A_PROJECT,
) -> Judged:
    """Judges `budgets`: all that exist, each with its project's id."""
    with python_run(warehouse, MART, timedelta(0)) as run:
        due = _due(warehouse, budgets)

        def judge(project_id: int, share: Share) -> list[str]:
            return [word for one in due[project_id] for word in _judge(share, project_id, one)]

        words = by_project(warehouse, MART, due, judge, seconds=seconds_a_project)
        outcomes = [word for of_project in words for word in of_project]
        if outcomes:
            run.publish(len(outcomes), len(outcomes))
        breach_count = outcomes.count("breached")
        return Judged(run.watermark, sum(map(len, due.values())), len(outcomes), breach_count, run.seconds)


def _due(warehouse: Warehouse, budgets: Iterable[tuple[int, Budget]]) -> Mapping[int, Sequence[Due]]:
    """Due windows by project."""
    known = cache(lambda project_id: _known(warehouse, project_id))
    as_of = cache(lambda mart: built_through(warehouse, mart))
    found = defaultdict[int, list[Due]](list)
    for project_id, budget in budgets:
        if (moment := as_of(mart_of(budget.limit))) is None:
            continue
        until = last_end(moment, budget.limit.step)
        last = known(project_id).get(budget.id, EPOCH)
        if last < until:
            found[project_id].append(Due(budget, _since(budget, last, until), until, moment))
    return found


def _since(budget: Budget, last: datetime, until: datetime) -> datetime:
    """The end of the last window to leave unjudged. Windows judged by an earlier limit keep their outcome."""
    if last == EPOCH:
        return until - FIRST_SPAN
    return max(last - LOOKED_AT_AGAIN, min(last, budget.changed_at), until - FIRST_SPAN)


def _known(warehouse: Warehouse, project_id: int) -> dict[str, datetime]:
    rows = warehouse.rows(sql.build_statement("latest_budget_windows"), {"project_id": project_id})
    return {row["budget_id"]: utc(row["window_end"]) for row in rows}


def _judge(share: Share, project_id: int, due: Due) -> Iterator[str]:
    """Judges and records the windows of one budget, and yields their outcomes."""
    share.check()
    budget = due.budget
    judged = evaluations(share.warehouse, project_id, budget.limit, due.since, due.until)
    windows = [one for one in judged if one.at > due.since]
    rows = [
        {
            "project_id": project_id,
            "budget_id": budget.id,
            "name": budget.name,
            "built_through": _text(due.as_of),
            **asdict(budget.limit),
            "window_end": f"{one.at:%Y-%m-%d %H:%M:%S}",
            "sample_count": one.sample_count,
            "independent_count": one.independent_count,
            "value": "nan" if one.value is None else one.value,
            "value_at_least": "nan" if one.at_least is None else one.at_least,
            "outcome": one.outcome.value,
            "state": one.state.value,
        }
        for one in windows
    ]
    share.warehouse.insert_rows(TABLE, rows)
    return (one.outcome.value for one in windows)


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]

"""Alert rules of performance budgets over real page loads, against the same told in Python."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from api.context import Context
from api.jobs.alert_composition import compose
from api.jobs.alert_evaluation import Builds, evaluate, evaluate_budget
from api.jobs.fair_schedule import FairSchedule
from errata.alerts.backtest import backtest
from errata.alerts.evaluation import Question
from errata.alerts.rule import checked
from errata.budgets.limit import limit_of
from errata.errors import InvalidParameter
from errata.state.alerts.rules import NewRule
from errata.statistics.independent_samples import SURE
from errata.warehouse.queries.changes import Changes
from errata.warehouse.queries.performance.metric_over_time import ARRIVED_WITHIN, last_end
from errata.warehouse.roles import Role
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.builders import insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

HOUR = timedelta(hours=1)
END = last_end(datetime.now(UTC), HOUR)
HOURS = 40
CONDITION = {
    "metric": "lcp_ms",
    "statistic": "p75",
    "threshold": 2500,
    "window_hours": 1,
    "least_samples": 3,
}
Sample = tuple[datetime, float]


class Until(Builds):
    """As if the marts were built until a moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def through(self, mart: str) -> datetime:
        return self._moment


@pytest.fixture
def samples() -> list[Sample]:
    """Good and bad times, some around the threshold, and hours of few loads."""
    chance, found = random.Random(4), list[Sample]()
    for hour in range(HOURS):
        middle = [1900, 2900, 2230, 1800][hour // 5 % 4]
        for _ in range(chance.choice([40, 60, 80]) if hour % 17 > 3 else 1):
            at = END - (HOURS - hour - chance.random()) * HOUR
            found.append((at, round(chance.gauss(middle, 400), 3)))
    return found


@pytest.fixture
def context(hooked: Hooked, warehouse: WarehouseProcess, samples: list[Sample]) -> Iterator[Context]:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    project = hooked.store.projects.get(hooked.organization_id, hooked.slug)
    rows = [
        {
            "project_id": project.id,
            "view_id": number,
            "occurred_at": at,
            "item_id": UUID(int=number),
            "is_load": True,
            "navigation_type": "navigate",
            "page": "/",
            "lcp_ms": value,
            "user_hash": number,
        }
        for number, (at, value) in enumerate(samples, 1)
    ]
    insert(ingest, "errata_raw.page_views", rows + rows[:50])
    build_marts(warehouse, "page_metrics_hourly")
    yield replace(hooked.context, warehouse=ingest, read=read)
    ingest.close()
    read.close()


def percentile(ordered: list[float], level: float) -> float:
    rank = (len(ordered) - 1) * level
    low = int(rank)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (rank - low)


def told_in_python(samples: list[Sample]) -> list[tuple[datetime, str]]:
    """Window by window: its p75, whether it is over the limit by more than chance, what three of the latest
    four say, and where that is another than last."""
    outcomes, state, said, told = list[str](), "unknown", "kept", list[tuple[datetime, str]]()
    for hour in range(-20, HOURS + 1):
        end = END - (HOURS - hour) * HOUR
        values = sorted(value for at, value in samples if end - HOUR <= at < end)
        outcome = "unknown"
        if len(values) >= 3:
            p75, sure = (
                percentile(values, 0.75),
                percentile(values, 0.75 - SURE * (0.1875 / len(values)) ** 0.5),
            )
            outcome = "kept" if p75 <= 2500 else "breached" if sure > 2500 else "unknown"
        outcomes.append(outcome)
        for word in set(outcomes[-4:]):
            if outcomes[-4:].count(word) >= 3:
                state = word
        if state not in ("unknown", said):
            said = state
            told.append((end, said))
    return told


@pytest.mark.slow
def test_a_backtest_and_the_job_tell_what_a_recomputation_tells(
    context: Context, hooked: Hooked, samples: list[Sample]
) -> None:
    expected = told_in_python(samples)
    assert len(expected) >= 4
    project = hooked.store.projects.get(hooked.organization_id, hooked.slug)
    tried = backtest(context.read, Question(project.id, "budget", CONDITION, "", 60))
    assert [(found.fired_at, found.outcome) for found in reversed(tried.firings)] == expected
    assert sum(count for _day, count in tried.by_day) == tried.fired_count == len(expected)
    assert tried.sentence.startswith("In the last 90 days, this budget would have been breached ")

    begin = END - HOURS * HOUR
    hooked.clock.now = begin
    new = NewRule("LCP", "budget", CONDITION, channel_ids=[hooked.channel().id])
    rule = hooked.store.alerts.rules.create(hooked.organization_id, hooked.slug, checked(new), actor="ada")
    chance, as_of, fired = random.Random(5), begin, 0
    while as_of < END + ARRIVED_WITHIN:
        as_of = min(as_of + chance.choice([150, 400, 700]) * timedelta(minutes=1), END + ARRIVED_WITHIN)
        hooked.clock.now = as_of
        again = hooked.store.alerts.rules.get(hooked.organization_id, hooked.slug, rule.id)
        fired += evaluate_budget(context, again, Until(as_of))
        assert evaluate_budget(context, again, Until(as_of)) == 0
    assert fired == len(expected)
    [(_, channel_id)] = hooked.store.alerts.notices.channels()
    notices = sorted(hooked.store.alerts.notices.of_channel(channel_id), key=lambda each: each.fired_at)
    assert [(each.fired_at, each.outcome) for each in notices] == expected

    first = notices[0]
    assert first.title.startswith("LCP p75 is ") and first.title.endswith(", over the budget of 2,500 ms")
    assert first.measured is not None and first.measured > 2500 and first.value >= 3
    compose(context, [])
    [message] = hooked.log
    entry = message.content["issues"][0]
    assert entry["url"] == f"https://errata.example/projects/{hooked.slug}/performance/budgets"
    assert {each["reason"] for each in message.content["issues"]} == {
        "Performance budget breached",
        "Performance budget recovered",
    }

    # Breached when its rule is saved: that is not told, only when it is kept again.
    (breached_at, _), (kept_at, _) = expected[:2]
    hooked.clock.now = breached_at + timedelta(minutes=20)
    late = hooked.store.alerts.rules.create(hooked.organization_id, hooked.slug, new, actor="ada")
    assert evaluate_budget(context, late, Until(kept_at + ARRIVED_WITHIN)) == 1
    assert hooked.store.alerts.firings.last_outcome(late.id, late.since) == (kept_at, "kept")

    # A rule that follows a budget fires by the limit that the budget has.
    hooked.clock.now = begin
    budgets, limit = hooked.store.budgets, limit_of(CONDITION)
    strict = replace(limit, threshold=1.0)
    budget = budgets.create(hooked.organization_id, hooked.slug, "LCP", strict, actor="ada")
    follows = replace(new, condition={"budget_id": budget.id}, is_on=False)
    follower = hooked.store.alerts.rules.create(hooked.organization_id, hooked.slug, follows, actor="ada")
    budgets.change(hooked.organization_id, hooked.slug, budget.id, "LCP", limit, actor="ada")
    follower = hooked.store.alerts.rules.get(hooked.organization_id, hooked.slug, follower.id)
    assert evaluate_budget(context, follower, Until(END + ARRIVED_WITHIN)) == len(expected)

    # By the job itself, as far as the marts are built.
    hooked.clock.now = datetime.now(UTC)
    evaluate(context, EndlessRun(), Changes(context.read), FairSchedule())
    last = hooked.store.alerts.rules.get(hooked.organization_id, hooked.slug, late.id)
    assert (last.failure, last.fired_count) == ("", len(expected) - 1)
    assert last_end(last.evaluated_until, HOUR) >= END


def test_a_rule_of_a_budget_has_neither_filter_nor_priorities() -> None:
    for rule in (
        NewRule("LCP", "budget", CONDITION, query="environment:production"),
        NewRule("LCP", "budget", CONDITION, priorities=["high"]),
        NewRule("LCP", "budget", {}),
        NewRule("LCP", "budget", {**CONDITION, "over": 1}),
        NewRule("LCP", "budget", {**CONDITION, "budget_id": "a" * 32}),
        NewRule("LCP", "budget", {"budget_id": "a"}),
    ):
        with pytest.raises(InvalidParameter):
            checked(rule)

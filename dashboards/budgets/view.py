"""Budgets and limits with their history, as the pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from markupsafe import Markup

from api.context import Context
from dashboards.budgets.line import BudgetLine, budget_line
from dashboards.shared import budget_words
from dashboards.shared.chart_json import chart_json
from dashboards.shared.threshold import written
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.samples import Samples, samples
from errata.budgets.suggestion import Suggestion, suggestion
from errata.period import Period
from errata.reports import formats
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import with_annotations, with_deploys
from errata.state.annotations import Annotation
from errata.state.budgets import Budget
from errata.warehouse.queries.performance.release_starts import deploys

# As long as histories look back.
HISTORY_PERIOD = Period("30d")
# What a project without budgets is offered, where there are enough samples.
OFFERED = (
    Limit("load_ms", "p75", 0),
    Limit("lcp_ms", "p75", 0),
    Limit("script_bytes", "p75", 0),
    Limit("server_ms", "p95", 0),
)


@dataclass(frozen=True)
class BudgetRow:
    budget: Budget
    history: History
    line: BudgetLine

    @property
    def samples(self) -> Samples | None:
        return samples(self.budget.limit, self.history)


@dataclass(frozen=True)
class TriedLimit:
    """A limit with its history; `fair` is the suggestion that its threshold came from, if any."""

    limit: Limit
    history: History
    figure: Markup
    fair: Suggestion | None = None

    @property
    def samples(self) -> Samples | None:
        return samples(self.limit, self.history)


def budget_rows(context: Context, project_id: int, budgets: Sequence[Budget]) -> list[BudgetRow]:
    histories = context.histories.all(context.read, project_id, [each.limit for each in budgets])
    return [_row(budget, history) for budget, history in zip(budgets, histories, strict=True)]


def _row(budget: Budget, history: History) -> BudgetRow:
    kept = formats.ratio(history.kept_ratio)
    words = f"30 days of {budget_words.measure(budget.limit)}: kept {kept} of the time"
    return BudgetRow(budget, history, budget_line(history.evaluations, budget.limit.threshold, words))


def suggested_limits(context: Context, project_id: int) -> list[tuple[Suggestion, str]]:
    """Each suggestion with the query that fills in the form."""
    histories = context.histories.all(context.read, project_id, OFFERED)
    fair = [suggestion(limit, history) for limit, history in zip(OFFERED, histories, strict=True)]
    return [(each, urlencode(_form_query(each))) for each in fair if each]


def _form_query(fair: Suggestion) -> dict[str, str]:
    threshold = written(fair.threshold, fair.limit.measured.unit)
    return {"metric": fair.limit.metric, "statistic": fair.limit.statistic, "threshold": threshold}


def tried_limit(
    context: Context,
    project_id: int,
    limit: Limit,
    annotations: Sequence[Annotation],
    fair: Suggestion | None = None,
) -> TriedLimit:
    history = context.histories.one(context.read, project_id, limit)
    drawn = budget_over_time(
        history.evaluations, limit.threshold, budget_words.measure(limit), limit.measured.unit
    )
    if history.evaluations:
        since = HISTORY_PERIOD.at(datetime.now(UTC)).since
        starts = deploys(context.read, [project_id], since, limit.environment)
        drawn = with_annotations(with_deploys(drawn, starts), annotations)
    return TriedLimit(limit, history, chart_json(drawn), fair)

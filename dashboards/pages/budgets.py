"""Performance budgets of a project: how each stands, and the form that makes one. Works without a script."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from starlette.responses import Response

from api.context import Context, ContextDependency
from dashboards import budget_words
from dashboards.addresses import View
from dashboards.budget_lines import BudgetLine, budget_line
from dashboards.chart_json import chart_json
from dashboards.form import Form, FormDependency
from dashboards.limit_form import LimitFields, choices_of, limit_from, measured_from, written
from dashboards.pages.alerts import ChangerDependency
from dashboards.performance_nav import CARRIED
from dashboards.performance_tabs import deploys
from dashboards.rendering import render
from dashboards.visitor import Visitor, VisitorDependency
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.suggestion import Suggestion, suggestion
from errata.errors import ErrataError, InvalidParameter
from errata.performance.filters import Filters
from errata.reports import formats
from errata.reports.budget_chart import budget_over_time
from errata.reports.chart_marks import with_deploys
from errata.reports.chart_template import templates
from errata.state.budgets import Budget

router = APIRouter()

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
HERE = "/projects/{slug}/performance/budgets"


# As long as histories look back.
HISTORY_PERIOD = "30d"
# What a project without budgets is offered, where there are enough samples.
OFFERED = (
    Limit("load_ms", "p75", 0),
    Limit("lcp_ms", "p75", 0),
    Limit("script_bytes", "p75", 0),
    Limit("server_ms", "p95", 0),
)


@dataclass(frozen=True)
class Row:
    budget: Budget
    history: History
    line: BudgetLine


@dataclass(frozen=True)
class Tried:
    """What history says of a limit; `fair` where a threshold was suggested."""

    limit: Limit
    history: History
    figure: Markup
    fair: Suggestion | None = None


@router.get(HERE)
def budgets_page(
    slug: str, request: Request, context: ContextDependency, visitor: VisitorDependency
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, f"Performance budgets of {project.name}", "performance", project)
    found = context.state.budgets.of_project(visitor.session.organization_id, slug)
    histories = context.histories.all(context.read, project.id, [each.limit for each in found])
    body = render(
        "budgets.html",
        page,
        view=_view(request),
        rows=[_row(each, history) for each, history in zip(found, histories, strict=True)],
        suggested=[] if found else _suggested(context, project.id),
        as_of=min((each.as_of for each in histories if each.as_of), default=page.now),
        words=budget_words,
    )
    return Response(body, media_type="text/html")


@router.get(f"{HERE}/new")
def new_budget_page(
    slug: str, request: Request, context: ContextDependency, visitor: VisitorDependency
) -> Response:
    return _form(slug, request, context, visitor, "", LimitFields.asked(request.query_params))


@router.post(f"{HERE}/new")
def create_budget(
    slug: str,
    request: Request,
    context: ContextDependency,
    visitor: VisitorDependency,
    asking: ChangerDependency,
    form: FormDependency,
) -> Response:
    try:
        if form["action"] == "preview":
            return _preview(slug, request, context, visitor, form)
        context.state.budgets.create(
            asking.organization_id, slug, form["name"], limit_from(form), actor=asking.actor
        )
    except InvalidParameter as error:
        return _form(slug, request, context, visitor, form["name"], LimitFields.typed(form), error=error)
    return _back(slug)


@router.get(HERE + "/{budget_id}")
def budget_page(
    slug: str, budget_id: Id, request: Request, context: ContextDependency, visitor: VisitorDependency
) -> Response:
    budget = context.state.budgets.get(visitor.session.organization_id, slug, budget_id)
    tried = _tried(context, visitor.project(slug).id, budget.limit)
    fields = LimitFields.of(budget.limit)
    return _form(slug, request, context, visitor, budget.name, fields, budget_id, tried)


@router.post(HERE + "/{budget_id}")
def change_budget(
    slug: str,
    budget_id: Id,
    request: Request,
    context: ContextDependency,
    visitor: VisitorDependency,
    asking: ChangerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "delete":
        context.state.budgets.delete(asking.organization_id, slug, budget_id, actor=asking.actor)
        return _back(slug)
    try:
        if form["action"] == "preview":
            return _preview(slug, request, context, visitor, form, budget_id)
        context.state.budgets.change(
            asking.organization_id, slug, budget_id, form["name"], limit_from(form), actor=asking.actor
        )
    except InvalidParameter as error:
        return _form(
            slug, request, context, visitor, form["name"], LimitFields.typed(form), budget_id, error=error
        )
    return _back(slug)


def _preview(
    slug: str, request: Request, context: Context, visitor: Visitor, form: Form, budget_id: str = ""
) -> Response:
    """Raises InvalidParameter. Without a threshold one is suggested."""
    project = visitor.project(slug)
    fields = LimitFields.typed(form)
    if fields.threshold:
        tried = _tried(context, project.id, limit_from(form))
        return _form(slug, request, context, visitor, form["name"], fields, budget_id, tried)
    limit = measured_from(form)
    history = context.histories.one(context.read, project.id, limit)
    fair = suggestion(limit, history)
    if fair is None:
        raise InvalidParameter("threshold", "not enough data to suggest a limit; enter one")
    limit = Limit(**{**limit.as_condition(), "threshold": fair.threshold})
    tried = _tried(context, project.id, limit, fair)
    fields = LimitFields(**{**vars(fields), "threshold": written(fair.threshold, limit.measured.unit)})
    return _form(slug, request, context, visitor, form["name"], fields, budget_id, tried)


def _tried(context: Context, project_id: int, limit: Limit, fair: Suggestion | None = None) -> Tried:
    history = context.histories.one(context.read, project_id, limit)
    drawn = budget_over_time(
        history.evaluations, limit.threshold, budget_words.measure(limit), limit.measured.unit
    )
    if history.evaluations:
        first = history.evaluations[0].at
        filters = Filters([project_id], HISTORY_PERIOD, datetime.now(UTC), limit.environment)
        starts = [start for start in deploys(context.read, filters) if start[0] >= first]
        drawn = with_deploys(drawn, starts)
    return Tried(limit, history, chart_json(drawn), fair)


def _form(
    slug: str,
    request: Request,
    context: Context,
    visitor: Visitor,
    name: str,
    fields: LimitFields,
    budget_id: str = "",
    tried: Tried | None = None,
    error: ErrataError | None = None,
) -> Response:
    project = visitor.project(slug)
    title = f"{'Performance' if budget_id else 'New performance'} budget of {project.name}"
    page = visitor.framed(request, title, "performance", project)
    body = render(
        "budget.html",
        page,
        name=name,
        fields=fields,
        choices=choices_of(context.read, project.id, page.now),
        budget_id=budget_id,
        tried=tried,
        error=error,
        words=budget_words,
        chart_templates=templates(),
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _suggested(context: Context, project_id: int) -> list[tuple[Suggestion, str]]:
    """Each with the query of the form that it fills in."""
    histories = context.histories.all(context.read, project_id, OFFERED)
    fair = [suggestion(limit, history) for limit, history in zip(OFFERED, histories, strict=True)]
    return [(each, urlencode(_asked(each))) for each in fair if each]


def _asked(fair: Suggestion) -> dict[str, str]:
    threshold = written(fair.threshold, fair.limit.measured.unit)
    return {"metric": fair.limit.metric, "statistic": fair.limit.statistic, "threshold": threshold}


def _row(budget: Budget, history: History) -> Row:
    kept = formats.ratio(history.kept_ratio)
    words = f"30 days of {budget_words.measure(budget.limit)}: kept {kept} of the time"
    return Row(budget, history, budget_line(history.evaluations, budget.limit.threshold, words))


def _view(request: Request) -> View:
    return View(request.url.path, {name: request.query_params.get(name, "") for name in CARRIED})


def _back(slug: str) -> Response:
    return RedirectResponse(HERE.format(slug=slug), status_code=303)

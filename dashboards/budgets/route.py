"""Performance budgets of a project: their list and their form, which works without a script."""

from dataclasses import replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.context import Context, ContextDependency
from dashboards.budgets.view import TriedLimit, budget_rows, suggested_limits, tried_limit
from dashboards.shared import budget_words
from dashboards.shared.addresses import View
from dashboards.shared.budget_words import measure, place
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency
from dashboards.shared.form import Form, FormDependency
from dashboards.shared.limit_form import (
    MOST_OFFERED,
    LimitFields,
    choices_of,
    covered,
    limit_from,
    measured_from,
)
from dashboards.shared.owner import OwnerDependency
from dashboards.shared.performance_nav import CARRIED
from dashboards.shared.rendering import render
from dashboards.shared.threshold import written
from errata.budgets.limit import Limit
from errata.budgets.samples import samples
from errata.budgets.suggestion import Suggestion, suggestion
from errata.errors import ErrataError, InvalidParameter
from errata.reports.chart_template import templates
from errata.state.budgets import LONGEST_NAME

router = APIRouter()

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
HERE = "/projects/{slug}/performance/budgets"


@router.get(HERE)
def budgets_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Performance budgets of {project.name}", "performance", project)
    rows = budget_rows(
        context, project.id, context.state.budgets.of_project(user.session.organization_id, slug)
    )
    body = render(
        "budgets/list.html",
        page,
        view=_view(request),
        rows=rows,
        as_of=min((row.history.as_of for row in rows if row.history.as_of), default=None),
        saved=next((row for row in rows if row.budget.id == request.query_params.get("saved")), None),
        saved_from=_number(request.query_params.get("was", "")),
        suggested=[] if rows else suggested_limits(context, project.id),
        words=budget_words,
    )
    return Response(body, media_type="text/html")


@router.get(f"{HERE}/new")
def new_budget_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    """`action=preview` tests the budget in the address."""
    form = Form.from_query(request.url.query)
    if form["action"] == "preview":
        return _tried(slug, request, context, user, form)
    return _form(slug, request, context, user, "", LimitFields.from_query(request.query_params))


@router.post(f"{HERE}/new")
def create_budget(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "preview":
        return _tried(slug, request, context, user, form)
    try:
        limit, fair = _limit(context, user.project(slug).id, form)
        budget = context.state.budgets.create(
            caller.organization_id, slug, _name(form, limit), limit, actor=caller.actor
        )
    except InvalidParameter as error:
        return _form(slug, request, context, user, form["name"], LimitFields.from_form(form), error=error)
    return _saved(slug, budget.id, fair)


@router.get(HERE + "/{budget_id}")
def budget_page(
    slug: str, budget_id: Id, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    """`action=preview` tests it with the fields of its form in the address."""
    budget = context.state.budgets.get(user.session.organization_id, slug, budget_id)
    form = Form.from_query(request.url.query)
    if form["action"] == "preview":
        return _tried(slug, request, context, user, form, budget_id)
    project = user.project(slug)
    tried = tried_limit(context, project.id, budget.limit, user.annotations(project))
    fields = LimitFields.from_limit(budget.limit)
    return _form(slug, request, context, user, budget.name, fields, budget_id, tried)


@router.post(HERE + "/{budget_id}")
def change_budget(
    slug: str,
    budget_id: Id,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "delete":
        context.state.budgets.delete(caller.organization_id, slug, budget_id, actor=caller.actor)
        return _back(slug)
    if form["action"] == "preview":
        return _tried(slug, request, context, user, form, budget_id)
    try:
        limit, fair = _limit(context, user.project(slug).id, form)
        context.state.budgets.change(
            caller.organization_id, slug, budget_id, _name(form, limit), limit, actor=caller.actor
        )
    except InvalidParameter as error:
        return _form(
            slug, request, context, user, form["name"], LimitFields.from_form(form), budget_id, error=error
        )
    return _saved(slug, budget_id, fair)


def _tried(
    slug: str, request: Request, context: Context, user: CurrentUser, form: Form, budget_id: str = ""
) -> Response:
    """The page with the limit of the form tested, or with what is wrong with it."""
    try:
        return _preview(slug, request, context, user, form, budget_id)
    except InvalidParameter as error:
        fields = LimitFields.from_form(form)
        return _form(slug, request, context, user, form["name"], fields, budget_id, error=error)


def _preview(
    slug: str, request: Request, context: Context, user: CurrentUser, form: Form, budget_id: str = ""
) -> Response:
    """Raises InvalidParameter."""
    project = user.project(slug)
    limit, fair = _limit(context, project.id, form)
    tried = tried_limit(context, project.id, limit, user.annotations(project), fair)
    fields = LimitFields.from_form(form)
    if fair is not None:
        fields = replace(fields, threshold=written(fair.threshold, limit.measured.unit))
    address = f"{request.url.path}?{form.query}"
    return _form(slug, request, context, user, form["name"], fields, budget_id, tried, address=address)


def _limit(context: Context, project_id: int, form: Form) -> tuple[Limit, Suggestion | None]:
    """The limit of a form, and the suggestion that stands for an empty threshold. Raises
    InvalidParameter."""
    if form["threshold"]:
        return limit_from(form), None
    limit = measured_from(form)
    history = context.histories.one(context.read, project_id, limit)
    fair = suggestion(limit, history)
    if fair is None:
        had = samples(limit, history)
        advice = f". {had.advice}" if had and had.advice else ""
        raise InvalidParameter("threshold", f"not enough data to suggest a limit; enter one{advice}")
    return replace(limit, threshold=fair.threshold), fair


def _name(form: Form, limit: Limit) -> str:
    return form["name"].strip() or f"{measure(limit)}, {place(limit)}"[:LONGEST_NAME]


def _form(
    slug: str,
    request: Request,
    context: Context,
    user: CurrentUser,
    name: str,
    fields: LimitFields,
    budget_id: str = "",
    tried: TriedLimit | None = None,
    error: ErrataError | None = None,
    address: str = "",
) -> Response:
    project = user.project(slug)
    title = f"{'Performance' if budget_id else 'New performance'} budget of {project.name}"
    page = user.framed(request, title, "performance", project)
    choices = choices_of(context.read, project.id, page.now)
    body = render(
        "budgets/budget.html",
        page,
        name=name,
        fields=fields,
        choices=choices,
        most_offered=MOST_OFFERED,
        covered=covered(choices, tried.limit) if tried else None,
        budget_id=budget_id,
        tried=tried,
        error=error,
        words=budget_words,
        address=address or page.address,
        chart_templates=templates(),
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _view(request: Request) -> View:
    return View(request.url.path, {name: request.query_params.get(name, "") for name in CARRIED})


def _saved(slug: str, budget_id: str, fair: Suggestion | None) -> Response:
    """The list, which says what was saved, and from which value an empty limit was set."""
    saved = {"saved": budget_id, **({"was": repr(fair.value)} if fair else {})}
    return RedirectResponse(f"{HERE.format(slug=slug)}?{urlencode(saved)}", status_code=303)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _back(slug: str) -> Response:
    return RedirectResponse(HERE.format(slug=slug), status_code=303)

"""Alerts of a project: rules, channels, messages. Every form works without a script."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.authentication import Caller
from api.channels import create_channel, try_channel
from api.context import Context, ContextDependency
from api.reception import reception_of
from dashboards.alerts.bars import bars
from dashboards.alerts.channels import channel_to, destination, mailing_channel
from dashboards.alerts.form import RuleFields, as_new, channel_of, rule_of
from dashboards.shared import budget_words
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency
from dashboards.shared.form import Form, FormDependency
from dashboards.shared.limit_form import LimitFields, choices_if_known
from dashboards.shared.owner import OwnerDependency
from dashboards.shared.rendering import render
from errata.alerts.backtest import Backtest, backtest
from errata.alerts.channel import KINDS as CHANNEL_KINDS
from errata.alerts.evaluation import Question
from errata.alerts.rule import KINDS, checked
from errata.alerts.rule_kind import Subject
from errata.budgets.metric import metric_of
from errata.budgets.wording import promise
from errata.errors import ErrataError, InvalidParameter
from errata.outgoing.errors import AddressRefused
from errata.state.alerts.channel import Channel
from errata.state.alerts.rules import NewRule
from errata.warehouse.client import LimitReached
from errata.warehouse.queries.monitors.monitors import slugs_of_project
from errata.workflow.priority import Level

router = APIRouter()

# A rule is tested before it has a name.
UNNAMED = "Rule"

RULE_FORM = re.compile("new|[0-9a-f]{32}")
MESSAGES_SHOWN = 50
ISSUE = re.compile("issue:[0-9a-f]{16}")
CAPS = {5: "5 minutes", 30: "30 minutes", 60: "hour", 360: "6 hours", 1440: "24 hours", 10080: "7 days"}
STATUS_WORDS = {"sent": "sent", "waiting": "waiting", "failed": "failed", "cancelled": "canceled"}
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.get("/projects/{slug}/alerts")
def alerts_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    return _alerts(slug, request, context, user)


@router.get("/projects/{slug}/alerts/new")
def new_rule_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    """`kind=budget` follows a budget by its id, or fills in the limit in the address; `kind=monitor` fills in
    the monitor, and `query` the filter. `action=preview` tests the rule in the address, `action=resume`
    shows its form."""
    form = Form.from_query(request.url.query)
    if form["action"] == "preview":
        return _preview(slug, request, context, user, form)
    if form["action"] == "resume":
        return _rule(slug, request, context, user, RuleFields.from_form(form))
    channels = context.state.alerts.channels.of_organization(user.session.organization_id)
    fields = RuleFields(channel_ids=[channel.id for channel in channels][:1])
    kind = request.query_params.get("kind", "")
    subject = KINDS[kind].subject if kind in KINDS else Subject.ISSUE
    if subject is Subject.BUDGET:
        fields = _of_budget(slug, request, context, user, replace(fields, kind=kind))
    elif subject is Subject.MONITOR:
        fields = replace(fields, kind=kind, own={"monitor_slug": form["monitor_slug"]})
    elif query := request.query_params.get("query", ""):
        fields = replace(fields, query=query, kind=kind if kind in KINDS else fields.kind)
        if ISSUE.fullmatch(query):
            fields = _of_one_issue(fields, context, user, channels)
    return _rule(slug, request, context, user, fields)


@router.post("/projects/{slug}/alerts/new")
def create_rule(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "preview":
        return _preview(slug, request, context, user, form)
    if form["action"] == "channel":
        return _to_channels(slug, request, form)
    try:
        rule = _checked(context, caller, user, form)
        context.state.alerts.rules.create(caller.organization_id, slug, rule, actor=caller.actor)
    except (InvalidParameter, LimitReached) as error:
        return _rule(slug, request, context, user, RuleFields.from_form(form), error=error)
    return _back(slug)


@router.get("/projects/{slug}/alerts/{rule_id}")
def rule_page(
    slug: str, rule_id: Id, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    """`action=preview` tests the rule: as it is saved, or with the fields of its form in the address."""
    rule = context.state.alerts.rules.get(user.session.organization_id, slug, rule_id)
    form = Form.from_query(request.url.query)
    if form["action"] == "preview" and form["kind"]:
        return _preview(slug, request, context, user, form, rule_id)
    if form["action"] == "resume":
        return _rule(slug, request, context, user, RuleFields.from_form(form), rule_id)
    tested = as_new(rule) if form["action"] == "preview" else None
    return _rule(slug, request, context, user, RuleFields.from_rule(rule), rule_id, tested)


@router.post("/projects/{slug}/alerts/{rule_id}")
def change_rule(
    slug: str,
    rule_id: Id,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "delete":
        context.state.alerts.rules.delete(caller.organization_id, slug, rule_id, actor=caller.actor)
        return _back(slug)
    if form["action"] == "switch":
        _switch(slug, rule_id, context, caller)
        return _back(slug)
    if form["action"] == "preview":
        return _preview(slug, request, context, user, form, rule_id)
    if form["action"] == "channel":
        return _to_channels(slug, request, form)
    try:
        rule = _checked(context, caller, user, form)
        context.state.alerts.rules.change(caller.organization_id, slug, rule_id, rule, actor=caller.actor)
    except (InvalidParameter, LimitReached) as error:
        return _rule(slug, request, context, user, RuleFields.from_form(form), rule_id, error=error)
    return _back(slug)


@router.post("/projects/{slug}/alerts/channels/new")
def add_channel(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    try:
        created = create_channel(context, caller.organization_id, channel_of(form), actor=caller.actor)
    except (InvalidParameter, AddressRefused) as error:
        return _alerts(slug, request, context, user, form=form, error=error)
    back = _rule_form(slug, form["back"], created.channel.id)
    if created.signing_secret:
        return _alerts(slug, request, context, user, signing_secret=created.signing_secret, back=back)
    return RedirectResponse(back, status_code=303) if back else _back(slug, "channels")


@router.post("/projects/{slug}/alerts/channels/{channel_id}")
def change_channel(
    slug: str,
    channel_id: Id,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    user.project(slug)
    if form["action"] == "delete":
        context.state.alerts.channels.delete(caller.organization_id, channel_id, actor=caller.actor)
        return _back(slug, "channels")
    try_channel(context, caller.organization_id, channel_id, actor=caller.actor)
    return _back(slug, "log")


def _of_one_issue(
    fields: RuleFields, context: Context, user: CurrentUser, channels: list[Channel]
) -> RuleFields:
    """Whenever it occurs again, at most once an hour, by mail to whoever asks, if that is possible."""
    name = f"Issue {fields.query.removeprefix('issue:')[:8]}"
    fields = replace(fields, name=name, own={"over": "0"})
    if own := channel_to(channels, user.session.email):
        return replace(fields, channel_ids=(own.id,))
    if _mail_to(context, user, channels):
        return replace(fields, channel_ids=(), mails_me=True)
    return fields


def _of_budget(
    slug: str, request: Request, context: Context, user: CurrentUser, fields: RuleFields
) -> RuleFields:
    budget_id = request.query_params.get("budget", "")
    if not budget_id:
        return replace(fields, limit=LimitFields.from_query(request.query_params))
    budget = context.state.budgets.get(user.session.organization_id, slug, budget_id)
    limit = LimitFields.from_limit(budget.limit)
    return replace(fields, name=budget.name, limit=limit, budget_id=budget.id)


def _checked(context: Context, caller: Caller, user: CurrentUser, form: Form) -> NewRule:
    """The rule of the form, with a new channel where its maker wants mails. Raises InvalidParameter."""
    rule = checked(rule_of(form))
    if form["mail_me"] != "yes" or context.mail is None:
        return rule
    email = user.session.email
    channel = mailing_channel(context, caller.organization_id, email, actor=caller.actor)
    return replace(rule, channel_ids=tuple({*rule.channel_ids, channel.id}))


def _mail_to(context: Context, user: CurrentUser, channels: list[Channel]) -> str:
    """Whom the form offers to mail over the mail server of the service; empty: a channel does already."""
    is_offered = context.mail is not None and channel_to(channels, user.session.email) is None
    return user.session.email if is_offered else ""


def _to_channels(slug: str, request: Request, form: Form) -> Response:
    """The channels, from where a new one leads back to the form as it is."""
    kept = Form({**form.values, "action": ["resume"]})
    back = urlencode({"back": f"{request.url.path}?{kept.query}"})
    return RedirectResponse(f"/projects/{slug}/alerts?{back}#channels", status_code=303)


def _rule_form(slug: str, back: str, channel_id: str = "") -> str:
    """The address of the form of a rule to go back to, with a further channel; empty: none."""
    path, _, query = back.partition("?")
    here = f"/projects/{slug}/alerts/"
    if not path.startswith(here) or not RULE_FORM.fullmatch(path.removeprefix(here)):
        return ""
    fields = Form.from_query(query).values
    channels = [*fields.get("channel", ()), *filter(None, [channel_id])]
    return f"{path}?{Form({**fields, 'channel': channels, 'action': ['resume']}).query}"


def _preview(
    slug: str, request: Request, context: Context, user: CurrentUser, form: Form, rule_id: str = ""
) -> Response:
    """The rule of the form, tested on past events; its address makes the same page again."""
    fields = RuleFields.from_form(form)
    try:
        address = f"{request.url.path}?{form.query}"
        wanted = rule_of(form)
        tested = checked(replace(wanted, name=wanted.name or UNNAMED))
        return _rule(slug, request, context, user, fields, rule_id, tested, address=address)
    except (InvalidParameter, LimitReached) as error:
        return _rule(slug, request, context, user, fields, rule_id, error=error)


def _switch(slug: str, rule_id: str, context: Context, caller: Caller) -> None:
    rule = context.state.alerts.rules.get(caller.organization_id, slug, rule_id)
    changed = replace(as_new(rule), is_on=not rule.is_on)
    context.state.alerts.rules.change(caller.organization_id, slug, rule_id, changed, actor=caller.actor)


def _alerts(
    slug: str,
    request: Request,
    context: Context,
    user: CurrentUser,
    form: Form | None = None,
    error: ErrataError | None = None,
    signing_secret: str = "",
    back: str = "",
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Alerts of {project.name}", "alerts", project)
    organization_id = user.session.organization_id
    channels = context.state.alerts.channels.of_organization(organization_id, user.session)
    body = render(
        "alerts/list.html",
        page,
        rules=[
            (rule, KINDS[rule.kind].question(rule.condition))
            for rule in context.state.alerts.rules.of_project(organization_id, slug)
        ],
        kinds=KINDS,
        channels=channels,
        channel_kinds=CHANNEL_KINDS,
        channel_names={channel.id: channel.name for channel in channels},
        destination=destination,
        messages=context.state.alerts.messages.of_project(
            organization_id, project.id, limit=MESSAGES_SHOWN, reader=user.session
        ),
        messages_shown=MESSAGES_SHOWN,
        status_words=STATUS_WORDS,
        form=form or Form({}),
        error=error,
        signing_secret=signing_secret,
        back=back or _rule_form(slug, form["back"] if form else request.query_params.get("back", "")),
        has_mail=context.mail is not None,
        watches=bool(context.jobs),
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _rule(
    slug: str,
    request: Request,
    context: Context,
    user: CurrentUser,
    fields: RuleFields,
    rule_id: str = "",
    rule: NewRule | None = None,
    error: ErrataError | None = None,
    address: str = "",
) -> Response:
    """A rule is tested on past events."""
    project = user.project(slug)
    title = f"Alert rule of {project.name}" if rule_id else f"New alert rule of {project.name}"
    page = user.framed(request, title, "alerts", project)
    budgets = context.state.budgets.of_project(user.session.organization_id, slug)
    channels = context.state.alerts.channels.of_organization(user.session.organization_id, user.session)
    if rule:
        rule = replace(rule, condition=_complete(context, user, slug, rule))
    tested = _backtest(context, user, project.id, rule) if rule else None
    body = render(
        "alerts/rule.html",
        page,
        fields=fields,
        rule_id=rule_id,
        kinds=KINDS,
        field_groups={kind.group: kind.fields for kind in KINDS.values() if kind.fields},
        known_choices={"monitor_slug": _monitor_choices(context, project.id, fields)},
        choices=choices_if_known(context.read, project.id, page.now),
        budgets=budgets,
        promise=promise,
        mail_to=_mail_to(context, user, channels),
        destination=destination,
        words=budget_words,
        subject=KINDS[rule.kind].subject if rule else None,
        tested_condition=rule.condition if rule else None,
        unit=_unit(rule) if rule else None,
        caps=CAPS,
        priorities=[level.value for level in Level],
        channels=channels,
        backtest=tested,
        chart=bars(tested.by_day, tested.sentence) if tested else None,
        error=error,
        question=KINDS[rule.kind].question(rule.condition) if rule else "",
        address=address or page.address,
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _complete(context: Context, user: CurrentUser, slug: str, rule: NewRule) -> Mapping[str, Any]:
    return context.state.alerts.rules.with_limit(user.session.organization_id, slug, rule.condition)


def _backtest(context: Context, user: CurrentUser, project_id: int, rule: NewRule) -> Backtest:
    question = Question(project_id, rule.kind, rule.condition, rule.query, rule.cap_minutes, rule.priorities)
    reception = reception_of(context, user.session.organization_id, project_id)
    return backtest(context.read, question, reception=reception)


def _unit(rule: NewRule) -> str | None:
    """Of what a budget limits."""
    return metric_of(rule.condition["metric"]).unit if KINDS[rule.kind].subject is Subject.BUDGET else None


def _monitor_choices(context: Context, project_id: int, fields: RuleFields) -> list[tuple[str, str]]:
    """The monitors of the project, with one that the rule names although its check-ins have expired."""
    try:
        known = slugs_of_project(context.read, project_id, context.state.monitors.slugs(project_id))
    except ErrataError:
        known = []
    chosen = fields.own.get("monitor_slug", "")
    return [("", "All monitors"), *((slug, slug) for slug in sorted({*known, chosen} - {""}))]


def _back(slug: str, anchor: str = "") -> Response:
    address = f"/projects/{slug}/alerts" + (f"#{anchor}" if anchor else "")
    return RedirectResponse(address, status_code=303)

"""The forms of the page Alerts, and the rules and channels they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dashboards.shared.form import Form
from dashboards.shared.limit_form import LimitFields, limit_from
from errata.alerts import channel
from errata.alerts.channel_kind import SECRET
from errata.alerts.field import Field
from errata.alerts.rule import KINDS, kind_of
from errata.alerts.rule_kind import Subject
from errata.budgets.limit import limit_of
from errata.errors import InvalidParameter
from errata.state.alerts.channels import HOURLY_LIMIT, NewChannel
from errata.state.alerts.rule import FOLLOWED, Rule
from errata.state.alerts.rules import NewRule


@dataclass(frozen=True)
class RuleFields:
    """The fields of the form of a rule; `own` are those of its kind."""

    name: str = ""
    kind: str = "new"
    own: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    cap_minutes: str = "60"
    is_on: bool = True
    channel_ids: Sequence[str] = field(default_factory=tuple)
    priorities: Sequence[str] = field(default_factory=tuple)
    limit: LimitFields = field(default_factory=LimitFields)
    budget_id: str = ""
    """Of the budget that the rule follows; empty: it has a limit of its own."""
    mails_me: bool = False

    @classmethod
    def from_rule(cls, rule: Rule) -> "RuleFields":
        is_budget = KINDS[rule.kind].subject is Subject.BUDGET
        return cls(
            rule.name,
            rule.kind,
            {} if is_budget else {name: str(value) for name, value in rule.condition.items()},
            query=rule.query,
            cap_minutes=str(rule.cap_minutes),
            is_on=rule.is_on,
            channel_ids=rule.channel_ids,
            priorities=rule.priorities,
            limit=LimitFields.from_limit(limit_of(rule.condition)) if is_budget else LimitFields(),
            budget_id=rule.budget_id,
        )

    @classmethod
    def from_form(cls, form: Form) -> "RuleFields":
        return cls(
            form["name"],
            form["kind"],
            {each.name: form[each.name] for kind in KINDS.values() for each in kind.fields},
            form["query"],
            form["cap_minutes"],
            form["is_on"] == "yes",
            form.all("channel"),
            form.all("priority"),
            LimitFields.from_form(form),
            form[FOLLOWED],
            form["mail_me"] == "yes",
        )


def rule_of(form: Form) -> NewRule:
    """Raises InvalidParameter."""
    kind = kind_of(form["kind"])
    # What the form only shows for issues is not meant for others.
    is_of_issues = kind.subject is Subject.ISSUE
    if kind.subject is Subject.BUDGET:
        condition = {FOLLOWED: form[FOLLOWED]} if form[FOLLOWED] else limit_from(form).as_condition()
    else:
        condition = {each.name: _value(form, each) for each in kind.fields}
    return NewRule(
        form["name"],
        kind.name,
        condition,
        form["query"] if is_of_issues else "",
        form.number("cap_minutes", 60),
        form["is_on"] == "yes",
        form.all("channel"),
        form.all("priority") if is_of_issues else (),
    )


def as_new(rule: Rule) -> NewRule:
    return NewRule(
        rule.name,
        rule.kind,
        rule.stored_condition,
        rule.query,
        rule.cap_minutes,
        rule.is_on,
        rule.channel_ids,
        rule.priorities,
    )


def channel_of(form: Form) -> NewChannel:
    """Raises InvalidParameter."""
    kind = channel.kind_of(form["kind"])
    # Without a mail server of its own, a channel of email has none of its settings.
    fields = [*kind.fields, *(kind.server_fields if form["host"] else ())]
    settings = {each.name: _value(form, each) for each in fields if each.name != SECRET}
    if len(form[SECRET]) > 4000:
        raise InvalidParameter(SECRET, "at most 4,000 characters")
    limit = form.number("hourly_limit", HOURLY_LIMIT)
    return NewChannel(kind.kind, form["name"], settings, form[SECRET], limit)


def _value(form: Form, field: Field) -> str | int:
    """Raises InvalidParameter."""
    if field.is_number:
        return form.number(field.name, int(field.default or 0))
    return form[field.name] or field.default

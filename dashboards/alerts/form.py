"""The forms of the page Alerts, and the rules and channels they hold."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboards.shared.form import Form
from dashboards.shared.limit_form import LimitFields, limit_from
from errata.alerts.channel import kind_of
from errata.alerts.channel_kind import SECRET
from errata.alerts.kinds import BUDGET
from errata.budgets.limit import limit_of
from errata.errors import InvalidParameter
from errata.state.alerts.channels import HOURLY_LIMIT, NewChannel
from errata.state.alerts.rule import FOLLOWED, Rule
from errata.state.alerts.rules import NewRule

THRESHOLDS = ("events", "users")


@dataclass(frozen=True)
class RuleFields:
    """The fields of the form of a rule."""

    name: str = ""
    kind: str = "new"
    over: str = "100"
    window_minutes: str = "60"
    scope: str = "issue"
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
        is_budget = rule.kind == BUDGET
        own = rule.condition.items() if not is_budget else ()
        condition: dict[str, Any] = {name: str(value) for name, value in own}
        return cls(
            rule.name,
            rule.kind,
            query=rule.query,
            cap_minutes=str(rule.cap_minutes),
            is_on=rule.is_on,
            channel_ids=rule.channel_ids,
            priorities=rule.priorities,
            limit=LimitFields.from_limit(limit_of(rule.condition)) if is_budget else LimitFields(),
            budget_id=rule.budget_id,
            **condition,
        )

    @classmethod
    def from_form(cls, form: Form) -> "RuleFields":
        return cls(
            form["name"],
            form["kind"],
            form["over"],
            form["window_minutes"],
            form["scope"],
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
    kind = form["kind"]
    condition: dict[str, Any] = {}
    if kind in THRESHOLDS:
        condition = {
            "over": form.number("over", 0),
            "window_minutes": form.number("window_minutes", 60),
            "scope": form["scope"] or "issue",
        }
    if kind == BUDGET:
        condition = {FOLLOWED: form[FOLLOWED]} if form[FOLLOWED] else limit_from(form).as_condition()
    # What the form does not show for a budget is not meant.
    is_of_issues = kind != BUDGET
    return NewRule(
        form["name"],
        kind,
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
    kind = kind_of(form["kind"])
    # Without a mail server of its own, a channel of email has none of its settings.
    fields = [*kind.fields, *(kind.server_fields if form["host"] else ())]
    settings = {
        field.name: form.number(field.name, 0) if field.is_number else form[field.name]
        for field in fields
        if field.name != SECRET
    }
    if len(form[SECRET]) > 4000:
        raise InvalidParameter(SECRET, "at most 4,000 characters")
    limit = form.number("hourly_limit", HOURLY_LIMIT)
    return NewChannel(kind.kind, form["name"], settings, form[SECRET], limit)

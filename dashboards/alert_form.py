"""What was typed into the forms of the page Alerts, as the API takes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, cast

from fastapi import Depends, Request

from api.rest.alert_channels import ChannelGiven
from errata.errors import InvalidParameter
from errata.state.alerts.channels import HOURLY_LIMIT
from errata.state.alerts.rules import NewRule, Rule

THRESHOLDS = ("events", "users")


@dataclass(frozen=True)
class Form:
    """Fields by name; of one that may stand several times all values."""

    values: Mapping[str, Sequence[str]]

    def __getitem__(self, name: str) -> str:
        return next(iter(self.values.get(name, ())), "").strip()

    def all(self, name: str) -> list[str]:
        return list(self.values.get(name, ()))

    def number(self, name: str, default: int) -> int:
        """Raises InvalidParameter; empty is the default."""
        text = self[name]
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 12:
            raise InvalidParameter(name.replace("_", " "), "a number")
        return int(text)


async def form_of(request: Request) -> Form:
    given = await request.form(max_files=0, max_fields=100)
    values: dict[str, list[str]] = {}
    for name, value in given.multi_items():
        if isinstance(value, str):
            values.setdefault(name, []).append(value)
    return Form(values)


FormDependency = Annotated[Form, Depends(form_of)]


@dataclass(frozen=True)
class RuleFields:
    """What stands in the form of a rule."""

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

    @classmethod
    def of(cls, rule: Rule) -> "RuleFields":
        condition = {name: str(value) for name, value in rule.condition.items()}
        return cls(
            rule.name,
            rule.kind,
            query=rule.query,
            cap_minutes=str(rule.cap_minutes),
            is_on=rule.is_on,
            channel_ids=rule.channel_ids,
            priorities=rule.priorities,
            **condition,
        )

    @classmethod
    def typed(cls, form: Form) -> "RuleFields":
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
    return NewRule(
        form["name"],
        kind,
        condition,
        form["query"],
        form.number("cap_minutes", 60),
        form["is_on"] == "yes",
        form.all("channel"),
        form.all("priority"),
    )


def channel_of(form: Form) -> ChannelGiven:
    """Raises InvalidParameter."""
    kind = form["kind"]
    settings: dict[str, Any] = {}
    if kind == "email":
        settings = {"to": form["to"]}
        if form["host"]:
            settings |= {
                "host": form["host"],
                "port": form.number("port", 0),
                "security": form["security"],
                "user": form["user"],
                "from": form["from"],
            }
    elif kind == "webhook":
        settings = {"url": form["url"]}
    elif kind != "slack":
        raise InvalidParameter("kind", "email, slack or webhook")
    name, secret = form["name"], form["secret"]
    if not 0 < len(name) <= 100:
        raise InvalidParameter("name", "1 to 100 characters")
    if len(secret) > 4000:
        raise InvalidParameter("secret", "at most 4,000 characters")
    return ChannelGiven(
        kind=cast('Literal["email", "slack", "webhook"]', kind),
        name=name,
        settings=settings,
        secret=secret,
        hourly_limit=form.number("hourly_limit", HOURLY_LIMIT),
    )

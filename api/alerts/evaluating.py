"""Looks at every rule that is on, each half minute, for what has come in since."""

import logging
from datetime import datetime, timedelta

from api.alerts import delivering
from api.context import Context
from api.watch.duty import Duty, Turn
from errata.alerts.budget_crossings import found_between
from errata.alerts.evaluation import Question, events_of, named, sightings, spaced
from errata.alerts.kinds import BUDGET
from errata.budgets.evaluation import mart_of
from errata.budgets.limit import limit_of
from errata.budgets.state import State
from errata.errors import ErrataError
from errata.state.alerts.rules import Rule
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.clock import TICK, warehouse_now
from errata.warehouse.queries.changes import SHOWN_WITHIN, Changes
from errata.warehouse.queries.issues import issue_text
from errata.warehouse.queries.metric_over_time import built_through, last_end

log = logging.getLogger("api.alerts")

# The duty that marks regressions wakes it by this name.
NAME = "alerts"
# A rule that was not looked at for longer, say because the service was off, begins again from there.
CAUGHT_UP = timedelta(days=2)


def evaluation_duty(context: Context) -> Duty:
    changes = Changes(context.read)
    return Duty(NAME, lambda turn: evaluate(context, turn, changes), TICK.total_seconds())


def evaluate(context: Context, turn: Turn, changes: Changes) -> None:
    """A rule that fails is noted on its page and holds up no other."""
    rules = context.state.rules_that_are_on()
    if not rules:
        return
    look = changes.look(sorted({rule.project_id for rule in rules}))
    until = warehouse_now(context.read)
    fired, builds = 0, Builds(context.read)
    for rule in rules:
        if not turn.goes_on():
            return
        if (
            rule.kind != BUDGET
            and look is None
            and changes.noted_at
            and rule.evaluated_until >= changes.noted_at
        ):
            context.state.fire(rule, [], until)
            continue
        try:
            if rule.kind == BUDGET:
                fired += evaluate_budget(context, rule, builds)
            else:
                fired += evaluate_rule(context, rule, until)
        except ErrataError as error:
            log.warning("The alert rule %s could not be looked at: %s", rule.id, error)
            context.state.note_rule_failure(rule.id, str(error))
    if look:
        changes.note(look)
    if fired:
        turn.wake(delivering.NAME)


def evaluate_rule(context: Context, rule: Rule, until: datetime) -> int:
    """What came in since the last time, and what of the last minute may only show now. How many fired."""
    since = max(rule.since, rule.evaluated_until - SHOWN_WITHIN, until - CAUGHT_UP)
    if since >= until:
        return 0
    question = question_of(rule)
    found = sightings(events_of(context.read, question, until), question, since, until)
    texts = {each: issue_text(each.issue_id) if each.issue_id else "" for each in found}
    last = context.state.last_firings(rule.id, sorted(set(texts.values())), since - question.cap)
    known = context.state.known_episodes(rule.id, [(text, each.episode) for each, text in texts.items()])
    fresh = spaced(
        found,
        question.cap,
        {each.issue_id: last[text] for each, text in texts.items() if text in last},
        {(each.issue_id, each.episode) for each, text in texts.items() if (text, each.episode) in known},
    )
    return context.state.fire(rule, named(context.read, rule.project_id, fresh), until)


class Builds:
    """How far the marts are, asked once a round."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self._known: dict[str, datetime | None] = {}

    def of(self, mart: str) -> datetime | None:
        if mart not in self._known:
            self._known[mart] = built_through(self._warehouse, mart)
        return self._known[mart]


def evaluate_budget(context: Context, rule: Rule, builds: Builds) -> int:
    """The windows since the last time; what was told last decides what is a crossing."""
    limit = limit_of(rule.condition)
    as_of = builds.of(mart_of(limit))
    if as_of is None or last_end(as_of, limit.step) <= last_end(rule.evaluated_until, limit.step):
        return 0
    until = last_end(as_of, limit.step)
    told = context.state.last_outcome(rule.id, rule.since)
    after = max(rule.since, told[0] if told else rule.since, until - CAUGHT_UP)
    found = found_between(
        context.read, rule.project_id, rule.condition, after, until, State(told[1]) if told else None
    )
    return context.state.fire(rule, found, as_of)


def question_of(rule: Rule) -> Question:
    return Question(rule.project_id, rule.kind, rule.condition, rule.query, rule.cap_minutes, rule.priorities)

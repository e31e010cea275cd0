"""The job that evaluates every enabled alert rule over the events received since its last run."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from api.context import Context
from api.jobs import alert_delivery
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.reception import reception_of
from api.variant_mapping import VariantMapping
from errata.alerts.budget_crossings import found_between
from errata.alerts.evaluation import Question, events_of, named, sightings, spaced
from errata.alerts.monitor_turns import found_now
from errata.alerts.rule import KINDS
from errata.alerts.rule_kind import Subject
from errata.budgets.evaluation import mart_of
from errata.budgets.limit import limit_of
from errata.budgets.state import State
from errata.errors import ErrataError
from errata.state.alerts.rule import Rule
from errata.warehouse.client import Warehouse
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.alerts.clock import TICK
from errata.warehouse.queries.changes import SHOWN_WITHIN, Changes
from errata.warehouse.queries.monitors.monitors import Monitor, current_monitors
from errata.warehouse.queries.performance.metric_over_time import built_through, last_end
from errata.warehouse.queries.vocabulary import issue_text

log = logging.getLogger("api.jobs")

# The jobs that bring issues back wake it by this name.
NAME = "alerts"
# A rule not evaluated for longer, say because the service was off, begins again from there.
CAUGHT_UP = timedelta(days=2)
# Of variants to read through source maps; of more, a rule may see some as they were sent.
MOST_BATCHES = 10


def alert_evaluation_job(context: Context) -> Job:
    changes, schedule = Changes(context.read), FairSchedule()
    return Job(NAME, lambda run: evaluate(context, run, changes, schedule), TICK.total_seconds())


def evaluate(context: Context, run: Run, changes: Changes, schedule: FairSchedule) -> None:
    """Evaluates all rules. A failing rule shows so on its page; neither it nor a slow project holds up the
    others."""
    enabled = context.state.alerts.rules.enabled()
    # Those of a shard that is away stay due.
    there = set(context.read.reachable({rule.project_id for rule in enabled}))
    rules = sorted(
        (rule for rule in enabled if rule.project_id in there), key=lambda rule: rule.evaluated_until
    )
    if not rules:
        return
    probe = changes.probe(sorted({rule.project_id for rule in rules}))
    round_ = Round(context, warehouse_now(context.read), None if probe else changes.noted_at)
    try:
        schedule.each(run, rules, lambda rule: f"project {rule.project_id}", round_.evaluate)
    finally:
        # Deferred and failed rules stay due: their `evaluated_until` has not moved.
        if probe:
            changes.note(probe)
        if round_.fired_count:
            run.wake(alert_delivery.NAME)


class Round:
    """One pass over all rules. `same_since`: no event was received since then."""

    def __init__(self, context: Context, until: datetime, same_since: datetime | None) -> None:
        self._context = context
        self._until = until
        self._same_since = same_since
        self._builds = Builds(context.read)
        self._monitors = Monitors(context, until)
        self._mapped: set[int] = set()
        self.fired_count = 0

    def evaluate(self, rule: Rule) -> None:
        state = self._context.state
        try:
            self.fired_count += self._fired(rule)
        except ErrataError as error:
            log.warning("Checking alert rule %s failed: %s", rule.id, error)
            state.alerts.rules.note_failure(rule.id, str(error))
        except Exception as error:
            state.alerts.rules.note_failure(rule.id, f"{type(error).__name__}: {error}")
            raise

    def _fired(self, rule: Rule) -> int:
        match KINDS[rule.kind].subject:
            case Subject.ISSUE:
                return self._fired_for_issues(rule)
            case Subject.BUDGET:
                return evaluate_budget(self._context, rule, self._builds)
            case Subject.MONITOR:
                return evaluate_monitors(self._context, rule, self._until, self._monitors)

    def _fired_for_issues(self, rule: Rule) -> int:
        if self._same_since and rule.evaluated_until >= self._same_since:
            return self._context.state.alerts.firings.add(rule, [], self._until)
        self._map_variants(rule.project_id)
        return evaluate_rule(self._context, rule, self._until)

    def _map_variants(self, project_id: int) -> None:
        """A new build of known code would look like new issues until its variants are read through its source
        maps."""
        if project_id not in self._mapped:
            self._mapped.add(project_id)
            context = self._context
            mapping = VariantMapping(context.state, context.warehouse, context.read, project_id)
            for _ in range(MOST_BATCHES):
                if not mapping.map_batch():
                    break


def evaluate_rule(context: Context, rule: Rule, until: datetime) -> int:
    """Evaluates events received since the last time, and those of the last minute that may only be visible
    now.

    Returns the count of firings.
    """
    since = max(rule.since, rule.evaluated_until - SHOWN_WITHIN, until - CAUGHT_UP)
    if since >= until:
        return 0
    question = question_of(rule)
    found = sightings(events_of(context.read, question, until), question, since, until)
    texts = {each: issue_text(each.issue_id) if each.issue_id else "" for each in found}
    last = context.state.alerts.firings.latest(rule.id, sorted(set(texts.values())), since - question.cap)
    known = context.state.alerts.firings.known_episodes(
        rule.id, [(text, each.episode) for each, text in texts.items()]
    )
    fresh = spaced(
        found,
        question.cap,
        {each.issue_id: last[text] for each, text in texts.items() if text in last},
        {(each.issue_id, each.episode) for each, text in texts.items() if (text, each.episode) in known},
    )
    return context.state.alerts.firings.add(rule, named(context.read, rule.project_id, fresh), until)


class Builds:
    """The progress of marts, read once a round."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self._known: dict[str, datetime | None] = {}

    def through(self, mart: str) -> datetime | None:
        if mart not in self._known:
            self._known[mart] = built_through(self._warehouse, mart)
        return self._known[mart]


def evaluate_budget(context: Context, rule: Rule, builds: Builds) -> int:
    """Evaluates the windows built since the last time. A crossing is a change from the last outcome."""
    limit = limit_of(rule.condition)
    as_of = builds.through(mart_of(limit))
    if as_of is None or last_end(as_of, limit.step) <= last_end(rule.evaluated_until, limit.step):
        return 0
    until = last_end(as_of, limit.step)
    last = context.state.alerts.firings.last_outcome(rule.id, rule.since)
    after = max(rule.since, last[0] if last else rule.since, until - CAUGHT_UP)
    found = found_between(
        context.read, rule.project_id, rule.condition, after, until, State(last[1]) if last else None
    )
    return context.state.alerts.firings.add(rule, found, as_of)


class Monitors:
    """The monitors of projects with their states, read once a round."""

    def __init__(self, context: Context, now: datetime) -> None:
        self._context = context
        self._now = now
        self._known: dict[int, Sequence[Monitor]] = {}

    def of_rule(self, rule: Rule) -> Sequence[Monitor]:
        """Those of the rule's project, or the one that it names."""
        if rule.project_id not in self._known:
            slug = rule.condition["monitor_slug"]
            reception = reception_of(self._context, rule.organization_id, rule.project_id)
            found = current_monitors(
                self._context.read, rule.project_id, self._now, reception, [slug] if slug else []
            )
            if slug:
                return found
            self._known[rule.project_id] = found
        return self._known[rule.project_id]


def evaluate_monitors(context: Context, rule: Rule, now: datetime, monitors: Monitors) -> int:
    """Evaluates the monitors as they are now: turns that the rule has not fired for since it was saved."""
    firings = context.state.alerts.firings
    told = firings.last_turns(rule.id, rule.since)
    found = found_now(monitors.of_rule(rule), rule.condition, told, rule.since, now - CAUGHT_UP, now)
    return firings.add(rule, found, now)


def question_of(rule: Rule) -> Question:
    return Question(rule.project_id, rule.kind, rule.condition, rule.query, rule.cap_minutes, rule.priorities)

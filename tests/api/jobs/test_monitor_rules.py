"""Alert rules of monitors over real check-ins, as they come in."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from api.context import Context
from api.jobs.alert_composition import compose
from api.jobs.alert_evaluation import Monitors, evaluate, evaluate_monitors
from api.jobs.fair_schedule import FairSchedule
from api.reception import reception_of
from errata.alerts.backtest import backtest
from errata.alerts.channels import pagerduty
from errata.alerts.evaluation import Question
from errata.alerts.rule import checked
from errata.errors import InvalidParameter
from errata.monitors.config import MonitorConfig
from errata.monitors.schedule import Interval, Unit
from errata.state.alerts.rule import Rule
from errata.state.alerts.rules import NewRule
from errata.state.monitors import NewMonitor
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.changes import Changes
from errata.warehouse.roles import Role
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.builders import a_delivery, insert
from tests.cases import each
from tests.processes import WarehouseProcess

BEGIN = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=12)
HOURLY = MonitorConfig(Interval(1, Unit.HOUR), margin_minutes=5)


def at(hour: float, seconds: float = 0) -> datetime:
    return BEGIN + timedelta(hours=hour, seconds=seconds)


@dataclass
class Jobs:
    hooked: Hooked
    ingest: Warehouse
    context: Context
    project_id: int

    def ran(
        self,
        slug: str,
        hour: float,
        status: str = "ok",
        config: MonitorConfig = HOURLY,
        environment: str = "",
        host: str = "",
    ) -> None:
        row = {
            "project_id": self.project_id,
            "monitor_slug": slug,
            "occurred_at": at(hour),
            "received_at": at(hour),
            "item_id": uuid4(),
            "is_clock_corrected": False,
            "check_in_id": uuid4(),
            "status": status,
            "environment": environment,
            "release": "",
            "service": "",
            "host": host,
            "config": config.text,
        }
        insert(self.ingest, "errata_raw.check_ins", [row])

    def declared(self, slug: str, hour: float, config: MonitorConfig = HOURLY, environment: str = "") -> None:
        self.hooked.clock.now = at(hour)
        monitor = NewMonitor(slug, environment, config)
        self.hooked.store.monitors.declare(
            self.hooked.organization_id, self.hooked.slug, monitor, actor="ada@example.org"
        )

    def delivered(self, host: str, hour: float) -> None:
        row = a_delivery(
            project_id=self.project_id,
            host=host,
            newest_logged_at=at(hour),
            received_at=at(hour),
            file_bytes=10,
        )
        insert(self.ingest, "errata_raw.deliveries", [row])

    def rule(self, hour: float, *channel_ids: str, **condition: Any) -> Rule:
        """Saved at this hour."""
        self.hooked.clock.now = at(hour)
        new = checked(NewRule("Jobs", "monitor", condition, channel_ids=channel_ids))
        return self.hooked.store.alerts.rules.create(
            self.hooked.organization_id, self.hooked.slug, new, actor="ada@example.org"
        )

    def fires(self, rule: Rule, hour: float, seconds: float = 0) -> list[tuple[str, str, str]]:
        """Monitor, environment and outcome of what it fires for at this time."""
        self.hooked.clock.now = now = at(hour, seconds)
        notices = self.hooked.store.alerts.notices
        (channel_id,) = rule.channel_ids
        before = {one.firing_id for one in notices.of_channel(channel_id)}
        count = evaluate_monitors(self.context, rule, now, Monitors(self.context, now))
        found = [one for one in notices.of_channel(channel_id) if one.firing_id not in before]
        assert len(found) == count
        return sorted((one.monitor_slug, one.environment, one.outcome) for one in found)


@pytest.fixture
def jobs(hooked: Hooked, warehouse: WarehouseProcess) -> Iterator[Jobs]:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    project = hooked.store.projects.get(hooked.organization_id, hooked.slug)
    yield Jobs(hooked, ingest, replace(hooked.context, warehouse=ingest, read=read), project.id)
    ingest.close()
    read.close()


def test_a_missed_run_fires_once_when_its_margin_has_passed_and_so_does_the_recovery(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    jobs.ran("nightly", 0)
    rule = jobs.rule(0.5, channel.id)
    assert jobs.fires(rule, 1, 299) == []
    assert jobs.fires(rule, 1, 301) == [("nightly", "", "missed")]
    assert [jobs.fires(rule, hour) for hour in (1.1, 2.1, 3.1)] == [[], [], []]
    jobs.ran("nightly", 3.2)
    assert jobs.fires(rule, 3.21) == [("nightly", "", "recovered")]
    assert jobs.fires(rule, 3.22) == []

    compose(jobs.context, [])
    missed, recovered = sorted(jobs.hooked.log, key=lambda message: message.subject)
    (issue,) = missed.content["issues"]
    assert missed.subject.endswith("Monitor missed a run: nightly")
    assert issue["url"] == f"https://errata.example/projects/{jobs.hooked.slug}/monitors/nightly"
    assert issue["culprit"] == f"no run began at {at(1):%Y-%m-%d %H:%M} UTC"
    assert (issue["id"], issue["resolve_url"], issue["value"]) == ("", "", 1)
    assert recovered.subject.endswith("Monitor recovered: nightly")
    opened, resolved = (pagerduty.events(message.content)[0] for message in (missed, recovered))
    assert (opened["event_action"], resolved["event_action"]) == ("trigger", "resolve")
    assert opened["dedup_key"] == resolved["dedup_key"] == f"errata/{jobs.hooked.slug}/monitors/nightly"


def test_a_declared_job_that_never_ran_fires_and_recovers_with_its_first_run(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    rule = jobs.rule(0, channel.id)
    jobs.declared("nightly", 0.5)
    assert jobs.fires(rule, 1.5, 299) == []
    assert jobs.fires(rule, 1.5, 301) == [("nightly", "", "missed")]
    tested = backtest(
        jobs.context.read,
        Question(jobs.project_id, "monitor", rule.condition, "", 60),
        reception=reception_of(jobs.context, jobs.hooked.organization_id, jobs.project_id),
    )
    assert tested.fired_count == 1
    # A change of what is declared doesn't make it well.
    jobs.declared("nightly", 2, replace(HOURLY, margin_minutes=7))
    assert jobs.fires(rule, 2.1) == []
    jobs.ran("nightly", 2.2)
    assert jobs.fires(rule, 2.21) == [("nightly", "", "recovered")]
    assert jobs.fires(rule, 3.2, 419) == []
    assert jobs.fires(rule, 3.2, 421) == [("nightly", "", "missed")]


def test_a_job_whose_declaration_is_withdrawn_is_as_its_check_ins_say(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    rule = jobs.rule(0, channel.id)
    jobs.declared("never", 0.5)
    jobs.ran("often", 0.6)
    jobs.declared("often", 0.7, replace(HOURLY, margin_minutes=50))
    assert jobs.fires(rule, 2.4) == [("never", "", "missed")]
    for slug in ("never", "often"):
        jobs.hooked.store.monitors.withdraw(
            *(jobs.hooked.organization_id, jobs.hooked.slug, (slug, "")), actor="ada@example.org"
        )
    assert jobs.fires(rule, 2.5) == [("never", "", "recovered")]
    assert jobs.fires(rule, 2.6) == []
    assert jobs.fires(rule, 3.6) == [("often", "", "missed")]


def test_a_rule_is_about_one_monitor_in_each_environment_or_about_all(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    for environment in ("production", "staging"):
        jobs.ran("export", 0, environment=environment)
    jobs.ran("invoices", 0)
    of_all = jobs.rule(0.5, channel.id)
    of_one = jobs.rule(0.5, channel.id, monitor_slug="export")
    for environment in ("production", "staging"):
        jobs.ran("export", 0.7, "error", environment=environment)
    jobs.ran("invoices", 0.7, "error")
    both = [("export", "production", "failing"), ("export", "staging", "failing")]
    assert jobs.fires(of_one, 0.8) == both
    assert jobs.fires(of_all, 0.8) == [*both, ("invoices", "", "failing")]
    jobs.ran("export", 0.9, environment="staging")
    assert jobs.fires(of_one, 0.95) == [("export", "staging", "recovered")]


def test_a_rule_may_wait_for_the_threshold_of_the_monitor(jobs: Jobs) -> None:
    channel, patient = jobs.hooked.channel(), replace(HOURLY, failure_threshold=3)
    jobs.ran("nightly", 0, config=patient)
    at_once, waiting = jobs.rule(0.5, channel.id), jobs.rule(0.5, channel.id, fires_on="failing")
    assert jobs.fires(at_once, 1.1) == [("nightly", "", "missed")]
    assert jobs.fires(waiting, 2.1) == []
    assert jobs.fires(waiting, 3.1) == [("nightly", "", "failing")]
    assert jobs.fires(at_once, 3.1) == []


def test_a_silent_host_never_fires_and_a_late_check_in_takes_a_missed_run_back(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    jobs.ran("nightly", 0, host="web-1")
    jobs.delivered("web-1", 0.01)
    rule = jobs.rule(0.5, channel.id)
    assert jobs.fires(rule, 4) == []
    jobs.delivered("web-1", 1.2)
    assert jobs.fires(rule, 4.1) == [("nightly", "", "missed")]
    for hour in (1, 2, 3, 4):
        jobs.ran("nightly", hour, host="web-1")
    assert jobs.fires(rule, 4.2) == [("nightly", "", "recovered")]


def test_what_failed_before_the_rule_was_saved_is_only_told_when_it_is_over(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    jobs.ran("nightly", 0)
    jobs.ran("nightly", 1, "error")
    rule = jobs.rule(1.5, channel.id)
    assert jobs.fires(rule, 1.6) == []
    jobs.ran("nightly", 1.7)
    assert jobs.fires(rule, 1.8) == [("nightly", "", "recovered")]


def test_the_job_evaluates_them_though_no_event_came_and_a_test_shows_the_same(jobs: Jobs) -> None:
    channel = jobs.hooked.channel()
    jobs.ran("nightly", 0)
    rule = jobs.rule(0.5, channel.id)
    changes, schedule = Changes(jobs.context.read), FairSchedule()
    jobs.hooked.clock.now = datetime.now(UTC)
    for _ in range(2):
        evaluate(jobs.context, EndlessRun(), changes, schedule)
    again = jobs.hooked.store.alerts.rules.get(jobs.hooked.organization_id, jobs.hooked.slug, rule.id)
    assert (again.failure, again.fired_count, again.last_fired_at) == ("", 1, at(1, 300))

    tried = backtest(jobs.context.read, Question(jobs.project_id, "monitor", rule.condition, "", 60))
    (found,) = tried.firings
    assert (found.monitor_slug, found.outcome, found.fired_at) == ("nightly", "missed", at(1, 300))
    assert sum(count for _day, count in tried.by_day) == tried.fired_count == 1
    assert "this rule would have fired once" in tried.sentence


@each(
    "condition, more",
    [
        ({"monitor_slug": "a b"}, {}),
        ({"monitor_slug": 7}, {}),
        ({"fires_on": "ok"}, {}),
        ({"over": 1}, {}),
        ({}, {"query": "environment:production"}),
        ({}, {"priorities": ["high"]}),
    ],
)
def test_a_rule_of_monitors_has_its_own_fields_alone(condition: dict[str, Any], more: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        checked(NewRule("Jobs", "monitor", condition, **more))

"""Declared monitors: what holds now, and what held when."""

from datetime import timedelta

import pytest

from errata.errors import InvalidParameter
from errata.monitors.config import MonitorConfig
from errata.monitors.declaration import Declaration
from errata.monitors.schedule import Crontab, Interval, Unit
from errata.state import Store, monitors
from errata.state.erasures import Named
from errata.state.errors import ProjectNotFound
from errata.state.monitors import FORGOTTEN_AFTER, NewMonitor
from tests.cases import each
from tests.errata.state.conftest import Clock

NIGHTLY = MonitorConfig(Crontab("0 3 * * *", "Europe/Berlin"), "Europe/Berlin", 5, 60)
HOURLY = MonitorConfig(Interval(1, Unit.HOUR))
KEY = ("backup", "production")


def declare(store: Store, organization_id: int, config: MonitorConfig, slug: str = "backup") -> None:
    monitor = NewMonitor(slug, "production", config)
    store.monitors.declare(organization_id, "web-shop", monitor, actor="ada@example.org")


def test_a_monitor_is_declared_changed_and_withdrawn_and_the_activity_log_tells(
    store: Store, organization_id: int, clock: Clock
) -> None:
    project_id, first = store.projects.get(organization_id, "web-shop").id, clock.now
    for _ in range(2):
        declare(store, organization_id, NIGHTLY)
        clock.advance(timedelta(hours=1))
    changed = clock.now
    declare(store, organization_id, HOURLY)
    assert store.monitors.declarations(project_id) == {
        KEY: [Declaration(NIGHTLY, first, changed), Declaration(HOURLY, changed)]
    }
    [row] = store.monitors.of_project(organization_id, "web-shop")
    assert row.monitor == NewMonitor(*KEY, HOURLY)
    assert store.monitors.slugs(project_id) == ["backup"]
    clock.advance(timedelta(hours=1))
    for _ in range(2):
        store.monitors.withdraw(organization_id, "web-shop", KEY, actor="bo@example.org")
    assert store.monitors.declarations(project_id)[KEY][-1] == Declaration(HOURLY, changed, clock.now)
    assert store.monitors.of_project(organization_id, "web-shop") == []
    assert store.monitors.slugs(project_id) == []
    told = store.activity.entries(organization_id, kind="monitor")
    assert [(entry.action, entry.actor, entry.subject) for entry in told] == [
        ("monitor.withdrawn", "bo@example.org", "web-shop: backup/production"),
        ("monitor.changed", "ada@example.org", "web-shop: backup/production"),
        ("monitor.declared", "ada@example.org", "web-shop: backup/production"),
    ]


def test_what_ended_long_ago_is_forgotten(store: Store, organization_id: int, clock: Clock) -> None:
    project_id = store.projects.get(organization_id, "web-shop").id
    declare(store, organization_id, NIGHTLY)
    declare(store, organization_id, NIGHTLY, "kept")
    store.monitors.withdraw(organization_id, "web-shop", KEY, actor="ada@example.org")
    clock.advance(FORGOTTEN_AFTER + timedelta(seconds=1))
    declare(store, organization_id, HOURLY, "another")
    assert {slug for slug, _ in store.monitors.declarations(project_id)} == {"another", "kept"}


@each(
    "slug, environment, parameter",
    [
        ("", "production", "slug"),
        ("Backup", "production", "slug"),
        ("x" * 51, "production", "slug"),
        ("backup", "x" * 65, "environment"),
        ("backup", "two\nlines", "environment"),
    ],
)
def test_names_are_those_of_check_ins(
    store: Store, organization_id: int, slug: str, environment: str, parameter: str
) -> None:
    with pytest.raises(InvalidParameter) as refused:
        store.monitors.declare(
            organization_id, "web-shop", NewMonitor(slug, environment, HOURLY), actor="ada@example.org"
        )
    assert refused.value.parameter == parameter


def test_a_project_has_a_limit_of_monitors_whose_environments_count_once(
    store: Store, organization_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "MOST_A_PROJECT", 2)
    declare(store, organization_id, HOURLY)
    declare(store, organization_id, HOURLY, "export")
    staging = NewMonitor("export", "staging", HOURLY)
    store.monitors.declare(organization_id, "web-shop", staging, actor="ada@example.org")
    with pytest.raises(InvalidParameter, match="at most 2 monitors"):
        declare(store, organization_id, HOURLY, "third")
    with pytest.raises(ProjectNotFound):
        store.monitors.declare(organization_id, "nowhere", staging, actor="ada@example.org")


def test_the_erasure_of_a_project_removes_what_it_declared(store: Store, organization_id: int) -> None:
    project_id = store.projects.get(organization_id, "web-shop").id
    declare(store, organization_id, HOURLY)
    assert store.erasures.remove_texts(Named(project_id, texts=["backup"])) == {}
    assert store.erasures.remove_texts(Named(project_id, is_whole=True)) == {"declared_monitors": 1}
    assert store.monitors.declarations(project_id) == {}

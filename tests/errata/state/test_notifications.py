"""What concerns a person, and nobody else."""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from sqlalchemy import insert, select

from api.notifications import address, sentence
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.firings import Found
from errata.state.alerts.rule import Rule
from errata.state.alerts.rules import NewRule
from errata.state.notifications import MOST_A_PERSON, Kind, NewNotification, Notification
from errata.state.organization import Organization
from errata.state.users import User
from tests.errata.state.conftest import Clock
from tests.people import joins

ISSUE = "00000000000000a1"


@dataclass
class Office:
    """An organization with one project, its owner and ada; eve is in another organization."""

    store: Store
    organization_id: int
    project_id: int
    owner: int
    ada: int
    eve: int

    def of(self, user_id: int) -> list[Notification]:
        return self.store.notifications.of_user(self.organization_id, user_id, MOST_A_PERSON + 1)

    def kinds(self, user_id: int) -> list[Kind]:
        return [one.kind for one in self.of(user_id)]

    def rule(self, kind: str, *emails: str) -> Rule:
        channel = self.store.alerts.channels.create(
            self.organization_id, NewChannel("email", "Ops", {"to": emails, "host": ""}), actor="owner"
        )
        condition = {"over": 1, "window_minutes": 60, "scope": "issue"} if kind == "events" else {}
        new = NewRule("Checkout", kind, condition, channel_ids=[channel.id])
        return self.store.alerts.rules.create(
            self.organization_id, "web-shop", new, actor="owner@example.org"
        )


@pytest.fixture
def office(store: Store, account: FirstAccount, organization_id: int, clock: Clock) -> Office:
    (project,) = store.projects.of_organization(organization_id)
    with store.database.writing() as connection:
        connection.execute(insert(Organization).values(id=99, name="Other", created_at=clock.now))
        owner = connection.execute(select(User)).one().id
    ada, eve = joins(store, organization_id, "ada@example.org"), joins(store, 99, "eve@example.org")
    return Office(store, organization_id, project.id, owner, ada, eve)


@pytest.fixture
def assigned(office: Office, clock: Clock) -> NewNotification:
    topic = f"assigned/{office.project_id}/{ISSUE}"
    return NewNotification(
        "ada@example.org", office.project_id, Kind.ASSIGNED, topic, clock.now, ISSUE, actor="bo@example.org"
    )


def test_a_notification_is_told_once_until_something_newer_of_its_topic(
    office: Office, assigned: NewNotification
) -> None:
    add, of_ada = office.store.notifications.add, office.ada
    add([assigned])
    add([assigned])
    later = replace(assigned, at=assigned.at + timedelta(hours=1))
    add([later, assigned])
    (one,) = office.of(of_ada)
    assert (one.at, one.issue_id, one.project_slug, one.is_read) == (later.at, ISSUE, "web-shop", False)

    office.store.notifications.mark_read(office.organization_id, of_ada, [one.id])
    assert office.store.notifications.unread_count(office.organization_id, of_ada) == 0
    add([later])
    assert [each.is_read for each in office.of(of_ada)] == [True]
    add([replace(assigned, at=assigned.at + timedelta(hours=2))])
    assert [each.is_read for each in office.of(of_ada)] == [False, True]


def test_nobody_outside_the_organization_is_told_and_what_is_deleted_is_not_shown(
    office: Office, assigned: NewNotification
) -> None:
    store = office.store
    store.notifications.add([assigned, replace(assigned, email="eve@example.org")])
    assert (office.kinds(office.ada), office.kinds(office.eve)) == ([Kind.ASSIGNED], [])
    (own,) = office.of(office.ada)
    assert store.notifications.get(office.organization_id, office.owner, own.id) is None
    store.notifications.mark_read(office.organization_id, office.owner, [own.id], own.id)
    assert store.notifications.unread_count(office.organization_id, office.ada) == 1

    scope = office.organization_id, office.ada
    for slugs, count in (([], 0), (["web-shop"], 1), (None, 1)):
        store.members.change_projects(*scope, slugs, actor="test")
        assert (len(office.of(office.ada)), store.notifications.unread_count(*scope)) == (count, count)
    store.notifications.forget_issues({(office.project_id, ISSUE): assigned.at - timedelta(seconds=1)})
    assert office.kinds(office.ada) == [Kind.ASSIGNED]
    store.notifications.forget_issues({(office.project_id, ISSUE): assigned.at})
    assert office.of(office.ada) == []

    store.notifications.add([assigned])
    store.projects.delete(office.organization_id, "web-shop", actor="owner@example.org")
    assert (office.of(office.ada), store.notifications.unread_count(office.organization_id, office.ada)) == (
        [],
        0,
    )


def test_a_person_has_a_bounded_number_of_them_the_latest(office: Office, assigned: NewNotification) -> None:
    many = [
        replace(assigned, topic=f"comment/{number}", at=assigned.at + timedelta(seconds=number))
        for number in range(MOST_A_PERSON + 20)
    ]
    office.store.notifications.add(many[:30])
    office.store.notifications.add(many)
    found = office.of(office.ada)
    assert [one.at for one in found] == [one.at for one in reversed(many[20:])]
    page = office.store.notifications.of_user(office.organization_id, office.ada, 50, before_id=found[49].id)
    assert page == found[50:100]


def test_an_alert_tells_its_maker_and_members_it_is_mailed_to_once(office: Office, clock: Clock) -> None:
    rule = office.rule("new", "Ada@example.org", "eve@example.org", "list@example.com")
    found = [Found(ISSUE, "new", clock.now, 1, "KeyError: 'x'", "shop.pay")]
    firings = office.store.alerts.firings
    assert firings.add(rule, found, clock.now) == 1
    # Another node that finds the same episode, or the next evaluation without a new one.
    assert firings.add(rule, found, clock.now) == 0
    firings.add(rule, [], clock.now)
    (told,) = office.of(office.ada)
    assert (told.kind, told.title, told.detail) == (Kind.ALERT, "KeyError: 'x'", "Checkout")
    assert (told.issue_id, told.rule_id) == (ISSUE, rule.id)
    assert (office.kinds(office.owner), office.kinds(office.eve)) == ([Kind.ALERT], [])


@pytest.mark.slow
def test_a_storm_of_an_alert_is_one_notification_and_a_budget_says_its_direction(
    office: Office, clock: Clock
) -> None:
    rule = office.rule("new", "ada@example.org")
    for hour in range(3):
        clock.advance(timedelta(hours=1))
        storm = [Found(f"{number:016x}", f"new{hour}", clock.now) for number in range(1, 601)]
        assert office.store.alerts.firings.add(rule, storm, clock.now) == 600
    (told,) = office.of(office.ada)
    assert (told.count, told.issue_id, told.at) == (600, "", clock.now)
    office.store.alerts.rules.delete(office.organization_id, "web-shop", rule.id, actor="owner@example.org")
    assert [one.rule_id for one in office.of(office.ada)] == [""]

    budget = office.rule("new", "ada@example.org")
    crossings = [
        Found("", f"{n}", clock.now + timedelta(minutes=n), 40, outcome=outcome, measured=1.5)
        for n, outcome in enumerate(("breached", "kept"))
    ]
    office.store.alerts.firings.add(budget, crossings, clock.now)
    assert office.kinds(office.ada)[:2] == [Kind.BUDGET_RECOVERED, Kind.BUDGET_BREACHED]


def test_an_alert_of_monitors_tells_of_each_in_each_environment(office: Office, clock: Clock) -> None:
    rule = office.rule("monitor", "ada@example.org")
    found = [
        Found("", environment, clock.now, 1, "nightly", "", "missed", None, "nightly", environment)
        for environment in ("production", "staging")
    ]
    office.store.alerts.firings.add(rule, found, clock.now)
    told = office.of(office.ada)
    assert [(one.kind, one.title) for one in told] == [(Kind.MONITOR_MISSED, "nightly")] * 2
    assert {address(one) for one in told} == {"/projects/web-shop/monitors/nightly"}
    assert {sentence(one) for one in told} == {"Monitor missed a run: Checkout"}

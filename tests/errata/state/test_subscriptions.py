"""Who follows an issue, until it or they are gone."""

from datetime import timedelta

import pytest

from errata.state.erasures import Named
from errata.state.notifications import Kind, NewNotification
from errata.state.subscriptions import Subscription
from tests.errata.state.conftest import Clock
from tests.errata.state.test_notifications import ISSUE, Office, office

__all__ = ["office"]
OTHER = "00000000000000b2"


@pytest.fixture
def followed(office: Office) -> Office:
    for user_id in (office.owner, office.ada, office.ada):
        office.store.subscriptions.follow(office.project_id, ISSUE, user_id)
    office.store.subscriptions.follow(office.project_id, OTHER, office.ada)
    return office


def followers(office: Office) -> list[tuple[str, str]]:
    listed: list[Subscription] = office.store.subscriptions.of_projects([office.project_id])
    return [(one.issue_id, one.email.partition("@")[0]) for one in listed]


def test_a_person_follows_once_and_only_what_they_see(followed: Office) -> None:
    followed.store.subscriptions.follow(followed.project_id, ISSUE, followed.eve)
    assert followers(followed) == [(ISSUE, "owner"), (ISSUE, "ada"), (OTHER, "ada")]
    assert followed.store.subscriptions.followed_projects() == [followed.project_id]
    followed.store.subscriptions.unfollow(followed.project_id, [ISSUE, OTHER], followed.ada)
    assert followers(followed) == [(ISSUE, "owner")]


def test_a_deleted_issue_is_followed_by_nobody_and_a_new_subscription_stays(
    followed: Office, clock: Clock
) -> None:
    deleted = {(followed.project_id, ISSUE): clock.now}
    clock.advance(timedelta(seconds=1))
    followed.store.subscriptions.forget_issues(deleted)
    assert followers(followed) == [(OTHER, "ada")]
    followed.store.subscriptions.follow(followed.project_id, ISSUE, followed.ada)
    followed.store.subscriptions.forget_issues(deleted)
    assert (ISSUE, "ada") in followers(followed)


def test_an_erased_issue_is_followed_by_nobody(followed: Office) -> None:
    erase = followed.store.erasures.remove_texts
    assert erase(Named(followed.project_id, [ISSUE])) == {"subscriptions": 2}
    assert followers(followed) == [(OTHER, "ada")]
    assert erase(Named(followed.project_id, is_whole=True)) == {"subscriptions": 1}


def test_what_is_mailed_is_due_until_it_was_sent(office: Office, clock: Clock) -> None:
    def new(number: int, *, is_mailed: bool) -> NewNotification:
        topic = f"reopened/{number}"
        return NewNotification(
            "ada@example.org", office.project_id, Kind.REOPENED, topic, clock.now, ISSUE, is_mailed=is_mailed
        )

    store = office.store.notifications
    store.add([new(1, is_mailed=True), new(2, is_mailed=False)])
    (due,) = store.mails_due()
    assert (due.email, due.attempt_count, due.notification.kind) == ("ada@example.org", 0, Kind.REOPENED)
    store.note_mailed([due.notification.id], clock.now + timedelta(minutes=1))
    assert store.mails_due() == []
    clock.advance(timedelta(minutes=2))
    (again,) = store.mails_due()
    assert again.attempt_count == 1
    store.note_mailed([again.notification.id])
    clock.advance(timedelta(days=1))
    assert store.mails_due() == []

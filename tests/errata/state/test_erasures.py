"""What the state store keeps of an erasure, and what it removes for one."""

from collections.abc import Collection

import pytest
from sqlalchemy import Text, insert, select, type_coerce, update

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.alerts.channel import Channel
from errata.state.alerts.firings import Firing
from errata.state.alerts.messages import Message
from errata.state.alerts.notice import NoticeRow
from errata.state.alerts.rule import Rule
from errata.state.erasures import ERASED, MOST_NAMED, Named
from errata.state.integrations import Integration
from errata.state.notifications import Notification
from errata.state.saved_searches import SavedSearch
from errata.state.sealed_secrets import SealedSecret
from errata.state.share_links import Shared
from errata.state.tracker_links import TrackerLink
from errata.state.users import User
from tests.errata.state.conftest import Clock

ISSUE, OTHER = "00000000000000aa", "00000000000000bb"
EVENT = "a" * 32
VERA = "vera_%@example.org"
SEALED = {"by": "email", "words": VERA}


@pytest.fixture
def project_id(store: Store, organization_id: int, account: FirstAccount) -> int:
    return store.projects.get(organization_id, account.project).id


def test_a_person_is_kept_sealed_until_the_rows_are_gone(store: Store, organization_id: int) -> None:
    subject = store.erasures.person_hash("email", VERA)
    sealed_id = store.erasures.ask(organization_id, "ada@example.org", f"person {subject}", SEALED)
    with store.database.reading() as connection:
        (kept,) = connection.execute(select(SealedSecret).where(SealedSecret.id == sealed_id)).all()
    assert VERA not in f"{kept} {store.activity.entries(organization_id)}"
    assert store.erasures.subject(organization_id, sealed_id) == SEALED
    assert store.erasures.subject(organization_id + 1, sealed_id) is None
    store.erasures.complete(organization_id, sealed_id, "person, 3 rows")
    assert store.erasures.subject(organization_id, sealed_id) is None
    actions = [entry.action for entry in store.activity.entries(organization_id, kind="erasure")]
    assert actions == [Action.ERASURE_ROWS_REMOVED, Action.ERASURE_ASKED]


def fill(store: Store, organization_id: int, project_id: int, now: Clock) -> None:
    """Two issues' firings and messages; notifications and searches with and without the person."""
    at = now()
    with store.database.writing() as connection:
        user_id = connection.execute(select(User.id)).scalars().first()
        channel = {
            **{"id": "c", "organization_id": organization_id, "kind": "webhook", "name": "c"},
            **{"settings": {}, "secret_id": "", "hourly_limit": 1, "created_at": at},
        }
        connection.execute(insert(Channel).values(**channel))
        rule = {
            **{"id": "r", "organization_id": organization_id, "project_id": project_id, "name": "r"},
            **{"kind": "new_issue", "condition": {}, "query": "", "cap_minutes": 1},
            **{"is_on": True, "created_at": at, "created_by": "ada", "evaluated_until": at},
            **{"since": at, "failure": ""},
        }
        connection.execute(insert(Rule).values(**rule))
        for number, (issue, title) in enumerate(((ISSUE, "boom"), (OTHER, "no account"))):
            firing = {
                **{"id": f"f{number}", "rule_id": "r", "issue_id": issue, "episode": "e", "fired_at": at},
                **{"found_at": at, "value": 1, "title": title, "culprit": "shop.cart"},
            }
            connection.execute(insert(Firing).values(**firing))
            message = {
                **{"id": f"m{number}", "organization_id": organization_id, "project_id": project_id},
                **{"channel_id": "c", "kind": "alert", "subject": title, "content": {"a": 1}},
                **{"recipient": "", "created_at": at, "status": "waiting", "next_attempt_at": at},
                **{"attempt_count": 0, "answer": ""},
            }
            connection.execute(insert(Message).values(**message))
            notice = {"firing_id": f"f{number}", "channel_id": "c", "message_id": f"m{number}"}
            connection.execute(insert(NoticeRow).values(**notice))
        for number, title in enumerate((f"Mail to {VERA.upper()} failed", "veraXYexample.org failed")):
            notification = {
                **{"user_id": user_id, "project_id": project_id, "kind": "alert", "topic": f"t{number}"},
                **{"at": at, "issue_id": OTHER, "rule_id": "", "count": 1, "actor": "", "title": title},
                **{"detail": ""},
            }
            connection.execute(insert(Notification).values(**notification))
            search = {
                **{"project_id": project_id, "user_id": user_id, "name": f"s{number}", "query": title},
                **{"sort": "", "is_shared": False, "created_at": at},
            }
            connection.execute(insert(SavedSearch).values(**search))


def titles(store: Store) -> dict[str, list[str]]:
    with store.database.reading() as connection:
        return {
            name: sorted(connection.execute(select(column)).scalars())
            for name, column in (
                ("firings", Firing.title),
                ("subjects", Message.subject),
                ("contents", type_coerce(Message.content, Text)),
                ("statuses", Message.status),
                ("notifications", Notification.title),
                ("searches", SavedSearch.name),
            )
        }


def test_what_names_an_erased_issue_goes_and_the_rest_stays(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    fill(store, organization_id, project_id, clock)
    for shared in (Shared(ISSUE), Shared(OTHER, EVENT), Shared(OTHER)):
        store.share_links.create(organization_id, project_id, shared, None, actor="ada@example.org")

    def erased(events: Collection[str]) -> Collection[str]:
        return set(events) & {EVENT}

    found = store.erasures.remove_texts(Named(project_id, [ISSUE], (), erased))
    assert found == {"share_links": 2, "alert_firings": 1, "alert_messages": 1}
    after = titles(store)
    assert after["firings"] == [ERASED, "no account"]
    # A message that waits is not sent without its content.
    assert (after["subjects"], after["contents"]) == ([ERASED, "no account"], ['{"a": 1}', "{}"])
    assert after["statuses"] == ["failed", "waiting"]
    assert store.erasures.remove_texts(Named(project_id, [ISSUE], (), erased)) == {}


def test_a_persons_texts_are_found_in_any_case_and_are_no_pattern(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    fill(store, organization_id, project_id, clock)
    found = store.erasures.remove_texts(Named(project_id, texts=[VERA]))
    assert found == {"notifications": 1, "saved_searches": 1}
    after = titles(store)
    assert after["notifications"] == [ERASED, "veraXYexample.org failed"]
    assert after["searches"] == ["s1"]
    assert store.erasures.remove_texts(Named(project_id + 1, texts=[VERA], is_whole=True)) == {}


def test_a_name_beyond_ascii_is_found_in_texts_and_in_contents(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    fill(store, organization_id, project_id, clock)
    name = 'ÖZGE "O" Ünal'
    with store.database.writing() as connection:
        connection.execute(update(Notification).values(title=f"Mail to {name} failed"))
        content = {"issues": [{"title": f"Mail to {name} failed"}]}
        connection.execute(update(Message).where(Message.id == "m0").values(content=content))
    found = store.erasures.remove_texts(Named(project_id, texts=[name]))
    assert found == {"notifications": 2, "alert_messages": 1}
    assert titles(store)["contents"] == ['{"a": 1}', "{}"]


def test_a_person_of_many_texts_is_removed(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    fill(store, organization_id, project_id, clock)
    others = [f"guest{number}@example.org" for number in range(1_200)]
    found = store.erasures.remove_texts(Named(project_id, texts=[*others, "no account"]))
    assert found == {"alert_firings": 1, "alert_messages": 1}


def test_links_of_many_erased_issues_all_go(
    store: Store, organization_id: int, project_id: int, clock: Clock
) -> None:
    issues = [f"{number:016x}" for number in range(MOST_NAMED + 1)]
    tracker = {
        **{"id": "i", "organization_id": organization_id, "project_id": project_id, "kind": "github"},
        **{"base_url": "", "target": "o/r", "account": "", "issue_type": "", "secret_id": ""},
        **{"created_at": clock(), "created_by": "ada"},
    }
    row = {
        **{"project_id": project_id, "integration_id": "i", "url": "", "title": "boom", "is_open": True},
        **{"status": "open", "problem": "", "fetched_at": clock(), "linked_at": clock(), "linked_by": "ada"},
    }
    with store.database.writing() as connection:
        rows = [{"id": issue, "issue_id": issue, "key": issue, **row} for issue in issues]
        connection.execute(insert(Integration).values(**tracker))
        connection.execute(insert(TrackerLink), rows)
    assert store.erasures.remove_texts(Named(project_id, issues)) == {"linked_issues": len(issues)}


def test_all_of_a_project_goes(store: Store, organization_id: int, project_id: int, clock: Clock) -> None:
    fill(store, organization_id, project_id, clock)
    store.erasures.remove_texts(Named(project_id, is_whole=True))
    after = titles(store)
    assert (after["firings"], after["notifications"]) == ([ERASED] * 2, [ERASED] * 2)
    assert (after["subjects"], after["searches"]) == ([ERASED] * 2, [])

"""Following an issue over HTTP: what followers hear, in the bell and by mail, until they or it are gone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from api.jobs.followed_escalations import followed_escalation_job
from api.jobs.notification_mails import send_mails
from errata.outgoing import Outgoing
from errata.state.notifications import Kind
from errata.warehouse.roles import Role
from tests.api.conftest import Api
from tests.api.jobs.conftest import LOOPBACK, EndlessRun
from tests.api.rest.test_issue_actions import act, project_id
from tests.api.rest.test_issues import FIRST, SECOND, THIRD, shop
from tests.api.rest.test_notifications import ADA, OWNER, by_ada, told
from tests.builders import an_error_event, insert
from tests.errata.alerts.test_mail import Mailbox, mail_server, server
from tests.people import joins
from tests.processes import WarehouseProcess

__all__ = ["shop"]


@pytest.fixture
def signed_in(shop: Api) -> Api:
    shop.sign_in()
    joins(shop.store, 1, ADA)
    return shop


def subscription(api: Api, method: str, issue_id: str) -> Any:
    answer = api.client.request(method, f"/api/issues/{issue_id}/subscription", headers=api.sign_in())
    assert answer.status_code == 200, answer.text
    return answer.json()


def mailed(api: Api) -> list[Any]:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:
        context = replace(api.app.state.context, mail=server(port), outgoing=Outgoing(LOOPBACK))
        for _ in range(2):
            send_mails(context, EndlessRun())
    return mailbox.mails


@pytest.mark.slow
def test_a_follower_hears_of_a_comment_and_of_a_reopening_also_by_mail(
    signed_in: Api, warehouse: WarehouseProcess
) -> None:
    shop = signed_in
    for _ in range(2):
        found = subscription(shop, "PUT", THIRD)
        assert found == {"is_subscribed": True, "followers": [OWNER]}
    by_ada(shop, warehouse, "comment", THIRD, '{"text": "<b>Again</b>"}')
    by_ada(shop, warehouse, "resolve", THIRD)
    by_ada(shop, warehouse, "unresolve", THIRD)
    by_ada(shop, warehouse, "unresolve", FIRST)
    assert told(shop) == [("reopened", THIRD, ""), ("commented", THIRD, "<b>Again</b>")]
    [mail] = mailed(shop)
    text, html = (mail.get_body((kind,)).get_content().replace("\r", "") for kind in ("plain", "html"))
    assert (mail["to"], mail["subject"]) == (OWNER, "[Web shop] 2 notifications about issues you follow")
    assert f"{ADA} reopened an issue that you follow\nError 3" in text
    assert f"/projects/web-shop/issues/{THIRD}?tab=activity" in text and "Stop alerting me" in text
    assert "&lt;b&gt;Again" in html and "<b>" not in html

    assert subscription(shop, "DELETE", THIRD) == {"is_subscribed": False, "followers": []}
    by_ada(shop, warehouse, "unresolve", THIRD)
    assert len(told(shop)) == 2
    assert mailed(shop) == []


@pytest.mark.slow
def test_a_merge_carries_followers_along_and_a_deletion_ends_them(signed_in: Api) -> None:
    shop = signed_in
    subscription(shop, "PUT", FIRST)
    merged = shop.client.post(f"/api/issues/{FIRST}/merge", json={"into": SECOND}, headers=shop.key)
    assert merged.status_code == 200, merged.text
    assert subscription(shop, "GET", SECOND)["is_subscribed"]
    act(shop, "unresolve", SECOND)
    assert told(shop) == [("reopened", SECOND, "")]
    assert not subscription(shop, "DELETE", SECOND)["is_subscribed"]

    subscription(shop, "PUT", FIRST)
    act(shop, "delete", SECOND)
    told(shop)
    assert subscription(shop, "GET", SECOND)["followers"] == []


@pytest.mark.slow
def test_a_follower_hears_once_an_hour_that_an_issue_escalates(
    signed_in: Api, warehouse: WarehouseProcess
) -> None:
    shop = signed_in
    subscription(shop, "PUT", SECOND)
    now = datetime.now(UTC)
    own, hour = project_id(shop), now.replace(minute=0, second=0, microsecond=0)
    moments = [now - timedelta(hours=30), *[max(hour, now - timedelta(seconds=5))] * 150]
    for variant in (1, 2):
        events = [
            an_error_event(
                project_id=own,
                variant_hash=variant,
                item_id=uuid4(),
                occurred_at=at,
                received_at=at,
            )
            for at in moments
        ]
        insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)
    for _ in range(2):
        followed_escalation_job(shop.app.state.context).work(EndlessRun())
    [(kind, issue_id, detail)] = told(shop)
    assert (kind, issue_id) == (Kind.ESCALATED, SECOND)
    assert detail.endswith("events in an hour, more than its history predicts")


@pytest.mark.slow
def test_only_people_follow_and_only_issues_that_they_see(signed_in: Api) -> None:
    shop = signed_in
    address = f"/api/issues/{FIRST}/subscription"
    assert shop.error(403, "PUT", address, headers=shop.key) == "forbidden"
    assert shop.error(403, "PUT", address) == "csrf_failed"
    unknown = "/api/issues/00000000000000ff/subscription"
    assert shop.error(404, "PUT", unknown, headers=shop.sign_in()) == "issue_not_found"

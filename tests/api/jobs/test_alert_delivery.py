import base64
import hashlib
import hmac
import json
import multiprocessing
import os
import signal
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from api.jobs import alert_composition
from api.jobs.alert_composition import compose
from api.jobs.alert_delivery import deliver, next_wait
from api.jobs.failures import ItemsFailed
from errata.alerts.channel import recipient, send
from errata.alerts.channels.webhook import signature
from errata.errors import InvalidParameter
from errata.outgoing import Outgoing, Policy
from errata.state.alerts.channel import Channel
from errata.state.errors import AlertChannelNotFound
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.errata.outgoing.servers import Reply


def told(hooked: Hooked) -> list[dict[str, object]]:
    return [json.loads(asked.body) for asked in hooked.server.asked]


def test_what_fired_is_told_once(hooked: Hooked) -> None:
    hooked.fire(hooked.rule(hooked.channel()), 1)
    for _ in range(3):
        deliver(hooked.context, EndlessRun())
    [said] = told(hooked)
    assert said["type"] == "alert.fired"
    data = said["data"]
    assert isinstance(data, dict)
    assert data["text"] == "[Web shop] New issue: ValueError: 0"
    [issue] = data["issues"]
    assert issue["url"] == "https://errata.example/projects/web-shop/issues/0000000000000000"
    [logged] = hooked.log
    assert (logged.status, logged.attempt_count, logged.answer) == ("sent", 1, "200 ok")


def test_a_receiver_can_check_who_sent_it_and_when(hooked: Hooked) -> None:
    """As the Standard Webhooks convention says, with nothing of ours."""
    hooked.fire(hooked.rule(hooked.channel()), 1)
    deliver(hooked.context, EndlessRun())
    [asked] = hooked.server.asked
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    digest = hmac.new(base64.b64decode("QUJD" * 10), signed, hashlib.sha256).digest()
    assert asked.headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    assert asked.headers["webhook-id"] == json.loads(asked.body)["id"] == hooked.log[0].id


def test_the_signature_of_the_conventions_own_example() -> None:
    body = b'{"test": 2432232314}'
    said = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body
    )
    assert said == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_flood_is_one_message_that_names_the_worst(hooked: Hooked) -> None:
    hooked.fire(hooked.rule(hooked.channel()), 400)
    deliver(hooked.context, EndlessRun())
    [said] = told(hooked)
    data = said["data"]
    assert isinstance(data, dict)
    assert said["type"] == "alert.digest" and data["text"] == "[Web shop] 400 new issues"
    assert [issue["value"] for issue in data["issues"]] == list(range(399, 389, -1))
    assert (data["total"], data["more"]) == (400, 390)


def test_a_channel_is_told_no_more_than_so_many_times_an_hour(hooked: Hooked) -> None:
    rule = hooked.rule(hooked.channel(hourly_limit=3))
    for number in range(30):
        hooked.fire(rule, 1, start=number)
        deliver(hooked.context, EndlessRun())
        hooked.clock.advance(timedelta(minutes=1))
    assert len(told(hooked)) == 3
    hooked.clock.advance(timedelta(minutes=31))
    deliver(hooked.context, EndlessRun())
    assert len(told(hooked)) == 4
    data = told(hooked)[-1]["data"]
    assert isinstance(data, dict)
    assert data["total"] == 27 and "limited to 3 messages per hour" in data["held_back"]
    firings = [issue for said in told(hooked) for issue in [said["data"]["total"]]]  # type: ignore[index]
    assert sum(firings) == 30


def test_messages_of_one_instant_are_on_one_page_or_the_next(hooked: Hooked) -> None:
    """The clock stands still."""
    hooked.fire(hooked.rule(*(hooked.channel(name=f"Ops {number}") for number in range(5))), 1)
    compose(hooked.context, [])
    project = hooked.store.projects.get(hooked.organization_id, hooked.slug)
    pages, place = list[str](), None
    while found := hooked.store.alerts.messages.of_project(
        hooked.organization_id, project.id, limit=2, before=place
    ):
        pages += [message.id for message in found]
        place = (found[-1].created_at, found[-1].id)
    assert pages == [message.id for message in hooked.log] and len(set(pages)) == 5


def test_what_fails_is_sent_again_with_the_same_id_until_it_is_heard(hooked: Hooked) -> None:
    hooked.replies.append(lambda asked: Reply(500, {}, b"no database"))
    hooked.fire(hooked.rule(hooked.channel()), 1)
    deliver(hooked.context, EndlessRun())
    deliver(hooked.context, EndlessRun())
    assert len(hooked.server.asked) == 1
    assert (hooked.log[0].status, hooked.log[0].answer) == ("waiting", "500 no database")
    hooked.clock.advance(timedelta(seconds=11))
    deliver(hooked.context, EndlessRun())
    hooked.replies.append(lambda asked: Reply(204))
    hooked.clock.advance(timedelta(seconds=31))
    deliver(hooked.context, EndlessRun())
    assert (hooked.log[0].status, hooked.log[0].attempt_count) == ("sent", 3)
    assert len({asked.headers["webhook-id"] for asked in hooked.server.asked}) == 1


def test_a_server_may_say_when_to_come_again(hooked: Hooked) -> None:
    hooked.replies.append(lambda asked: Reply(429, {"Retry-After": "300"}))
    hooked.fire(hooked.rule(hooked.channel()), 1)
    deliver(hooked.context, EndlessRun())
    hooked.clock.advance(timedelta(seconds=290))
    deliver(hooked.context, EndlessRun())
    assert len(hooked.server.asked) == 1
    hooked.clock.advance(timedelta(seconds=20))
    deliver(hooked.context, EndlessRun())
    assert len(hooked.server.asked) == 2


def test_after_a_day_a_message_is_given_up_and_the_log_says_so(hooked: Hooked) -> None:
    hooked.replies.append(lambda asked: Reply(503, {}, b"away"))
    hooked.fire(hooked.rule(hooked.channel()), 1)
    for _ in range(60):
        deliver(hooked.context, EndlessRun())
        hooked.clock.advance(timedelta(hours=1, seconds=1))
    assert (hooked.log[0].status, hooked.log[0].answer) == ("failed", "503 away")
    assert 20 <= len(hooked.server.asked) <= 32


@pytest.mark.parametrize("status", [400, 401, 404, 410, 422])
def test_what_would_be_refused_every_time_is_sent_once(hooked: Hooked, status: int) -> None:
    hooked.replies.append(lambda asked: Reply(status, {}, b"never"))
    hooked.fire(hooked.rule(hooked.channel()), 1)
    for _ in range(3):
        deliver(hooked.context, EndlessRun())
        hooked.clock.advance(timedelta(hours=2))
    assert len(hooked.server.asked) == 1
    assert (hooked.log[0].status, hooked.log[0].answer) == ("failed", f"{status} never")


@pytest.mark.parametrize("status", [408, 425, 429, 500])
def test_what_time_may_mend_is_sent_again(hooked: Hooked, status: int) -> None:
    hooked.replies.append(lambda asked: Reply(status))
    hooked.fire(hooked.rule(hooked.channel()), 1)
    deliver(hooked.context, EndlessRun())
    assert hooked.log[0].status == "waiting"


def test_an_address_that_is_refused_by_now_fails_at_once(hooked: Hooked) -> None:
    hooked.fire(hooked.rule(hooked.channel(settings={"url": "http://2130706433/"})), 1)
    context = replace(hooked.context, outgoing=Outgoing(Policy(allows_http=True)))
    deliver(context, EndlessRun())
    [logged] = hooked.log
    assert (logged.status, logged.attempt_count) == ("failed", 1)
    assert logged.answer.startswith("127.0.0.1: private address")


def test_waits_grow_and_heed_what_the_server_asks_for() -> None:
    waits = [next_wait(number, 0).total_seconds() for number in range(8)]
    assert waits == [10, 30, 120, 600, 1800, 3600, 3600, 3600]
    assert next_wait(0, 60).total_seconds() == 60 and next_wait(0, float("inf")) == timedelta(hours=6)


def test_a_channel_that_fails_holds_up_no_other(hooked: Hooked) -> None:
    deaf = hooked.channel(settings={"url": "http://127.0.0.1:9/"}, name="Deaf")
    hooked.fire(hooked.rule(deaf, hooked.channel()), 2)
    deliver(hooked.context, EndlessRun())
    assert len(hooked.server.asked) == 2
    by_channel = {(message.channel_name, message.status) for message in hooked.log}
    assert by_channel == {("Deaf", "waiting"), ("Ops", "sent")}


def test_a_deleted_channel_is_told_nothing_more(hooked: Hooked) -> None:
    channel = hooked.channel()
    hooked.replies.append(lambda asked: Reply(500))
    hooked.fire(hooked.rule(channel), 1)
    deliver(hooked.context, EndlessRun())
    hooked.store.alerts.channels.delete(hooked.organization_id, channel.id, actor="owner@example.org")
    hooked.clock.advance(timedelta(hours=1))
    deliver(hooked.context, EndlessRun())
    assert hooked.log[0].status == "cancelled" and len(hooked.server.asked) == 1
    with pytest.raises(AlertChannelNotFound):
        hooked.store.alerts.channels.get(hooked.organization_id, channel.id)
    with pytest.raises(InvalidParameter):
        hooked.rule(channel)


def _die_before_the_answer_is_noted(hooked: Hooked) -> None:
    def kill(*_noted: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    hooked.store.alerts.messages.note_attempt = kill  # type: ignore[method-assign, assignment]
    deliver(hooked.context, EndlessRun())


def test_a_kill_between_sending_and_noting_sends_again_under_the_same_id(hooked: Hooked) -> None:
    hooked.fire(hooked.rule(hooked.channel()), 1)
    hooked.store.close()
    node = multiprocessing.get_context("fork").Process(target=_die_before_the_answer_is_noted, args=(hooked,))
    node.start()
    node.join(20)
    assert node.exitcode == -signal.SIGKILL
    assert len(hooked.server.asked) == 1 and hooked.log[0].status == "waiting"
    deliver(hooked.context, EndlessRun())
    assert len(hooked.server.asked) == 1
    hooked.clock.advance(timedelta(minutes=3))
    deliver(hooked.context, EndlessRun())
    assert hooked.log[0].status == "sent"
    assert len({asked.headers["webhook-id"] for asked in hooked.server.asked}) == 1
    assert len(hooked.server.asked) == 2


def test_a_message_that_cannot_be_made_holds_up_no_other_channel_and_is_tried_again(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, works = hooked.channel(name="Broken"), hooked.channel(name="Works")
    hooked.fire(hooked.rule(broken), 1)
    hooked.fire(hooked.rule(works), 1, start=5)

    def failing(channel: Channel, *rest: Any) -> str:
        if channel.id == broken.id:
            raise ValueError("a body that cannot be written")
        return send(channel, *rest)

    monkeypatch.setattr("api.jobs.alert_delivery.send", failing)
    with pytest.raises(ItemsFailed):
        deliver(hooked.context, EndlessRun())
    assert len(told(hooked)) == 1
    (waiting,) = [message for message in hooked.log if message.channel_id == broken.id]
    assert waiting.status == "waiting" and "ValueError" in waiting.answer
    monkeypatch.undo()
    hooked.clock.advance(timedelta(minutes=1))
    deliver(hooked.context, EndlessRun())
    assert len(told(hooked)) == 2


def test_a_channel_that_cannot_be_composed_for_holds_up_no_other(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, works = hooked.channel(name="Broken"), hooked.channel(name="Works")
    hooked.fire(hooked.rule(broken), 1)
    hooked.fire(hooked.rule(works), 1, start=5)
    answers = iter([ValueError("no recipient")])

    def failing(*given: Any) -> str:
        if error := next(answers, None):
            raise error
        return recipient(*given)

    monkeypatch.setattr(alert_composition, "recipient", failing)
    with pytest.raises(ItemsFailed):
        deliver(hooked.context, EndlessRun())
    assert len(told(hooked)) == 1
    deliver(hooked.context, EndlessRun())
    assert len(told(hooked)) == 2

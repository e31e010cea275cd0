"""Erased replays are gone from the files of the warehouse, which are read block by block."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.api.test_erasures import Service
from tests.api.test_erasures import service as service
from tests.api.test_erasures import warehouse_process as warehouse_process
from tests.captured_replays import CapturedReplay, at_ms, captured_replays, recorded_bytes, recording_line
from tests.stored_blocks import inflated_contents

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def with_mark(replay: CapturedReplay) -> str:
    """Puts a text into the recording that stands nowhere else, and returns it."""
    mark = f"mark-{uuid4().hex}"
    events = replay.segments[0]
    payload = {"timestamp": events[-1]["timestamp"] / 1000, "category": "console", "message": mark}
    data = {"tag": "breadcrumb", "payload": payload}
    events.append({"type": 5, "timestamp": events[-1]["timestamp"], "data": data})
    return mark


def deliver(service: Service, replay: CapturedReplay) -> None:
    assert service.deliver(b"\n".join(replay.lines()))["rejected"] == []


def marks_in_files(service: Service, marks: list[str]) -> set[str]:
    return {
        mark
        for _, block in inflated_contents(service.warehouse.directory)
        for mark in marks
        if mark.encode() in block
    }


def listed(service: Service) -> set[str]:
    answer = service.client.get("/api/projects/shop/replays", headers=service.headers)
    return {one["id"] for one in answer.json()["replays"]}


def outcomes(service: Service) -> list[dict[str, Any]]:
    return service.admin.rows(
        "select item_type, sum(item_count) as n from errata_raw.outcomes where outcome = 'erased' group by 1"
    )


def test_a_replay_is_gone_from_every_file_and_its_later_parts_are_refused(service: Service) -> None:
    first, second, *_ = captured_replays(datetime.now(UTC))
    marks = [with_mark(first), with_mark(second)]
    deliver(service, first)
    deliver(service, second)
    assert marks_in_files(service, marks) == set(marks)
    preview = service.client.post(
        f"{service.path}/preview", json={"replay": first.replay_id}, headers=service.headers
    ).json()
    assert preview["row_count"] == 2 * len(first.segments)

    service.erase(replay=first.replay_id)
    service.carry_out()
    service.rebuild()
    assert listed(service) == {second.replay_id}
    assert service.verify().startswith("verified")
    assert marks_in_files(service, marks) == {marks[1]}
    (receipt,) = service.receipts()
    assert (receipt["kind"], receipt["subject"]) == ("replay", first.replay_id)
    assert receipt["row_count"] == 2 * len(first.segments)

    # What its browser sends now would be the rest of something that nobody may see.
    late = recording_line(first.replay_id, recorded_bytes(90, first.segments[0]))
    service.deliver(late + b"\n" + b"\n".join(first.lines()))
    assert listed(service) == {second.replay_id}
    assert {row["item_type"] for row in outcomes(service)} == {"replay_event", "replay_recording"}


def test_replays_of_a_time_go_and_those_around_it_stay(service: Service) -> None:
    replays = captured_replays(datetime.now(UTC))[:6]
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    marks = [with_mark(replay) for replay in replays]
    for number, replay in enumerate(replays):
        last = datetime.fromtimestamp(at_ms(replay.events[-1]) / 1000, UTC)
        shift = now - timedelta(hours=number) - last
        for event in (one for part in replay.segments.values() for one in part):
            seconds = shift.total_seconds()
            event["timestamp"] += seconds if event["timestamp"] < 1e11 else round(seconds * 1000)
        replay.descriptions = {
            key: {**one, "timestamp": one["timestamp"] + shift.total_seconds()}
            for key, one in replay.descriptions.items()
        }
        deliver(service, replay)
    since, until = now - timedelta(hours=3, minutes=30), now - timedelta(hours=1, minutes=30)
    interval = f"{since:%Y-%m-%dT%H:%MZ}/{until:%Y-%m-%dT%H:%MZ}"
    service.erase(replays=interval)
    service.carry_out()
    service.rebuild()
    kept = [number for number in range(6) if number not in (2, 3)]
    assert listed(service) == {replays[number].replay_id for number in kept}
    assert service.verify().startswith("verified")
    assert marks_in_files(service, marks) == {marks[number] for number in kept}
    assert service.receipts()[0]["subject"] == interval


@pytest.mark.parametrize("said", ["14d", "yesterday", "2026-11-02T00:00Z/2026-11-01T00:00Z"])
def test_a_time_that_is_none_erases_nothing(service: Service, said: str) -> None:
    body = {"replays": said, "confirm": said}
    answer = service.client.post(service.path, json=body, headers=service.headers)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_parameter")
    assert json.loads(answer.text)["message"]

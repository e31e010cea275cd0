import base64
import json
import zlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest

from demo import history, story
from demo.progress import Progress

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def lines_by_day(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    logs = tmp_path_factory.mktemp("logs")
    assert [*history.written(logs, "errata_app_test", 2, NOW)][-1] == (15, 15)
    return {
        path.stem.removeprefix("errata-"): path.read_bytes().splitlines() for path in sorted(logs.iterdir())
    }


@pytest.mark.slow
def test_each_day_until_now_has_lines_of_its_own_in_order(lines_by_day: dict[str, list[bytes]]) -> None:
    assert list(lines_by_day) == [f"2026-11-{day:02}" for day in range(7, 22)]
    ids: list[str] = []
    for day, lines in lines_by_day.items():
        logged = [json.loads(line)["logged_at"] for line in lines]
        assert logged == sorted(logged)
        assert all(moment.startswith(day) or day == "2026-11-21" for moment in logged[:-5])
        for line in lines:
            payload = json.loads(line).get("payload", {})
            ids += [span["span_id"] for span in payload.get("items", [])]
    assert logged[-1] < f"{NOW:%Y-%m-%dT%H:%M}"
    assert len(ids) == len(set(ids)) > 1000


@pytest.mark.slow
def test_lines_are_whole_and_name_release_visitor_and_key(lines_by_day: dict[str, list[bytes]]) -> None:
    found = [json.loads(line) for lines in lines_by_day.values() for line in lines]
    assert {line["app_key"] for line in found} == {"errata_app_test"}
    assert not any(
        b"@@" in line or b"shop.localhost" in line for lines in lines_by_day.values() for line in lines
    )
    events = [line["payload"] for line in found if line["type"] == "event"]
    assert {event["release"] for event in events} == {release.version for release in story.RELEASES}
    assert 0.4 < sum("user" in event for event in events) / len(events) < 0.8
    segments = [
        span["attributes"]
        for line in found
        if line["type"] == "span"
        for span in line["payload"]["items"]
        if span["attributes"]["sentry.op"]["value"] == "pageload"
    ]
    browsers = Counter(segment["user_agent.original"]["value"] for segment in segments)
    assert len(browsers) == len(history.BROWSERS)


@pytest.mark.slow
def test_the_last_day_has_traffic_in_every_hour_as_the_live_shop_goes_on_with(
    lines_by_day: dict[str, list[bytes]],
) -> None:
    lines = [json.loads(line) for day in ("2026-11-20", "2026-11-21") for line in lines_by_day[day]]
    of_type: dict[str, list[int]] = {"transaction": [], "session": []}
    for line in lines:
        ago = NOW - datetime.fromisoformat(line["logged_at"])
        if line["type"] in of_type and ago < timedelta(days=1):
            of_type[line["type"]].append(ago // timedelta(hours=1))
    assert set(of_type["transaction"]) == set(range(24))
    visits = sum(story.visits_an_hour(NOW - timedelta(hours=hour)) for hour in range(24))
    assert 0.8 < len(of_type["session"]) / (visits * story.LOADS_A_VISIT) < 1.2


@pytest.mark.slow
def test_calls_of_the_history_fail_and_last_as_those_of_the_live_shop(
    lines_by_day: dict[str, list[bytes]],
) -> None:
    calls: dict[str, list[float]] = {name: [] for name in story.ENDPOINTS}
    failed: list[bool] = []
    for lines in lines_by_day.values():
        for line in map(json.loads, lines):
            if line["type"] == "transaction":
                payload = line["payload"]
                status = payload["contexts"]["response"]["status_code"]
                starts, ends = (
                    datetime.fromisoformat(payload[at]) for at in ("start_timestamp", "timestamp")
                )
                failed.append(status >= 500)
                if status < 400:
                    calls[payload["transaction"]].append((ends - starts) / timedelta(milliseconds=1))
    assert 0.04 < sum(failed) / len(failed) < 0.06
    for name, durations in calls.items():
        assert median(durations) == pytest.approx(story.ENDPOINTS[name].lasts_ms, rel=0.3, abs=1.5), name


@pytest.mark.slow
def test_a_day_that_is_there_is_left(tmp_path: Path) -> None:
    (tmp_path / "errata-2026-11-20.log").write_bytes(b"")
    assert [*history.written(tmp_path, "errata_app_test", 1, NOW)][-1] == (8, 8)
    assert (tmp_path / "errata-2026-11-20.log").read_bytes() == b""


def test_the_resolved_bug_comes_back_after_this_moment_with_the_newest_release() -> None:
    lines = [json.loads(line) for line in history.recurrence("errata_app_test", NOW)]
    payloads = [line["payload"] for line in lines if line["type"] == "event"]
    assert len(payloads) == story.BROUGHT_BACK
    assert {payload["release"] for payload in payloads} == {story.NEWEST.version}
    assert all(NOW.timestamp() <= payload["timestamp"] < NOW.timestamp() + 1 for payload in payloads)


def test_releases_begin_in_their_order() -> None:
    since, until = NOW - timedelta(weeks=8), NOW
    moments = [release.begins_at(since, until) for release in story.RELEASES]
    assert moments == sorted(set(moments))
    for number, moment in enumerate(moments):
        assert story.release_at(moment, since, until) == (number, story.RELEASES[number])


def test_progress_is_known_to_the_next_run(tmp_path: Path) -> None:
    first = Progress(tmp_path / "set-up.json")
    assert not first.has_begun
    first.done("budgets")
    first.keep("share_link", "http://127.0.0.1/shared/x")
    again = Progress(tmp_path / "set-up.json")
    assert again.has_begun
    assert (again.steps, again.kept) == (["budgets"], {"share_link": "http://127.0.0.1/shared/x"})


@pytest.mark.slow
def test_a_browser_error_of_the_history_has_a_replay_of_its_own_moment(
    lines_by_day: dict[str, list[bytes]],
) -> None:
    lines = [json.loads(line) for lines in lines_by_day.values() for line in lines]
    of_browsers = [
        line["payload"]
        for line in lines
        if line["type"] == "event" and line["payload"]["platform"] == "javascript"
    ]
    replays = {
        line["payload"]["replay_id"]: line["payload"] for line in lines if line["type"] == "replay_event"
    }
    assert {event["tags"]["replayId"] for event in of_browsers} == set(replays)
    for line in lines:
        if line["type"] == "replay_recording":
            _, _, recorded = base64.b64decode(line["payload_b64"]).partition(b"\n")
            moments = [each["timestamp"] for each in json.loads(zlib.decompress(recorded))]
            # The SDK's own are in seconds.
            last = max(moment for moment in moments if moment > 1e12) / 1000
            assert last == pytest.approx(replays[line["headers"]["event_id"]]["timestamp"], abs=60)
            assert b"127.0.0.1" not in zlib.decompress(recorded)

"""Replays over REST: segments as they were recorded."""

import json
from datetime import UTC, datetime

import pytest

from tests.captured_replays import captured_replays
from tests.dashboards.conftest import Site
from tests.dashboards.conftest import live_site as live_site
from tests.dashboards.conftest import store as store

REPLAYS = "/api/projects/shop/replays"


@pytest.mark.slow
def test_a_segment_is_what_was_recorded_and_another_one_is_not_found(live_site: Site) -> None:
    replay = captured_replays(datetime.now(UTC))[0]
    live_site.deliver(replay.lines())
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    for number, events in replay.segments.items():
        answer = live_site.client.get(f"{REPLAYS}/{replay.replay_id}/segments/{number}", headers=key)
        assert answer.headers["Content-Type"] == "application/json"
        assert int(answer.headers["Content-Length"]) == len(answer.content)
        assert json.loads(answer.content) == events
    missing = live_site.client.get(f"{REPLAYS}/{replay.replay_id}/segments/99999", headers=key)
    assert (missing.status_code, missing.json()["error"]) == (404, "replay_not_found")

"""What brings ignored issues back, counted in a real warehouse."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from api.jobs.wakes import reason_to_wake, wake_ignored
from errata.warehouse.queries.issues.waiting import Waiting, waiting_issues
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.cases import each
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
IGNORED_AT = NOW - timedelta(hours=3, minutes=7)
CONDITIONS: dict[int, dict[str, Any]] = {
    1: {"kind": "events", "count": 6},
    2: {"kind": "events", "count": 7},
    3: {"kind": "users", "count": 3},
    4: {"kind": "users", "count": 4},
    5: {"kind": "events", "count": 2, "window_minutes": 90},
    6: {"kind": "events", "count": 3, "window_minutes": 90},
}


@pytest.mark.slow
def test_an_ignored_issue_comes_back_exactly_when_what_it_waits_for_has_come(
    warehouse: WarehouseProcess,
) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in CONDITIONS])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=n) for n in CONDITIONS])
    insert(
        ingest,
        "errata_raw.issue_actions",
        [
            an_issue_action(
                issue_id=n, action="ignore", acted_at=IGNORED_AT, detail=json.dumps({"condition": condition})
            )
            for n, condition in CONDITIONS.items()
        ],
    )
    # Four before; six after, of three users, two of them within the last 90 minutes.
    ages = [200, 230, 250, 3000, 186, 185, 150, 100, 60, 5]
    events = [
        an_error_event(
            variant_hash=n,
            occurred_at=NOW - timedelta(minutes=age),
            user_hash=1 + number % 3,
            item_id=uuid4(),
        )
        for n in CONDITIONS
        for number, age in enumerate(ages)
    ]
    insert(ingest, "errata_raw.error_events", events[::2])
    build_marts(warehouse, "variant_hourly", "variant_daily")
    let_bound_take_hold(warehouse)
    insert(ingest, "errata_raw.error_events", events[1::2] + events[::3])
    found = {waiting.issue_id: waiting for waiting in waiting_issues(read, [7])}
    assert {(waiting.event_count, waiting.user_count) for n, waiting in found.items() if n < 5} == {(6, 3)}
    assert {found[n].event_count for n in (5, 6)} == {2}
    # Of the hour of the clock, which may have ended meanwhile.
    hours = (moment.replace(minute=0, second=0, microsecond=0) for moment in (NOW, datetime.now(UTC)))
    of_hour = [sum(NOW - timedelta(minutes=age) >= hour for age in ages) for hour in hours]
    assert {waiting.hour_count for waiting in found.values()} <= set(of_hour)
    assert wake_ignored(ingest, read, [7]) == 3
    assert wake_ignored(ingest, read, [7]) == 0
    assert {waiting.issue_id for waiting in waiting_issues(read, [7])} == {2, 4, 6}


@each(("hour_count", "comes_back"), [(12, False), (200, True)])
def test_escalating_is_measured_against_its_own_history(hour_count: int, comes_back: bool) -> None:
    waiting = Waiting(7, 1, UUID(int=1), {"kind": "escalating"}, 0, 0, hour_count, (10,) * 400)
    assert bool(reason_to_wake(waiting)) == comes_back

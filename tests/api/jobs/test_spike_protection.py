"""Spike protection learns what is ordinary, and says nothing where too little is known."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api.jobs.spike_protection import FEWEST_DAYS, FEWEST_LINES, TIMES_ORDINARY, spike_limit
from errata.state.ingest_limits import NOT_LEARNED
from errata.warehouse.queries.delivery.usage import busiest_minutes
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess


def test_fewer_than_five_days_say_nothing() -> None:
    assert spike_limit([]) == spike_limit([10_000] * (FEWEST_DAYS - 1)) == NOT_LEARNED
    assert spike_limit([10_000] * FEWEST_DAYS) == 10_000 * TIMES_ORDINARY
    assert spike_limit([3] * 7) == FEWEST_LINES


@given(
    st.lists(st.integers(1_000, 10**6), min_size=7, max_size=7), st.integers(0, 6), st.integers(10**7, 10**12)
)
def test_one_day_of_a_spike_admits_no_more_than_an_ordinary_day_would(
    week: list[int], day: int, spike: int
) -> None:
    spiked = [*week[:day], spike, *week[day + 1 :]]
    assert spike_limit(spiked) <= TIMES_ORDINARY * max(week)


@given(st.lists(st.integers(1, 1_000), min_size=3, max_size=3), st.integers(5_000, 10**9))
def test_a_level_that_stays_is_ordinary_after_four_days(before: list[int], level: int) -> None:
    assert spike_limit([*before, level, level, level, level]) == TIMES_ORDINARY * level


def test_the_busiest_minute_of_each_day_is_of_all_its_deliveries(warehouse: WarehouseProcess) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    admin = warehouse.client(Role.ADMIN)

    def row(days_ago: int, minute: int, lines: int, project_id: int = 1) -> dict[str, Any]:
        at = today - timedelta(days=days_ago) + timedelta(minutes=minute)
        return {
            "project_id": project_id,
            "received_at": f"{at:%Y-%m-%d %H:%M:%S}",
            "batch_id": f"{project_id}-{days_ago}-{minute}-{lines}",
            "accepted_count": lines,
        }

    rows = [row(1, 5, 10), row(1, 5, 20), row(1, 6, 25), row(2, 5, 40), row(9, 5, 99), row(1, 7, 70, 2)]
    admin.insert_rows("errata_raw.deliveries", rows)
    found = busiest_minutes(admin, [1, 2], today - timedelta(days=7), today)
    assert found == {1: [40, 30], 2: [70]}

from datetime import UTC, datetime, timedelta

import pytest

from api.ingest.moment import believed, moment, occurred_at
from tests.cases import each

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("own", "counted", "is_corrected"),
    [
        pytest.param("2026-11-21T11:59:59Z", NOON - timedelta(seconds=1), False, id="a second before"),
        pytest.param(
            (NOON - timedelta(hours=1)).timestamp(), NOON - timedelta(hours=1), False, id="an hour before"
        ),
        pytest.param("2026-11-21T10:59:59Z", NOON, True, id="over an hour before"),
        pytest.param("1970-01-01T00:00:10Z", NOON, True, id="1970"),
        pytest.param(4_102_444_800, NOON, True, id="2100"),
        pytest.param("2026-11-21T12:30:00+01:00", NOON - timedelta(minutes=30), False, id="another zone"),
        pytest.param(None, NOON, False, id="none"),
        pytest.param("nonsense", NOON, False, id="nonsense"),
    ],
)
def test_a_clock_is_corrected_by_the_line(own: object, counted: datetime, is_corrected: bool) -> None:
    later = NOON + timedelta(days=3)
    assert occurred_at(own, NOON, later) == (counted, is_corrected)


def test_without_a_logged_moment_the_own_time_stands() -> None:
    assert occurred_at(0.0, None, NOON) == (datetime(1970, 1, 1, tzinfo=UTC), False)
    assert occurred_at("2026-11-21T12:59:00Z", None, NOON) == (NOON + timedelta(minutes=59), False)
    assert occurred_at(None, None, NOON) == (NOON, False)


@each("own", ["2026-11-21T13:00:01Z", "2100-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_clock_ahead_of_receipt_is_corrected_to_it(own: str) -> None:
    assert occurred_at(own, None, NOON) == (NOON, True)


def test_a_host_whose_clock_is_ahead_is_not_believed() -> None:
    hour = timedelta(hours=1)
    assert believed(NOON + hour, NOON) == NOON + hour
    assert believed(NOON + hour + timedelta(milliseconds=1), NOON) is None
    assert believed(None, NOON) is None


@each("value", [True, [], {}, "", "9999999999999", 1e300, float("nan"), -1e300])
def test_what_is_no_moment_is_none(value: object) -> None:
    assert moment(value) is None

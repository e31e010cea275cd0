"""A first build looks for dirty windows week by week."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from errata.clock import EPOCH
from pipelines.builder.receipt_days import receipt_days, spanned
from pipelines.builder.spans import spans, together
from tests.mart_builds import window_received

NOW = datetime(2026, 11, 22, tzinfo=UTC)
OLDEST = NOW - timedelta(days=399)
NOON = NOW + timedelta(hours=12)


def test_spans_follow_each_other_from_the_last_build_to_now() -> None:
    for since in (EPOCH, OLDEST + timedelta(days=1, hours=3), NOW - timedelta(minutes=5)):
        found = list(spans(since, NOW, OLDEST, {}, 1))
        assert (found[0][0], found[-1][1]) == (since, NOW)
        assert all(before[1] == after[0] for before, after in pairwise(found))
        assert all(end - begin <= timedelta(days=7) for begin, end in found if begin >= OLDEST)
    assert list(spans(NOW, NOW, OLDEST, {}, 1)) == []


def test_a_span_holds_no_more_rows_than_are_looked_at_together_but_a_day_at_least() -> None:
    rows = {
        (NOW - timedelta(days=ago)).date(): count for ago, count in enumerate([0, 9, 4, 5, 30, 1, 1, 1, 1])
    }
    found = list(spans(NOW - timedelta(days=8, hours=-5), NOW, OLDEST, rows, 10))
    ends = [(NOW - end).days for _, end in found]
    assert ends == [4, 3, 1, 0]
    assert [begin for begin, _ in found[1:]] == [end for _, end in found[:-1]]


def test_a_window_found_in_several_weeks_has_all_its_arrivals() -> None:
    day, other = NOW - timedelta(days=9), NOW - timedelta(days=8)
    early, late = NOW - timedelta(days=9), NOW - timedelta(days=1)
    found = [window_received(day, early, 3), window_received(other, early, 1), window_received(day, late, 2)]
    of_day, of_other = together(found)
    assert (of_day.first_received_at, of_day.last_received_at, of_day.row_count) == (early, late, 5)
    assert of_day.receipt_days == {early.date(), late.date()}
    assert of_other == found[1]


def test_a_build_reads_the_days_on_which_something_came_and_those_about_them() -> None:
    day, late = NOON - timedelta(days=20), NOON - timedelta(days=1)
    days = receipt_days([window_received(day, day, 5), window_received(day, late, 1)])
    ago = {name: [(NOON.date() - one).days for one in found] for name, found in days.items()}
    assert ago == {
        "receipt_days": [20, 1],
        "near_days": [22, 21, 20, 19, 18, 3, 2, 1, 0, -1],
    }
    assert [len(spanned(day, day + timedelta(hours=hours))) for hours in (0, 11, 12, 36)] == [1, 1, 2, 3]

"""A first build looks for dirty windows week by week."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from errata.warehouse.builds.build import EPOCH, spans, together
from errata.warehouse.builds.mart import Window

NOW = datetime(2026, 11, 22, tzinfo=UTC)
OLDEST = NOW - timedelta(days=399)


def test_spans_follow_each_other_from_the_last_build_to_now() -> None:
    for since in (EPOCH, OLDEST + timedelta(days=1, hours=3), NOW - timedelta(minutes=5)):
        found = list(spans(since, NOW, OLDEST))
        assert (found[0][0], found[-1][1]) == (since, NOW)
        assert all(before[1] == after[0] for before, after in pairwise(found))
        assert all(end - begin <= timedelta(days=7) for begin, end in found if begin >= OLDEST)
    assert list(spans(NOW, NOW, OLDEST)) == []


def test_a_window_found_in_several_weeks_has_all_its_arrivals() -> None:
    day, other = NOW - timedelta(days=9), NOW - timedelta(days=8)
    early, late = NOW - timedelta(days=9), NOW - timedelta(days=1)
    found = [[Window(day, early, early, 3), Window(other, early, early, 1)], [Window(day, late, late, 2)]]
    assert together(found) == [Window(day, early, late, 5), Window(other, early, early, 1)]

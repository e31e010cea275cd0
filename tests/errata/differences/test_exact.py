from fractions import Fraction
from math import comb, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.differences.exact import mid_p
from tests.cases import each


def by_enumeration(count: int, total: int, other_count: int, other_total: int) -> float:
    """Every table with the same margins, in whole numbers."""
    together, everything = count + other_count, comb(total + other_total, count + other_count)

    def weight(number: int) -> Fraction:
        return Fraction(comb(total, number) * comb(other_total, together - number), everything)

    possible = range(max(0, together - other_total), min(total, together) + 1)
    above = sum((weight(number) for number in possible if number > count), Fraction(0))
    below = sum((weight(number) for number in possible if number < count), Fraction(0))
    return float(min(Fraction(1), 2 * (min(above, below) + weight(count) / 2)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    total, other_total = draw(st.integers(1, 40)), draw(st.integers(1, 60))
    return draw(st.integers(0, total)), total, draw(st.integers(0, other_total)), other_total


@given(tables())
def test_the_p_value_is_that_of_all_tables_with_the_same_margins(table: tuple[int, int, int, int]) -> None:
    assert isclose(mid_p(*table), by_enumeration(*table), rel_tol=1e-9)


@given(tables())
def test_it_does_not_matter_which_side_is_called_the_issue_nor_which_value_is_counted(
    table: tuple[int, int, int, int],
) -> None:
    count, total, other_count, other_total = table
    p_value = mid_p(*table)
    assert isclose(p_value, mid_p(other_count, other_total, count, total), rel_tol=1e-9)
    assert isclose(p_value, mid_p(total - count, total, other_total - other_count, other_total), rel_tol=1e-9)


@each(
    ("table", "expected"),
    [((3, 4, 1, 4), 18 / 70), ((0, 50, 0, 900), 1.0), ((2, 2, 0, 2), 1 / 6)],
    ids=["the lady tasting tea", "a value nobody has", "all against none"],
)
def test_known_tables_have_their_known_p_values(table: tuple[int, int, int, int], expected: float) -> None:
    assert mid_p(*table) == pytest.approx(expected)


def test_large_tables_neither_overflow_nor_take_long() -> None:
    assert mid_p(50_000, 100_000, 50_000, 100_000) > 0.99
    assert 0 <= mid_p(100_000, 100_000, 0, 1_000_000) < 1e-300

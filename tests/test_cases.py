"""All cases of one test run, and each that fails is named."""

import pytest

from tests.cases import each


def test_all_cases_run_and_those_that_fail_are_named() -> None:
    met = list[int]()

    @each("number", [1, pytest.param(2, id="two"), 3], ids=lambda number: f"no. {number}")
    def odd(number: int) -> None:
        met.append(number)
        assert number % 2 == 1

    with pytest.raises(ExceptionGroup, match="1 of 3 cases") as failed:
        odd()
    assert met == [1, 2, 3]
    assert failed.value.exceptions[0].__notes__ == ["case 1: no. 2"]


def test_what_is_no_table_of_cases_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a case"):
        each("number", [])
    with pytest.raises(ValueError, match="2 values"):
        each("number, other", [(1, 2, 3)])
    with pytest.raises(ValueError, match="marks"):
        each("number", [pytest.param(1, marks=pytest.mark.skip)])
    with pytest.raises(ValueError, match="other arguments"):
        each("number", [1])(lambda other: None)

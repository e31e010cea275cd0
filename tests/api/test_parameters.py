import re
from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import TypeAdapter, ValidationError

from api.parameters import (
    PERIOD_PATTERN,
    GivenDay,
    Moment,
    Period,
    PeriodParameter,
    WholeNumber,
    decode_cursor,
    encode_cursor,
)
from errata.errors import InvalidParameter


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1h", timedelta(hours=1)),
        ("24h", timedelta(days=1)),
        ("14d", timedelta(days=14)),
        ("104w", timedelta(weeks=104)),
        ("731d", timedelta(days=731)),
    ],
)
def test_a_period_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    period = TypeAdapter(PeriodParameter).validate_python(text)
    assert (period, period.length) == (Period(text), length)
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert period.since(now) == now - length


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0h",
        "1",
        "h",
        "1m",
        "1y",
        "-1d",
        "1.5d",
        "01d",
        "105w",
        "732d",
        "999999d",
        "1d ",
        "١d",
        "1D",
        None,
        5,
    ],
)
def test_what_is_no_period_is_refused(text: object) -> None:
    with pytest.raises(ValidationError, match="a number followed by h, d or w"):
        TypeAdapter(PeriodParameter).validate_python(text)


def test_a_cursor_gives_back_what_was_put_in() -> None:
    cursor = encode_cursor("2026-11-21T10:00:00Z", 7, 0.5)
    assert decode_cursor(cursor, str, int, float) == ["2026-11-21T10:00:00Z", 7, 0.5]
    assert cursor.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "%%%",
        "ä",
        encode_cursor("7"),
        encode_cursor(7, 8),
        encode_cursor(1 << 63),
        "bnVsbA",
        "W1tbW1tbW1tb" * 9,
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidParameter, match="cursor"):
        decode_cursor(cursor, int)
    for text in ("a\0b", "a\ud800"):
        with pytest.raises(InvalidParameter, match="cursor"):
            decode_cursor(encode_cursor(text), str)


def test_moments_are_written_in_utc() -> None:
    written = TypeAdapter(Moment).dump_python
    east = datetime.fromisoformat("2026-11-21T02:00:00+02:00")
    assert written(east) == "2026-11-21T00:00:00Z"
    assert written(east.replace(microsecond=120_000)) == "2026-11-21T00:00:00.120Z"


def test_the_schema_tells_of_the_same_periods_as_are_taken() -> None:
    for text in [f"{number}{unit}" for unit in "hdw" for number in range(18_000)]:
        try:
            Period.parse(text)
            is_taken = True
        except ValueError:
            is_taken = False
        assert is_taken == bool(re.search(PERIOD_PATTERN, text)), text


@pytest.mark.parametrize("value", [24, 24.0])
def test_a_whole_number_is_one_however_it_is_written(value: object) -> None:
    assert TypeAdapter(WholeNumber).validate_python(value) == 24


@pytest.mark.parametrize("value", [True, "24", 24.5, None])
def test_neither_truth_nor_text_is_a_whole_number(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(WholeNumber).validate_python(value)


@pytest.mark.parametrize("value", [0, 1_700_000_000, "0", "1700000000", True])
def test_a_number_is_no_day(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(GivenDay).validate_python(value)
    assert TypeAdapter(GivenDay).validate_python("2026-11-23") == date(2026, 11, 23)

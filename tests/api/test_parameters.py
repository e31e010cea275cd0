import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pydantic import TypeAdapter, ValidationError

from api.parameters import (
    BACK_PATTERN,
    INTERVAL_PATTERN,
    GivenDay,
    Moment,
    PeriodParameter,
    WholeNumber,
    decode_cursor,
    encode_cursor,
)
from errata.errors import InvalidParameter
from errata.period import Grain, Period
from tests.cases import each

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


@each(
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
    begin = Grain.HOUR if text[-1] == "h" else Grain.DAY
    assert period.at(NOW).since == begin.begin(NOW - length)


@each(
    ("text", "written"),
    [
        ("2026-11-01T00:00Z/2026-11-08T00:00Z", "2026-11-01T00:00Z/2026-11-08T00:00Z"),
        ("2026-11-01/2026-11-07", "2026-11-01T00:00Z/2026-11-08T00:00Z"),
        ("2026-11-01T01:00:30+02:00/2026-11-02T00:00", "2026-10-31T23:00:30Z/2026-11-02T00:00Z"),
        ("2026-11-20/2026-12-31", "2026-11-20T00:00Z/2027-01-01T00:00Z"),
    ],
)
def test_an_interval_is_written_in_utc(text: str, written: str) -> None:
    assert Period.parse(text, now=NOW) == written
    assert re.search(INTERVAL_PATTERN, text) and re.search(INTERVAL_PATTERN, written)


def test_a_day_of_an_interval_is_that_of_the_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    # Winter time begins on the first of them.
    assert Period.parse("2026-10-25/2026-10-25", berlin, NOW) == "2026-10-24T22:00Z/2026-10-25T23:00Z"


@each(
    ("text", "sentence"),
    [
        ("2026-11-08/2026-11-01", "ends after it starts"),
        ("2026-11-08T00:00Z/2026-11-08T00:00Z", "ends after it starts"),
        ("2026-11-22/2026-11-23", "starts in the past"),
        ("2020-01-01/2026-01-01", "at most 2 years"),
        ("1999-01-01/2000-01-01", "starts after 1999"),
        ("2026-11-31/2026-12-01", "an interval such as"),
        ("2026-11-01", "an interval such as"),
        ("2026-11-01/", "an interval such as"),
        ("P7D/2026-11-01", "an interval such as"),
    ],
)
def test_what_is_no_interval_is_told_why(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Period.parse(text, now=NOW)


@each(
    ("text", "grain", "since", "until"),
    [
        ("2026-11-20T10:07Z/2026-11-20T11:30Z", Grain.MINUTE, "20 10:07", "20 11:30"),
        ("2026-11-19T10:07Z/2026-11-20T11:30Z", Grain.HOUR, "19 10:00", "20 12:00"),
        ("2026-11-03/2026-11-12", Grain.DAY, "03 00:00", "13 00:00"),
        ("2026-11-02T01:00Z/2026-11-20T10:00Z", Grain.DAY, "02 00:00", "21 00:00"),
        # Whoever's clock is ahead counts, too.
        ("2026-11-20/2026-11-25", Grain.DAY, "20 00:00", "never"),
        ("7d", Grain.DAY, "14 00:00", "never"),
    ],
)
def test_events_of_a_range_are_counted_in_whole_steps(
    text: str, grain: Grain, since: str, until: str
) -> None:
    found = Period.parse(text, now=NOW).of_events(NOW)
    shown = (f"{found.since:%d %H:%M}", "never" if found.is_open else f"{found.until:%d %H:%M}")
    assert (found.grain, shown) == (grain, (since, until))
    assert found.bucket_starts[0] == found.since
    assert found.bucket_starts[-1] < found.shown_until <= found.bucket_starts[-1] + found.bucket


@each(
    ("text", "age", "step", "count"),
    [
        ("1h", None, timedelta(minutes=1), 60),
        ("6h", None, timedelta(minutes=5), 72),
        ("24h", None, timedelta(hours=1), 25),
        ("7d", None, timedelta(hours=6), 31),
        ("14d", None, timedelta(days=1), 15),
        ("52w", None, timedelta(weeks=1), 53),
        # A project that began twenty minutes ago.
        ("14d", timedelta(minutes=20), timedelta(minutes=1), 20),
        ("2026-11-01/2026-11-07", timedelta(minutes=20), timedelta(hours=6), 28),
    ],
)
def test_a_chart_of_events_chooses_its_step_by_the_range(
    text: str, age: timedelta | None, step: timedelta, count: int
) -> None:
    began = None if age is None else NOW - age
    found = Period.parse(text, now=NOW).of_events(NOW).steps(began)
    assert (found.step, found.count) == (step, count)
    assert found.starts[-1] < NOW


def test_the_range_before_is_as_long() -> None:
    chosen = Period.parse("2026-11-10T06:00Z/2026-11-12T00:00Z", now=NOW).at(NOW)
    assert chosen.since - chosen.before == chosen.until - chosen.since
    assert Period("14d").at(NOW).before == datetime(2026, 10, 24, tzinfo=UTC)


@each(
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


@each(
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
        assert is_taken == bool(re.search(BACK_PATTERN, text)), text


@each("value", [24, 24.0])
def test_a_whole_number_is_one_however_it_is_written(value: object) -> None:
    assert TypeAdapter(WholeNumber).validate_python(value) == 24


@each("value", [True, "24", 24.5, None])
def test_neither_truth_nor_text_is_a_whole_number(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(WholeNumber).validate_python(value)


@each("value", [0, 1_700_000_000, "0", "1700000000", True])
def test_a_number_is_no_day(value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(GivenDay).validate_python(value)
    assert TypeAdapter(GivenDay).validate_python("2026-11-23") == date(2026, 11, 23)

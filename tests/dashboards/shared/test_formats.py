import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from errata.reports import formats
from tests.cases import each

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 21, 10, 0, 0, 123_000, tzinfo=UTC)


@each(
    ("value", "words"),
    [
        (0, "0"),
        (1234, "1,234"),
        (9_999, "9,999"),
        (12_345, "12.3k"),
        (99_960, "100k"),
        (999_499, "999k"),
        (999_600, "1M"),
        (1_250_000, "1.2M"),
        (-12_345, "−12.3k"),
        (-123, "−123"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_counts_are_shortened_from_ten_thousand_on(value: float | None, words: str) -> None:
    assert formats.compact(value) == words


@each(
    ("ms", "words"),
    [
        (0, "0 ms"),
        (0.4, "0.4 ms"),
        (0.4219, "0.422 ms"),
        (9.876, "9.88 ms"),
        (812, "812 ms"),
        (999.6, "1 s"),
        (2310, "2.31 s"),
        (59_940, "59.9 s"),
        (75_000, "1 min 15 s"),
        (59_999, "1 min"),
        (12_000_000, "3 h 20 min"),
        (180_000_000, "2 d 2 h"),
        (-812, "−812 ms"),
        (None, "–"),
        (float("inf"), "–"),
    ],
)
def test_durations_carry_their_unit(ms: float | None, words: str) -> None:
    assert formats.duration(ms) == words


@each(
    ("value", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (748_000, "748 KB"),
        (1_500, "1.5 KB"),
        (999_960, "1 MB"),
        (25_300_000_000, "25.3 GB"),
        (None, "–"),
    ],
)
def test_sizes_carry_their_unit(value: float | None, words: str) -> None:
    assert formats.size(value) == words


@each(
    ("value", "words"),
    [(0, "0%"), (0.0421, "4.2%"), (1, "100%"), (0.0004, "<0.1%"), (-0.034, "−3.4%"), (None, "–")],
)
def test_ratios_are_percentages(value: float | None, words: str) -> None:
    assert formats.ratio(value) == words


def test_a_change_carries_its_sign() -> None:
    assert [formats.change(value) for value in (0.12, -0.034, 0.0)] == ["+12%", "−3.4%", "0%"]
    assert [formats.change(value) for value in (0.0004, -0.0004, -0.0006)] == ["0%", "0%", "−0.1%"]


@each(
    ("ago", "words"),
    [
        (timedelta(seconds=2), "just now"),
        (timedelta(seconds=42), "42 s ago"),
        (timedelta(minutes=3), "3 min ago"),
        (timedelta(hours=5, minutes=59), "5 h ago"),
        (timedelta(days=2), "2 d ago"),
        (timedelta(weeks=3), "3 wk ago"),
        (timedelta(days=200), "5 May 2026"),
        (timedelta(minutes=-3), "in 3 min"),
    ],
)
def test_moments_are_told_as_distance(ago: timedelta, words: str) -> None:
    assert formats.relative(NOW - ago, NOW) == words


def test_the_exact_time_names_its_zone() -> None:
    assert formats.exact(NOW) == "Sat 21 Nov 2026, 10:00:00.123 UTC"
    assert formats.iso(NOW) == "2026-11-21T10:00:00.123Z"


def test_one_is_not_plural() -> None:
    assert [formats.plural(number, "frame") for number in (0, 1, 1200)] == [
        "0 frames",
        "1 frame",
        "1,200 frames",
    ]


def test_moments_have_a_form_for_each_purpose() -> None:
    assert [
        form(NOW)
        for form in (formats.minute, formats.short_minute, formats.day, formats.short_day, formats.clock)
    ] == [
        "Sat 21 Nov 2026, 10:00 UTC",
        "21 Nov, 10:00",
        "21 Nov 2026",
        "21 Nov",
        "10:00:00.123",
    ]
    assert (formats.iso_minute(NOW), formats.iso_day(NOW)) == ("2026-11-21 10:00", "2026-11-21")
    assert formats.chart_moment(NOW, formats.chart_zone(NOW)) == "2026-11-21 10:00:00"


def test_moments_are_written_in_one_place() -> None:
    places = ("api", "dashboards", "errata/reports", "errata/doctor", "errata/alerts/mail.py")
    paths = [
        path
        for place in places
        for path in ((ROOT / place).rglob("*") if (ROOT / place).is_dir() else [ROOT / place])
    ]
    strays = [
        str(path.relative_to(ROOT))
        for path in paths
        if path.suffix in (".py", ".html") and re.search(r"strftime|:%-?[aAbBdHMY]|%-d %b", path.read_text())
    ]
    assert strays == ["errata/reports/formats.py"]


def test_every_number_has_the_same_minus() -> None:
    written = [
        *(form(-0.034) for form in (formats.ratio, formats.change, formats.score, formats.score_change)),
        *(
            form(-12_345)
            for form in (formats.count, formats.compact, formats.size, formats.duration, formats.decimal)
        ),
    ]
    assert all(words.startswith("−") and "-" not in words for words in written)

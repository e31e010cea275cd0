"""Values that are allowed and that nobody thinks of."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.flow.poison.line import BARE

# No page may hold it as it is: that would be markup out of somebody's error message.
MARKUP = "<b id=poison>\"'&lt;"
LONG = 64 << 10
TEXTS = (
    "",
    " ",
    "\t\n \u00a0\u2003",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfffy\ud83d",
    "\u202egnirts\u202c \u200fעברית عربى",
    "e" + "\u0301" * 50,
    "👩‍👩‍👧‍👦🏳️‍🌈\U0010ffff",
    "\ufeff\ufffe\uffff\u2028\u2029\u0085",
    "\x01\x1b[31m\x7f\r",
    "ǅ ﬃ ẞ İ ı 𝔘𝔫𝔦 ½ ² ٣ 一 가",
    "\U000e0041\u180e\u2060\u00ad",
    MARKUP,
    "'; drop table issues; -- \\",
    "%s %d {} {0} ${x} {{ 7*7 }} {id}",
    "=1+1",
    "../../etc/passwd?a=b&c=d#e",
    "https://user:word@[::1]:99999/%zz?%",
    "http://[broken",
    "//:0",
    "null",
    "NaN",
    "-1",
    "1e400",
    "00000000000000000000000000000000",
    "0000000000000000",
    "2026-13-45T99:99:99Z",
    "x" * LONG,
    "長い" * (LONG // 2),
    "a.b/c:" * 2_000,
    "(" * 500 + "a" * 500,
)
NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    -0.0,
    f"{BARE}-0",
    1,
    0.1 + 0.2,
    5e-324,
    -5e-324,
    1 << 31,
    -(1 << 31),
    (1 << 32) - 1,
    "12",
    "-3.5",
    "1_000",
    True,
    None,
    float("nan"),
)
ENORMOUS: tuple[Any, ...] = (
    1e12,
    1e15,
    1e18,
    1e100,
    1e308,
    -1e308,
    f"{BARE}1e999",
    f"{BARE}-1E+400",
    (1 << 53) - 1,
    (1 << 53) + 1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
    -(1 << 63),
    10**40,
    -(10**40),
    float("inf"),
    float("-inf"),
)
SHAPES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1.5,
    "",
    "text",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": ""},
    {"values": None},
    {"values": [None, 1, "x", [], {}]},
    [["a"], ["a", "b"], ["a", "b", "c"], "a", 1],
)
NO_TIMES: tuple[Any, ...] = (
    None,
    "",
    "yesterday",
    True,
    [],
    {},
    "2026-02-30T00:00:00Z",
    "12:00",
    float("nan"),
    -0.0,
)


def text(chance: random.Random) -> str:
    """One of the list, two joined, or any characters at all."""
    if chance.random() < 0.2:
        return "".join(chr(_code_point(chance)) for _ in range(chance.randrange(1, 40)))
    return "".join(chance.choice(TEXTS) for _ in range(chance.choice((1, 1, 2))))


def _code_point(chance: random.Random) -> int:
    return chance.randrange(chance.choice((0x20, 0x250, 0x3000, 0x10000, 0x110000)))


def edge(chance: random.Random, now: datetime, longest_days: int) -> datetime:
    """A moment at, just before or just after where something ends, not after now."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    ends = (
        now,
        now - timedelta(hours=1),
        hour - timedelta(hours=chance.randrange(0, 50)),
        day - timedelta(days=chance.randrange(0, 20)),
        day - timedelta(days=day.weekday() + 7 * chance.randrange(0, 12)),
        day.replace(day=1),
        day.replace(month=1, day=1),
        now - timedelta(days=longest_days),
        day - timedelta(days=longest_days),
        now - timedelta(days=longest_days - 1),
    )
    beside = (0, 0, 1, -1, 0.001, -0.001, 0.0004, 59.9995, -3600, 3600)
    return min(now, chance.choice(ends) + timedelta(seconds=chance.choice(beside)))


def past(chance: random.Random, now: datetime) -> datetime:
    """Days to centuries ago."""
    if chance.random() < 0.3:
        return datetime(chance.choice((1, 1600, 1899, 1969, 1970, 1999, 2000)), 1, 1, tzinfo=UTC)
    return now - timedelta(days=chance.choice((1, 6, 29, 60, 88, 90, 300, 399, 402, 5_000)))


def future(chance: random.Random, now: datetime) -> datetime:
    """Minutes to centuries ahead."""
    if chance.random() < 0.3:
        return datetime(chance.choice((2038, 2105, 2106, 2107, 2299, 9999)), 12, 31, 23, 59, 59, tzinfo=UTC)
    return now + timedelta(minutes=chance.choice((1, 59, 60, 61, 1_440, 10_080, 525_600)))


def written(chance: random.Random, moment: datetime) -> Any:
    """As SDKs write moments: seconds, or ISO 8601 in some time zone or none."""
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    ways = (
        seconds,
        int(seconds),
        moment.isoformat(),
        moment.replace(tzinfo=None).isoformat(),
        moment.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20),
    )
    return chance.choice(ways)

"""Moments and ages as people write them."""

import re
from datetime import UTC, datetime, timedelta

from errata.search.terms import Age, Moments, Operator, Term

AGE = re.compile(r"([+-]?)([0-9]{1,5})(min|[smhdw])", re.ASCII)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?",
    re.ASCII,
)
# What the warehouse tells apart.
STEP = timedelta(milliseconds=1)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def moment_term(key: str, operator: Operator, text: str, is_negated: bool) -> Term | None:
    """None for what is neither a moment nor an age."""
    if match := AGE.fullmatch(text):
        return _age(key, operator, match, is_negated)
    span = _span(text)
    if span is None or key == "age":
        return None
    since, until = _bounds(operator, *span)
    return Moments(is_negated, key, since, until, operator + _written(text))


def _age(key: str, operator: Operator, match: re.Match[str], is_negated: bool) -> Age | None:
    sign, count, unit = match[1], int(match[2]), match[3][0]
    if operator is Operator.EQUAL:
        return Age(is_negated, key, sign == "-", count, unit) if sign else None
    # An age is greater the longer ago it was; a moment that lies back is the other way round.
    is_greater = operator in (Operator.GREATER, Operator.AT_LEAST)
    if key == "age":
        return None if sign else Age(is_negated, key, not is_greater, count, unit)
    return Age(is_negated, key, is_greater, count, unit) if sign == "-" else None


def _span(text: str) -> tuple[datetime, timedelta] | None:
    """The moment, and how long what was written lasts."""
    length = STEP
    if DATE.fullmatch(text):
        length = timedelta(days=1)
    elif match := MOMENT.fullmatch(text):
        length = timedelta(seconds=1) if match[1] else timedelta(minutes=1)
        length = STEP if match[2] else length
    else:
        return None
    try:
        moment = datetime.fromisoformat(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    return (moment, length) if EARLIEST <= moment < LATEST else None


def _bounds(
    operator: Operator, moment: datetime, length: timedelta
) -> tuple[datetime | None, datetime | None]:
    return {
        Operator.EQUAL: (moment, moment + length),
        Operator.GREATER: (moment + STEP, None),
        Operator.AT_LEAST: (moment, None),
        Operator.LESS: (None, moment),
        Operator.AT_MOST: (None, moment + STEP),
    }[operator]


def _written(text: str) -> str:
    return f'"{text}"' if " " in text else text

import re

_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:[0-9]+(?:ms|s|m|h))+")
_PART = re.compile(r"([0-9]+)(ms|s|m|h)")


def seconds_of(text: str) -> float | None:
    """Seconds of a duration such as `500ms`, `2m` or `1m30s`; None if it is not one."""
    if not _DURATION.fullmatch(text):
        return None
    units = [unit for _, unit in _PART.findall(text)]
    is_descending = units == sorted(set(units), key=lambda unit: -_UNIT_SECONDS[unit])
    if not is_descending:
        return None
    return sum(int(count) * _UNIT_SECONDS[unit] for count, unit in _PART.findall(text))

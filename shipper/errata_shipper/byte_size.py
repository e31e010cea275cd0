import re

_UNIT_BYTES = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"([0-9]+)(KiB|MiB|GiB|)")


def text_of(size: int) -> str:
    """The size with the largest unit that divides it."""
    unit, unit_bytes = next(
        (unit, unit_bytes)
        for unit, unit_bytes in sorted(_UNIT_BYTES.items(), key=lambda entry: -entry[1])
        if size % unit_bytes == 0
    )
    return f"{size // unit_bytes}{unit}"


def bytes_of(text: str) -> int | None:
    """Bytes of a size such as `512KiB`, `32MiB` or `4GiB`; None if it is not one."""
    match = _SIZE.fullmatch(text)
    return int(match[1]) * _UNIT_BYTES[match[2]] if match else None

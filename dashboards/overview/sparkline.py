"""A figure over time as one small line, drawn on the server."""

from collections.abc import Iterator, Sequence

WIDTH, HEIGHT, EDGE = 96, 24, 2


def line(values: Sequence[float | None]) -> str:
    """The path of an SVG of WIDTH by HEIGHT, from the least value to the greatest; None is a gap. Empty if
    fewer than two values are known."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    least, most = min(known), max(known)
    return " ".join(_points(values, least, (most - least) or 1.0))


def _points(values: Sequence[float | None], least: float, span: float) -> Iterator[str]:
    across, down = WIDTH / (len(values) - 1), HEIGHT - 2 * EDGE
    is_drawing = False
    for number, value in enumerate(values):
        if value is not None:
            y = EDGE + down * (1 - (value - least) / span)
            # A value between two gaps is a dot.
            yield f"{'L' if is_drawing else 'M'}{number * across:.1f} {y:.1f}" + ("" if is_drawing else "h.1")
        is_drawing = value is not None

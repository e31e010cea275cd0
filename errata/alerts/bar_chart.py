"""A bar chart as a small PNG for mails, whose readers show neither SVG nor scripts, and as a line of text."""

import struct
import zlib
from collections.abc import Sequence

WIDTH, HEIGHT = 480, 64
GAP = 2
# Legible on the light and the dark backgrounds of mail programs, which show through.
TRANSPARENT, BAR, BASE = range(3)
COLORS = ((255, 255, 255), (76, 130, 216), (140, 140, 140))
OPACITIES = (0, 255, 255)
BLOCKS = "▁▂▃▄▅▆▇█"


def png(counts: Sequence[int]) -> bytes:
    """The counts as bars over a base line, the highest as high as the picture."""
    heights = [_height(count, max(counts, default=0)) for count in counts]
    columns = [heights[place] if place is not None else 0 for place in _bars(len(counts))]
    rows = bytearray()
    for y in range(HEIGHT - 1, 0, -1):
        # Each row begins with its filter: none.
        rows += bytes([0, *(BAR if height >= y else TRANSPARENT for height in columns)])
    rows += bytes([0, *[BASE] * WIDTH])
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", bytes(part for color in COLORS for part in color)),
        (b"tRNS", bytes(OPACITIES)),
        (b"IDAT", zlib.compress(bytes(rows), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in chunks)


def text_bars(counts: Sequence[int]) -> str:
    """A character for each count; a space for none."""
    highest = max(counts, default=0)
    return "".join(BLOCKS[-(-count * len(BLOCKS) // highest) - 1] if count else " " for count in counts)


def _height(count: int, highest: int) -> int:
    """Above the base line; whatever is not 0 can be seen."""
    return max(2, round(count / highest * (HEIGHT - 1))) if count else 0


def _bars(bar_count: int) -> list[int | None]:
    """For each column of pixels the number of its bar; None: the gap after one."""
    if not bar_count:
        return [None] * WIDTH
    step = WIDTH / bar_count
    places = [min(int(x / step), bar_count - 1) for x in range(WIDTH)]
    return [place if x < (place + 1) * step - GAP else None for x, place in enumerate(places)]


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

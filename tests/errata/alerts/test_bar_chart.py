import struct
import zlib

from errata.alerts.bar_chart import BAR, BASE, HEIGHT, TRANSPARENT, WIDTH, png, text_bars


def rows_of(picture: bytes) -> list[bytes]:
    """The pixels, as the format has them; raises for a chunk whose checksum is wrong."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    place, found = 8, dict[bytes, bytes]()
    while place < len(picture):
        (length,) = struct.unpack_from(">I", picture, place)
        name, content = picture[place + 4 : place + 8], picture[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", picture, place + 8 + length) == (zlib.crc32(name + content),)
        found[name], place = content, place + 12 + length
    assert list(found)[-1] == b"IEND" and struct.unpack_from(">II", found[b"IHDR"]) == (WIDTH, HEIGHT)
    raw = zlib.decompress(found[b"IDAT"])
    return [raw[y * (WIDTH + 1) + 1 : (y + 1) * (WIDTH + 1)] for y in range(HEIGHT)]


def test_a_chart_is_a_small_png_whose_bars_are_as_high_as_their_counts() -> None:
    picture = png([0, 1, 50, 100])
    rows = rows_of(picture)
    middles = [int((place + 0.5) * WIDTH / 4) for place in range(4)]
    heights = [sum(row[x] == BAR for row in rows) for x in middles]
    assert heights[0] == 0 and 0 < heights[1] < heights[2] < heights[3] == HEIGHT - 1
    assert abs(heights[2] - HEIGHT / 2) <= 1
    assert set(rows[-1]) == {BASE} and rows[0][WIDTH - 1] == TRANSPARENT
    assert len(picture) < 1_000


def test_without_events_there_is_a_base_line_alone() -> None:
    for counts in ([], [0, 0]):
        assert {pixel for row in rows_of(png(counts))[:-1] for pixel in row} == {TRANSPARENT}


def test_bars_of_text_leave_out_nothing_that_happened() -> None:
    assert text_bars([0, 1, 500, 1000]) == " ▁▄█"
    assert text_bars([]) == ""

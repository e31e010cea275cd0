import gzip
import time
import tracemalloc
from collections.abc import Iterable
from itertools import pairwise

import pytest
from backports import zstd
from errata_wire.limits import DELIVERY_PARTS_MAX
from hypothesis import given
from hypothesis import strategies as st

from api.ingest.body import InvalidBatch, TooLarge, UnsupportedEncoding, inflated, numbered_lines
from tests.cases import each

MIB = 1 << 20
LINES = b"".join(b'{"number": %d}\n' % number for number in range(50_000))


def inflate(body: bytes, encoding: str, most: int) -> bytes:
    return b"".join(inflated(body, encoding, most))


def lines_of(pieces: Iterable[bytes], most: int = 10_000) -> list[tuple[int, bytes]]:
    steps = numbered_lines(pieces, most)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: list[tuple[int, bytes]] = end.value
            return found


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        pytest.param(LINES, "", id="none"),
        pytest.param(LINES, "identity", id="identity"),
        pytest.param(gzip.compress(LINES), "gzip", id="gzip"),
        pytest.param(gzip.compress(LINES[:70]) + gzip.compress(LINES[70:]), "gzip", id="gzip of two members"),
        pytest.param(zstd.compress(LINES), "zstd", id="zstd"),
        pytest.param(zstd.compress(LINES[:70]) + zstd.compress(LINES[70:]), "ZSTD", id="zstd of two frames"),
    ],
)
def test_a_body_is_read_in_every_encoding(body: bytes, encoding: str) -> None:
    assert inflate(body, encoding, 1 << 30) == LINES


@each("encoding", ["gzip", "zstd"])
@each("kept", [5, 100, -1])
def test_half_a_body_is_said_to_be_half(encoding: str, kept: int) -> None:
    whole = gzip.compress(LINES) if encoding == "gzip" else zstd.compress(LINES)
    with pytest.raises(InvalidBatch, match="is truncated"):
        inflate(whole[:kept], encoding, 1 << 30)


@each("encoding", ["gzip", "zstd"])
def test_what_is_not_in_the_encoding_is_an_invalid_batch(encoding: str) -> None:
    with pytest.raises(InvalidBatch, match="Invalid"):
        inflate(b"plain text, no more than that", encoding, 1 << 30)


@each("compress", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_bomb_is_refused_before_it_is_inflated(compress: object) -> None:
    assert callable(compress)
    encoding = "gzip" if compress is gzip.compress else "zstd"
    with pytest.raises(TooLarge) as refused:
        inflate(compress(bytes(100 << 20)), encoding, 64 << 20)
    assert refused.value.limit == 64 << 20


def test_an_unknown_encoding_is_told_which_are_known() -> None:
    with pytest.raises(UnsupportedEncoding, match="gzip, zstd"):
        inflate(b"", "br", 10)


@each("encoding", ["", "gzip", "zstd"])
def test_an_empty_body_has_no_lines_in_any_encoding(encoding: str) -> None:
    assert lines_of(inflated(b"", encoding, 10)) == []


@each("compress", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_parts_of_a_body_are_bounded(compress: object) -> None:
    assert callable(compress)
    encoding = "gzip" if compress is gzip.compress else "zstd"
    assert inflate(compress(b"{}\n") * DELIVERY_PARTS_MAX, encoding, MIB) == b"{}\n" * DELIVERY_PARTS_MAX
    began = time.process_time()
    with pytest.raises(InvalidBatch, match=f"more than {DELIVERY_PARTS_MAX}"):
        inflate(compress(b"") * 300_000, encoding, MIB)
    assert time.process_time() - began < 1


def test_a_zstd_frame_takes_no_more_than_eight_mebibytes_for_its_window() -> None:
    parameters: dict[int, int] = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    compressor = zstd.ZstdCompressor(options=parameters)
    body = compressor.compress(bytes(MIB)) + compressor.flush()
    with pytest.raises(InvalidBatch, match="Invalid zstd body"):
        inflate(body, "zstd", 64 * MIB)


def test_blank_lines_are_skipped_and_the_others_keep_their_numbers() -> None:
    assert lines_of([b"\n{}\n \r\n[]"], 2) == [(2, b"{}"), (4, b"[]")]
    with pytest.raises(TooLarge):
        lines_of([b"1\n2\n3"], 2)


@given(
    st.lists(
        st.sampled_from([b"\n", b" ", b"\r\n", b"\t\x0b\x0c", b"{}", b"a b", b"\0", b"\n\n\n"]), max_size=40
    ),
    st.lists(st.integers(0, 80), max_size=5),
)
def test_lines_are_the_same_wherever_pieces_end(parts: list[bytes], cuts: list[int]) -> None:
    body = b"".join(parts)
    ends = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    pieces = [body[since:until] for since, until in pairwise(ends)]
    expected = [(number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    assert lines_of(pieces) == expected


@each(
    "blank",
    [b"\n", b"\r\n", b" \n", b" ", b"\n" * 1000 + b" " * 1000, b"\n" * (2 * MIB - 3) + b"{}\n"],
    ids=["line breaks", "carriage returns", "spaces and breaks", "one line", "runs", "few lines"],
)
def test_blank_lines_cost_next_to_nothing(blank: bytes) -> None:
    bomb = zstd.compress(blank * (64 * MIB // len(blank)))
    tracemalloc.start()
    began = time.process_time()
    lines = lines_of(inflated(bomb, "zstd", 64 * MIB))
    seconds = time.process_time() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(lines) <= 32
    assert seconds < 1
    # One line without an end is held until it is known to be blank.
    assert peak < (200 if blank == b" " else 16) * MIB, peak


def test_lines_over_the_limit_are_not_made_first() -> None:
    bomb = zstd.compress(b"{}\n" * 20_000_000)
    began = time.process_time()
    with pytest.raises(TooLarge) as refused:
        lines_of(inflated(bomb, "zstd", 64 * MIB))
    assert (refused.value.what, refused.value.limit) == ("lines", 10_000)
    assert time.process_time() - began < 0.5

import gzip

import pytest
from backports import zstd

from api.ingest.body import InvalidBatch, TooLarge, UnsupportedEncoding, inflate, numbered_lines

LINES = b"".join(b'{"number": %d}\n' % number for number in range(50_000))


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


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("kept", [5, 100, -1])
def test_half_a_body_is_said_to_be_half(encoding: str, kept: int) -> None:
    whole = gzip.compress(LINES) if encoding == "gzip" else zstd.compress(LINES)
    with pytest.raises(InvalidBatch, match="is truncated"):
        inflate(whole[:kept], encoding, 1 << 30)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_what_is_not_in_the_encoding_is_an_invalid_batch(encoding: str) -> None:
    with pytest.raises(InvalidBatch, match="Invalid"):
        inflate(b"plain text, no more than that", encoding, 1 << 30)


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_a_bomb_is_refused_before_it_is_inflated(compress: object) -> None:
    assert callable(compress)
    encoding = "gzip" if compress is gzip.compress else "zstd"
    with pytest.raises(TooLarge) as refused:
        inflate(compress(bytes(100 << 20)), encoding, 64 << 20)
    assert refused.value.limit == 64 << 20


def test_an_unknown_encoding_is_told_which_are_known() -> None:
    with pytest.raises(UnsupportedEncoding, match="gzip, zstd"):
        inflate(b"", "br", 10)


def test_blank_lines_are_skipped_and_the_others_keep_their_numbers() -> None:
    assert numbered_lines(b"\n{}\n \r\n[]", 2) == [(2, b"{}"), (4, b"[]")]
    with pytest.raises(TooLarge):
        numbered_lines(b"1\n2\n3", 2)

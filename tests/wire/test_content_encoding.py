import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from errata_wire import brotli_library, content_encoding
from errata_wire.content_encoding import accepted, decoded, inflated_zlib
from errata_wire.refusal import Refused
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each
from tests.wire.bodies import BROTLI_BOMB, COMPRESSORS, ENCODED, TEXT

MIB = 1 << 20


@contextmanager
def libraries(**names: tuple[str, ...]) -> Iterator[None]:
    """Looks for the libraries under other names."""
    with pytest.MonkeyPatch.context() as patch:
        for module, attribute in ((brotli_library, "LIBRARY_NAMES"), (content_encoding, "ZSTD_MODULES")):
            if attribute in names:
                patch.setattr(module, attribute, names[attribute])
        forget()
        yield
    forget()


def forget() -> None:
    brotli_library.library.cache_clear()
    content_encoding.zstd_module.cache_clear()


@each(("encoding", "body"), ENCODED.items())
def test_a_body_is_read_in_every_encoding(encoding: str, body: bytes) -> None:
    assert decoded(body, encoding, 10_000) == TEXT
    assert decoded(body, encoding.upper(), 100) == TEXT


@each(
    ("encoding", "body"),
    [
        *((name, compress(bytes(MIB))) for name, compress in COMPRESSORS.items()),
        ("br", BROTLI_BOMB),
        ("identity", bytes(MIB)),
        ("", bytes(MIB)),
    ],
)
def test_a_body_is_limited_as_it_is_inflated(encoding: str, body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        decoded(body, encoding, 100_000)
    assert (refused.value.status, refused.value.detail) == (413, "the body exceeds 100000 bytes")
    assert decoded(body, encoding, MIB) == bytes(MIB)


@each(("encoding", "compress"), [*COMPRESSORS.items()])
def test_a_bomb_takes_little_memory(encoding: str, compress: Callable[[bytes], bytes]) -> None:
    bomb = compress(bytes(12 * MIB))
    tracemalloc.start()
    with pytest.raises(Refused, match="exceeds"):
        decoded(bomb, encoding, MIB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * MIB


@each(("encoding", "body"), [(name, body) for name, body in ENCODED.items() if name.strip(" identy")])
def test_a_body_that_is_cut_off_or_not_encoded_is_refused(encoding: str, body: bytes) -> None:
    for damaged in (body[:-5], body[:5], b"{}", b"", b"plain text, no more than that"):
        with pytest.raises(Refused, match="as declared in Content-Encoding, or is truncated") as refused:
            decoded(damaged, encoding, 10_000)
        assert refused.value.status == 400


@each(
    ("names", "expected"),
    [
        ({}, "gzip, deflate, zstd, br"),
        ({"LIBRARY_NAMES": ("libbrotlidec.so.0",)}, "gzip, deflate, zstd"),
        ({"ZSTD_MODULES": ("compression.none",)}, "gzip, deflate, br"),
        ({"LIBRARY_NAMES": (), "ZSTD_MODULES": ()}, "gzip, deflate"),
    ],
)
def test_an_unknown_encoding_is_answered_with_those_that_are_known(
    names: dict[str, tuple[str, ...]], expected: str
) -> None:
    with libraries(**names):
        assert ", ".join(accepted()) == expected
        for encoding in {"lzma", "zstd", "br"} - set(accepted()):
            with pytest.raises(Refused) as refused:
                decoded(TEXT, encoding, 10_000)
            assert refused.value.status == 415
            sentence = f"unknown Content-Encoding {encoding!r}; send {expected} or none"
            assert refused.value.detail == sentence
            assert refused.value.headers == {"Accept-Encoding": expected}


def test_the_body_of_the_oldest_sdks_is_zlib_with_a_limit_too() -> None:
    assert inflated_zlib(ENCODED["deflate"], 10_000) == TEXT
    with pytest.raises(Refused, match="exceeds 10 bytes"):
        inflated_zlib(ENCODED["deflate"], 10)


@given(st.binary(), st.sampled_from([*COMPRESSORS]))
def test_what_was_compressed_is_inflated(body: bytes, encoding: str) -> None:
    assert decoded(COMPRESSORS[encoding](body), encoding, len(body) + 100) == body


@given(
    st.binary() | st.sampled_from([*ENCODED.values()]),
    st.integers(0, 100),
    st.binary(max_size=4),
    st.sampled_from([*ENCODED]),
    st.integers(0, 1000),
)
def test_any_bytes_are_inflated_within_the_limit_or_refused(
    body: bytes, at: int, change: bytes, encoding: str, limit: int
) -> None:
    try:
        inflated = decoded(body[:at] + change + body[at + len(change) :], encoding, limit)
    except Refused as refusal:
        assert refusal.status in (400, 413)
    else:
        assert len(inflated) <= limit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.ingest.source import ENDS, Source, parse

WHOLE = (
    "host=web-1; file=errata-2026-11-21.log.1; id=00FF00ff00ff00ff; from=0; to=20480; size=90112; "
    "set_aside=2; end=removed"
)
FIELDS = st.sampled_from(["host", "file", "id", "from", "to", "size", "set_aside", "end", "later", ""])
VALUES = st.one_of(st.text(max_size=20), st.integers().map(str), st.just("9" * 5_000))


def test_every_field_is_read_in_any_order_and_unknown_ones_are_passed_over() -> None:
    told = Source(
        "web-1", "errata-2026-11-21.log.1", "00ff00ff00ff00ff", 0, 20480, 90112, 2, file_end="removed"
    )
    assert parse(WHOLE) == told
    assert parse("later=x; " + "; ".join(reversed(WHOLE.split("; ")))) == told
    assert told.is_told and not parse("host=web-1").is_told and not parse("").is_told


def test_names_in_utf8_survive_the_latin_1_of_headers() -> None:
    assert parse("host=käse; file=f".encode().decode("latin-1")).host == "käse"
    assert parse("host=k\xe4se; file=f").host == "käse"


def test_a_range_that_runs_backwards_is_none() -> None:
    assert parse("host=h; file=f; from=9; to=3; size=4") == Source("h", "f", file_bytes=4)


@given(st.lists(st.tuples(FIELDS, VALUES), max_size=12))
@pytest.mark.slow
def test_whatever_is_sent_fits_the_ledger(fields: list[tuple[str, str]]) -> None:
    told = parse(";".join(f"{name}={value}" for name, value in fields))
    assert 0 <= told.byte_from <= told.byte_to <= 1 << 44
    assert 0 <= told.file_bytes <= 1 << 44
    assert 0 <= told.set_aside_count <= 1 << 31
    assert told.file_end in ("", *ENDS)
    assert len(told.file_id) in (0, 16)
    assert len(told.host) <= 250 and len(told.file) <= 1_000

"""What is kept of a refused line: keys, and of values nothing."""

import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from api.ingest.batch import MASKED_MAX, MASKED_TOGETHER_MAX, Batch, add_rejected_rows, masked
from api.ingest.item import Rejection
from errata.scrubbing import ScrubbingRules
from tests.cases import each

REASONS = ("invalid_json", "invalid_item", "line_too_large", "application_not_found")


def test_keys_stay_and_values_do_not() -> None:
    line = rb'{"release": "shop 1.0", "a\"b" : ["x", 17, null], "cut": "hunter two, \"three'
    assert masked(line, "missing_field") == r'{"release": *, "a\"b" : [*, *, *], "cut": *'


@each("piece", [b'"\\', b'"', b"\\", b'"a', b'"a"', b'{"a":', b'"a" ', b"\\\\", b'\\"'])
@each("end", [b"", b"\\", b'"', b'":'])
def test_no_refused_line_takes_longer_than_its_length(piece: bytes, end: bytes) -> None:
    line = (piece * MASKED_MAX)[: MASKED_MAX - len(end)] + end
    began = time.thread_time()
    for _ in range(5):
        masked(line, "missing_field")
    # Of one regular expression that began anew at each quote: 35 ms a line.
    assert (time.thread_time() - began) / 5 < 0.01


@dataclass(frozen=True)
class CountingRules(ScrubbingRules):
    searched: list[int] = field(default_factory=list)
    """Characters of each text that was searched for secrets."""

    def clean(self, text: str, is_source: bool) -> str:
        self.searched.append(len(text))
        return text


def refused(lines: list[bytes], reason: str, rules: ScrubbingRules) -> list[str]:
    """What is kept of the lines' contents."""
    batch = Batch("b", datetime.now(UTC))
    batch.rejections = [Rejection(number, reason, "") for number in range(len(lines))]
    for _ in add_rejected_rows(batch, 7, rules, dict(enumerate(lines))):
        pass
    return [row["masked"] for row in batch.rows["errata_raw.rejected_items"]]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([b'{"a": ', b"x", b'"', b"password=", b'"token ', b"\xff", b"{[", b"4-"]),
    st.integers(1, 40_000),
    st.integers(1, 100_000),
    st.sampled_from(REASONS),
)
def test_refused_lines_of_a_delivery_are_searched_up_to_a_size_together(
    piece: bytes, size: int, count: int, reason: str
) -> None:
    # As many as a delivery may have, in its size.
    count = min(count, 10_000, (2 << 20) // size + 1)
    rules = CountingRules()
    kept = refused([(piece * size)[:size]] * count, reason, rules)
    assert len(kept) == count
    assert sum(rules.searched) <= MASKED_TOGETHER_MAX
    assert all(kept[: MASKED_TOGETHER_MAX // MASKED_MAX])


def test_ten_thousand_refused_lines_of_many_keys_take_less_than_a_second() -> None:
    lines = [json.dumps({f"k{key}x{n}": key for key in range(150)}).encode() for n in range(50)] * 200
    began = time.thread_time()
    # Of all lines: eleven seconds.
    kept = refused(lines, "invalid_item", ScrubbingRules())
    assert time.thread_time() - began < 1
    assert kept[0].startswith('{"k0x0": *, "k1x0": *') and kept[-1] == ""

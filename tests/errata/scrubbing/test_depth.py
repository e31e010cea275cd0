"""Payloads deeper than the limit are refused, whatever their texts hold."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.scrubbing import TooDeep, scrubbed
from errata.scrubbing.bounds import DEEPEST

BRACKETS_IN_TEXTS = st.text(st.sampled_from('[]{}"\\ax\n'), max_size=6)


@st.composite
def nested(draw: st.DrawFn) -> tuple[bytes, int]:
    """JSON of this depth, whose texts and names hold brackets, quotes and backslashes; lists go before and
    behind."""
    value, depth = "0", draw(st.sampled_from([100, 199, 200, 201, 300]))
    kinds = draw(st.lists(st.booleans(), min_size=depth - 1, max_size=depth - 1))
    texts = [json.dumps(text) for text in draw(st.lists(BRACKETS_IN_TEXTS, min_size=1, max_size=9))]
    for level, is_list in enumerate(kinds):
        text = texts[level % len(texts)]
        value = f"[{text},{value}]" if is_list else f"{{{text}:{value}}}"
    count = draw(st.sampled_from([0, 10, 600]))
    beside = ",".join(["[1]"] * count) or "0"
    return f'{{"a":[{beside}],"b":{value},"c":[{beside}]}}'.encode(), depth


@settings(max_examples=200, deadline=None)
@given(nested())
def test_depth_is_of_lists_and_objects_alone_whatever_texts_hold(sent: tuple[bytes, int]) -> None:
    text, depth = sent
    if depth > DEEPEST:
        with pytest.raises(TooDeep):
            scrubbed(text)
    else:
        scrubbed(text)

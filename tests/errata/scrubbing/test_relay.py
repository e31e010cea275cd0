"""What `sentry-relay` strips is stripped, but for what docs/filtering-limits.md gives a reason for; what it
says to stay does."""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from errata.scrubbing import scrubbed, scrubbed_object
from tests.relay_differences import KEPT, Found
from tests.relayed import (
    Stripped,
    is_left,
    secrets_tried,
    stripped_at_common_places,
    stripped_in_recorded_events,
)

DOCUMENT = (Path(__file__).parents[3] / "docs" / "filtering-limits.md").read_text()
ROW = re.compile(r"^\| (?!-|what )(.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)


def section(title: str) -> dict[str, str]:
    """Of the document: what each row of its table is about, and its example."""
    _, _, after = DOCUMENT.partition(f"\n### {title}\n")
    return {what: example for what, example, _ in ROW.findall(after.partition("\n#")[0])}


def without_reason(stripped: Iterable[Stripped], met: set[str]) -> list[tuple[str, str]]:
    kept = []
    for found in stripped:
        sent = msgspec.json.encode(found.event)
        if is_left(scrubbed(sent).decode(), found.secret):
            reasons = [reason for reason, holds in KEPT.items() if holds(Found(found.where, found.secret))]
            kept += [] if reasons else [(found.where, found.secret.text)]
            met.update(reasons)
    return kept


def test_nothing_that_relay_strips_stays_without_a_reason() -> None:
    stripped = list(stripped_at_common_places())
    assert len(stripped) > 3000 and len({found.secret.id for found in stripped}) > 250
    assert len(secrets_tried()) > 500
    met: set[str] = set()
    assert without_reason(stripped, met) == []
    assert met == set(KEPT) == set(section("What Relay strips, and Errata keeps"))


@pytest.mark.slow
def test_nothing_that_relay_strips_stays_in_recorded_events() -> None:
    stripped = list(stripped_in_recorded_events())
    assert len(stripped) > 500 and len({found.where for found in stripped}) > 250
    assert without_reason(stripped, set()) == []


def test_what_is_said_to_stay_stays() -> None:
    examples = {
        what: text
        for what, example in section("What filtering can't find").items()
        for text in re.findall("`([^`]+)`", example)
    }
    assert len(examples) >= 6
    for what, text in examples.items():
        assert scrubbed_object({"message": text, "extra": {"note": text}})["message"] == text, what

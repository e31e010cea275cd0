"""Deliveries made to cost time or memory: their answers, their bounds, and what others notice of them."""

import json
from collections.abc import Iterator

import pytest
from errata_wire.limits import FED_BYTES, PIECE_BYTES

from api.ingest.body import InvalidBatch, TooLarge, UnsupportedEncoding, inflated, numbered_lines
from api.settings import ApiSettings
from errata.errors import ErrataError
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line
from tests.cases import each
from tests.hostile_bodies import HOSTILE, INFLATED_BYTES, Hostile, bombs

SMALL = {name: case for name, case in HOSTILE.items() if not case.is_large}
LARGE = {name: case for name, case in HOSTILE.items() if case.is_large}


@pytest.mark.parametrize(
    "cases",
    [pytest.param(SMALL, id="small"), pytest.param(LARGE, id="large", marks=pytest.mark.slow)],
)
def test_a_hostile_delivery_is_answered_and_the_next_is_stored(
    node: IngestNode, cases: dict[str, Hostile]
) -> None:
    stored = node.count("errata_raw.error_events")
    for name, case in cases.items():
        key = case.app_key or node.account.app_key
        status, answer = node.deliver(case.body(), Content_Encoding=case.encoding, X_Errata_App_Key=key)
        said = json.dumps(answer, separators=(",", ":"), ensure_ascii=False)
        assert status == case.status and case.said in said, (name, status, said[:500])
        assert node.deliver(a_line())[1]["accepted"] == 1, name
        stored += 1 + answer.get("accepted", 0)
    assert node.count("errata_raw.error_events") == stored


@each("name", SMALL)
def test_what_is_read_of_a_hostile_delivery_is_bounded(name: str) -> None:
    bounded(SMALL[name].body(), SMALL[name].encoding)


@pytest.mark.slow
def test_what_is_read_of_a_bomb_is_bounded() -> None:
    for body in (*bombs(), *(case.body() for case in LARGE.values())):
        bounded(body, "zstd")


def bounded(body: bytes, encoding: str) -> None:
    settings, sizes = ApiSettings(), list[int]()

    def counted(pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            sizes.append(len(piece))
            yield piece

    steps = numbered_lines(counted(inflated(body, encoding, INFLATED_BYTES)), settings.lines_max)
    lines: list[tuple[int, bytes]] = []
    try:
        while True:
            next(steps)
    except StopIteration as end:
        lines = end.value
    except (InvalidBatch, TooLarge, UnsupportedEncoding) as error:
        assert isinstance(error, ErrataError)
    assert sum(sizes) <= INFLATED_BYTES and max(sizes, default=0) <= PIECE_BYTES
    # A piece is small only at the end of a part, and where the part was fed to its end.
    assert len(sizes) <= 2 * 1_000 + len(body) // FED_BYTES + INFLATED_BYTES // PIECE_BYTES + 2
    assert len(lines) <= settings.lines_max and sum(len(line) for _, line in lines) <= INFLATED_BYTES

import os
from pathlib import Path

import pytest
from errata_shipper.batch import Batch
from errata_shipper.errors import FileReplaced
from errata_shipper.log_file import find_files
from errata_shipper.payload import Payload
from errata_shipper.scan import OversizeLine
from errata_shipper.tail import Tail

from tests.shipper.hosts import TODAY


def tail_of(path: Path, batch_size: int = 100) -> Tail:
    (file,) = find_files(path.parent)
    return Tail(file, "web-1", batch_size)


def read_batch(tail: Tail) -> Batch:
    tail.scan(0.0)
    batch = tail.next_batch()
    assert isinstance(batch, Batch)
    return batch


def batch_id_of(batch: Batch) -> str:
    return Payload(batch, "identity", batch.body).batch_id


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / TODAY
    path.write_bytes(b"one\ntwo\n")
    return path


@pytest.mark.parametrize("refill", [b"", b"1\n", b"uno\ndos\n", b"uno\ndos\ntres\nquattro\n"])
def test_a_file_replaced_between_looking_and_reading_is_noticed(path: Path, refill: bytes) -> None:
    tail = tail_of(path)
    batch = read_batch(tail)
    tail.advance(batch.until, batch.content)
    with path.open("ab") as file:
        file.write(b"three\n")
    tail.scan(0.0)
    os.truncate(path, 0)
    path.write_bytes(refill)
    with pytest.raises(FileReplaced):
        tail.next_batch()
    tail.close()


@pytest.mark.parametrize("refill", [b"", b"1\n", b"uno\ndos\n", b"uno\ndos\ntres\nquattro\n"])
def test_a_file_replaced_while_its_batch_was_on_its_way_is_noticed(path: Path, refill: bytes) -> None:
    tail = tail_of(path)
    batch = read_batch(tail)
    path.write_bytes(refill)
    tail.advance(batch.until, batch.content)
    assert tail.is_replaced()
    tail.close()


def test_a_small_file_is_known_again_after_it_has_grown(path: Path) -> None:
    tail = tail_of(path)
    batch = read_batch(tail)
    tail.advance(batch.until, batch.content)
    with path.open("ab") as file:
        file.write(b"x" * 5000 + b"\n")
    assert not tail.is_replaced()
    assert tail.offset == 8
    batch = read_batch(tail)
    tail.advance(batch.until, batch.content)
    assert (tail.checkpoint.head_bytes, tail.checkpoint.edge_bytes) == (1024, 1024)
    assert not tail.is_replaced()
    assert tail.offset == 5009
    tail.close()


def test_the_parts_of_a_batch_have_ids_of_their_own_that_repeat(path: Path) -> None:
    tail = tail_of(path)
    first, again = read_batch(tail), read_batch(tail)
    left, right = first.halves()
    assert batch_id_of(first) == batch_id_of(again)
    assert batch_id_of(left) == batch_id_of(again.halves()[0])
    assert len({batch_id_of(part) for part in (first, left, right)}) == 3
    assert (left.body, right.body) == (b"one\n", b"two\n")
    assert (left.since, left.until, right.since, right.until) == (0, 4, 4, 8)
    tail.close()


def test_a_long_line_is_found_piece_by_piece_without_being_held(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(0)
        for _ in range(5):
            file.write(b"x" * (1 << 20))
    tail = tail_of(path)
    tail.scan(0.0)
    assert not tail.has_batch
    with path.open("ab") as file:
        file.write(b"end\nnext\n")
    tail.scan(0.0)
    line = tail.next_batch()
    assert line == OversizeLine(0, (5 << 20) + 4)
    assert max(len(chunk) for chunk in tail.chunks(line.since, line.until)) <= 256 << 10
    tail.close()


def test_a_line_of_exactly_the_limit_is_sent(path: Path) -> None:
    path.write_bytes(b"x" * (4 << 20) + b"\n")
    tail = tail_of(path)
    assert len(read_batch(tail).lines) == 1
    tail.close()

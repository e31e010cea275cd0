"""Large texts of the warehouse: whole, or refused."""

import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.roles import Role
from tests.processes import start_warehouse

TEXT = "select repeat({part:String}, {times:UInt32}) as text where {times:UInt32} > 0"


def test_a_large_text_is_read_whole_without_being_held_whole(read: Warehouse) -> None:
    part = "naïve \x00 0123456789\n"
    tracemalloc.start()
    text = read.text(TEXT, {"part": part, "times": 1_000_000})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = 1_000_000 * len(part.encode())
    assert text.inflated_bytes == size and peak < size / 4
    # A chunk may end within a character.
    assert text.text() == part * 1_000_000


def test_without_rows_it_is_empty(read: Warehouse) -> None:
    assert read.text(TEXT, {"part": "x", "times": 0}).inflated_bytes == 0


def test_a_statement_that_fails_midway_is_no_shorter_text(read: Warehouse) -> None:
    # Rows of several megabytes have been sent when it fails.
    statement = """
        select concat(repeat('x', 100000), toString(throwIf(number = 3000))) as text
        from numbers(100000)
        settings max_block_size = 10, max_threads = 1
    """
    with pytest.raises((QueryFailed, WarehouseUnavailable)):
        read.text(statement)


def test_a_warehouse_that_dies_midway_is_no_shorter_text(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    admin = running.client(Role.ADMIN)
    slow = """
        select concat(repeat('x', 1000000), toString(sleepEachRow(0.01))) as text
        from numbers(1000)
        settings max_block_size = 10, max_threads = 1
    """
    killer = threading.Timer(2, running.process.kill)
    began = time.monotonic()
    killer.start()
    with pytest.raises(WarehouseUnavailable):
        admin.text(slow)
    assert time.monotonic() - began > 1.5
    killer.join()
    admin.close()
    running.stop()

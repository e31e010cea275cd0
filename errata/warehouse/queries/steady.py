"""Answers that no swap of a build runs through."""

import time

from errata.warehouse.client import Parameters, Row, Warehouse

SWAPS_END_WITHIN_SECONDS = 20


def steady_rows(
    warehouse: Warehouse, question: str, parameters: Parameters, version_of: str, scope: Parameters
) -> list[Row]:
    """The answer, asked again if a build swapped days in meanwhile.

    The engine reads a materialized step and what comes after it from different snapshots: between them a
    swap would take a built day's rows out of the answer, or count rows twice. `version_of` answers with a
    number that changes with every build of the days that the question reads.
    """
    deadline = time.monotonic() + SWAPS_END_WITHIN_SECONDS
    version = warehouse.rows(version_of, scope)
    while True:
        rows = warehouse.rows(question, parameters)
        version, before = warehouse.rows(version_of, scope), version
        if version == before or time.monotonic() > deadline:
            return rows

"""The input of an insert of windows: parameters, settings, and the number of slices."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from errata.warehouse.published import NOTHING, Conditions
from pipelines.builder.attempt import Attempt
from pipelines.builder.mart import Mart, Window
from pipelines.builder.raw_rows import MILLISECOND, raw_rows
from pipelines.builder.scope import Scope, recounted_inputs

WINDOWS_AN_INSERT = 50
ID_COUNT = 1 << 64
# Long for the input of an insert; a longer one would hold up all others.
LONGEST_STATEMENT = timedelta(minutes=3)


@dataclass(frozen=True)
class Reading:
    """Reads builds through `until`. In a retry, a mart that carries on from itself is counted anew."""

    mart: Mart
    attempt: Attempt
    until: datetime

    def parameters(self, windows: Sequence[Window]) -> dict[str, Any]:
        first_received_at = min(window.first_received_at for window in windows)
        last_received_at = max(window.last_received_at for window in windows)
        received_to = min(last_received_at + MILLISECOND, self.until)
        starts = [window.start for window in windows]
        return {
            **raw_rows(starts, self.mart.window, windows, first_received_at, received_to),
            "watermark": self.until,
        }

    @property
    def settings(self) -> dict[str, Any]:
        return {"max_execution_time": int(self._longest_statement.total_seconds())}

    def scope(self, scope: Scope, is_anew: bool = False) -> Conditions:
        """Conditions on the tables that the model and its recount read."""
        conditions = dict(scope.conditions(recounted_inputs(self.mart)))
        # Rows set aside, and days built by hand, have no earlier result to carry on from.
        return {**conditions, self.mart.table: NOTHING} if is_anew else conditions

    @property
    def _longest_statement(self) -> timedelta:
        return min(LONGEST_STATEMENT, self.attempt.warehouse.timeout * 0.9)

    def row_counts(self, windows: Sequence[Window], scope: Scope) -> dict[int, int]:
        """A quick upper bound by project: all rows received on the windows' days of receipt, or all rows of
        the source."""
        parameters = {**self.parameters(windows), **scope.parameters}
        source = f"errata_mart.{self.mart.sliced_by or self.mart.source}"
        rows = (
            self.attempt.fetch("projects_of_raw", parameters, table=self.mart.raw)
            if self.mart.raw
            else self.attempt.fetch("projects_of_source", parameters, table=source)
        )
        return {row["project_id"]: row["row_count"] for row in rows}

    def slices(self, windows: Sequence[Window], scope: Scope, is_retry: bool) -> Iterable[dict[str, int]]:
        """Parameters of each statement of the insert."""
        return slices(self._slice_count(windows, scope, is_retry))

    def _slice_count(self, windows: Sequence[Window], scope: Scope, is_retry: bool) -> int:
        row_count = sum(window.row_count for window in windows)
        if self.mart.is_sliced_by_cell:
            return 1 + max(row_count - 1, 0) // self.mart.rows_an_insert
        if not self.mart.sliced_by:
            return 1
        if is_retry:
            # A mart that carries on from itself adds only the rows read in these windows.
            row_count = max(row_count, sum(self.row_counts(windows, scope).values()))
        (mean,) = self.attempt.fetch("row_bytes", {"mart": self.mart.sliced_by})
        return 1 + int(row_count * mean["row_bytes"]) // self.mart.slice_bytes


def inserts(windows: Sequence[Window], most_rows: int) -> Iterator[list[Window]]:
    """Windows in order, grouped by the rows that one insert may hold in memory."""
    chunk: list[Window] = []
    for window in windows:
        row_count = sum(other.row_count for other in chunk) + window.row_count
        if chunk and (len(chunk) == WINDOWS_AN_INSERT or row_count > most_rows):
            yield chunk
            chunk = []
        chunk.append(window)
    if chunk:
        yield chunk


def slices(count: int) -> Iterator[dict[str, int]]:
    """Ranges of ids or cells, which are hashes: about equally many rows in each."""
    for number in range(count):
        yield {
            "slice_from": ID_COUNT * number // count,
            "slice_to": ID_COUNT * (number + 1) // count - 1,
        }

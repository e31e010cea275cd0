"""Statements that programs write: one at a time of each, since all share the user for analysts."""

import re
from collections.abc import Iterator
from threading import Lock

from api.errors import TooManyAtOnce
from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.project_sql import Format, is_too_many, result_of

# Behind the sentence, the engine names its version and the driver the address.
BEHIND = re.compile(r" \((?:version|for url) ")
LONGEST_REASON = 2000


class SqlRefused(ErrataError):
    """The engine's own sentence says why."""

    code = "sql_refused"

    def __init__(self, reason: str) -> None:
        said = BEHIND.split(reason.rpartition("DB::Exception: ")[2], maxsplit=1)[0].strip()
        super().__init__(f"The query was refused: {said[:LONGEST_REASON]}")


class SqlNotSetUp(ErrataError):
    code = "sql_not_set_up"

    def __init__(self) -> None:
        super().__init__("This service doesn't run SQL queries: set ERRATA_WAREHOUSE_ANALYST_URL.")


class ProjectSql:
    """`warehouse` connects as the user for analysts; None: there is none. Thread-safe."""

    def __init__(self, warehouse: Warehouse | None) -> None:
        self._warehouse = warehouse
        self._running: set[str] = set()
        self._lock = Lock()

    def run(self, holder: str, project_id: int, text: str, form: Format) -> Iterator[bytes]:
        """The result in pieces, while which `holder` can run no other statement. With the first piece, raises
        SqlRefused, SqlNotSetUp, TooManyAtOnce and errors of the warehouse."""
        if self._warehouse is None:
            raise SqlNotSetUp
        with self._lock:
            if holder in self._running:
                raise TooManyAtOnce
            self._running.add(holder)
        try:
            yield from result_of(self._warehouse, project_id, text, form)
        except QueryFailed as error:
            if is_too_many(error):
                raise TooManyAtOnce from error
            if error.code == QueryFailed.code:
                raise SqlRefused(error.reason) from error
            raise
        finally:
            with self._lock:
                self._running.discard(holder)

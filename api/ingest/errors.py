"""Errors of an ingest node, beside those of a body."""

from errata.errors import ErrataError


class RowsNotStored(ErrataError):
    """The warehouse did not store the rows: the client keeps them and tries again."""

    code = "rows_not_stored"

    def __init__(self) -> None:
        super().__init__("The rows could not be stored; nothing was accepted")

"""Questions of so many events that they cannot be answered."""

from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed

# Of the warehouse: out of time, of memory, of rows to answer with.
TOO_MUCH = (159, 241, 396)


class TooMuchToRead(ErrataError):
    """A question that cannot be answered in time, or in memory."""

    code = "too_much_to_read"

    def __init__(self) -> None:
        super().__init__("There are too many events to look at: narrow the filter, or ask about fewer days.")


def is_too_much(error: QueryFailed) -> bool:
    return error.clickhouse_code in TOO_MUCH

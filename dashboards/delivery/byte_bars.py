"""A log file as one small SVG bar, made on the server: delivered ranges, holes, the end in transit."""

from collections.abc import Iterator
from dataclasses import dataclass

from errata.warehouse.queries.delivery.ledger import FileRow

WIDTH = 1000
# The smallest hole must be seen.
NARROWEST_HOLE = 7
MOST_HOLES = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """`kind`: delivered, waiting or missing."""

    kind: str
    x: float
    width: float


def byte_bar(row: FileRow) -> list[Piece]:
    """Holes come last, so that nothing is drawn over them."""
    if not row.written_bytes:
        return []
    scale = WIDTH / row.written_bytes
    missing = row.missing_ranges[-MOST_HOLES:]
    pieces = [_piece("delivered", since, until, scale) for since, until in _delivered(row)]
    if row.waiting_bytes:
        pieces.append(_piece("waiting", row.delivered_until, row.written_bytes, scale))
    return pieces + [_widened(_piece("missing", since, until, scale)) for since, until in missing]


def _delivered(row: FileRow) -> Iterator[tuple[int, int]]:
    reached = 0
    for since, until in row.gaps[-MOST_HOLES:]:
        if since > reached:
            yield reached, since
        reached = until
    if row.delivered_until > reached:
        yield reached, row.delivered_until


def _piece(kind: str, since: int, until: int, scale: float) -> Piece:
    return Piece(kind, round(since * scale, 1), round((until - since) * scale, 1))


def _widened(piece: Piece) -> Piece:
    width = max(piece.width, NARROWEST_HOLE)
    return Piece(piece.kind, min(piece.x, WIDTH - width), width)
